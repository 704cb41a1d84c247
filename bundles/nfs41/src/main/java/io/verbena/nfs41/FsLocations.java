package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code fs_locations4}: where a file system is (RFC 8881 section 11.16).
 *
 * @param root the path of the file system's root on this server
 * @param locations where it is, in the server's order
 */
public record FsLocations(List<String> root, List<Location> locations) {
    private static final int MAX_COMPONENTS = 1024;
    private static final int MAX_LOCATIONS = 256;
    private static final int MAX_SERVERS = 64;

    /**
     * One place of the file system.
     *
     * @param servers names or addresses, each as good as the others; an empty one means the present server
     * @param rootPath the path of the file system's root there
     */
    public record Location(List<String> servers, List<String> rootPath) {
        public Location {
            servers = List.copyOf(servers);
            rootPath = List.copyOf(rootPath);
        }
    }

    public FsLocations {
        root = List.copyOf(root);
        locations = List.copyOf(locations);
    }

    void encode(XdrWriter out) {
        encodeTexts(out, root);
        out.putInt(locations.size());
        for (Location location : locations) {
            encodeTexts(out, location.servers);
            encodeTexts(out, location.rootPath);
        }
    }

    private static void encodeTexts(XdrWriter out, List<String> texts) {
        out.putInt(texts.size());
        texts.forEach(out::putText);
    }

    static FsLocations decode(XdrReader in) throws XdrException {
        List<String> root = decodeTexts(in, MAX_COMPONENTS);
        int count = in.getCount(MAX_LOCATIONS, 8);
        List<Location> locations = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            locations.add(new Location(decodeTexts(in, MAX_SERVERS), decodeTexts(in, MAX_COMPONENTS)));
        }
        return new FsLocations(root, locations);
    }

    private static List<String> decodeTexts(XdrReader in, int max) throws XdrException {
        int count = in.getCount(max, 4);
        List<String> texts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            texts.add(in.getText(Codec.MAX_NAME));
        }
        return texts;
    }
}
