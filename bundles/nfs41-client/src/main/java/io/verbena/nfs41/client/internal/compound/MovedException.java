package io.verbena.nfs41.client.internal.compound;

import io.verbena.nfs41.FsLocations;
import io.verbena.nfs41.Status;
import java.util.ArrayList;
import java.util.List;

/**
 * NFS4ERR_MOVED, with the present locations of the file system as the server returned them (RFC 8881 section 11.16).
 */
public final class MovedException extends StatusException {
    private static final long serialVersionUID = 1L;
    private static final int MOST_SHOWN = 8;

    private final transient FsLocations locations;
    private final String remark;

    /**
     * @param locations null where the server does not tell
     * @param remark added to the message, for users; empty for none
     */
    public MovedException(int opcode, FsLocations locations, String remark) {
        super(Status.NFS4ERR_MOVED, opcode);
        this.locations = locations == null ? new FsLocations(List.of(), List.of()) : locations;
        this.remark = remark;
    }

    public FsLocations locations() {
        return locations;
    }

    /** What is wrong and what to do, as users read it. */
    String explanation() {
        List<String> places = new ArrayList<>();
        for (FsLocations.Location location : locations.locations()) {
            location.servers().forEach(server -> places.add(shown(server, location.rootPath())));
        }
        String where = places.isEmpty()
                ? "the server has moved it to another server, and does not tell which"
                : "the server has moved it: it is at "
                        + String.join(" or ", places.subList(0, Math.min(MOST_SHOWN, places.size())))
                        + " now; " + (remark.isEmpty() ? "mount that" : remark);
        return where + " (NFS4ERR_MOVED)";
    }

    public static String shown(String server, List<String> path) {
        String host = server.isEmpty() ? "the same server" : server.contains(":") ? "[" + server + "]" : server;
        return host + ":/" + String.join("/", path);
    }
}
