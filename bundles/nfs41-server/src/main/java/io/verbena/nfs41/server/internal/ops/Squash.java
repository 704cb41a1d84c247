package io.verbena.nfs41.server.internal.ops;

import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.rpc.Credential;
import java.util.List;

/**
 * Maps credentials to users (exports(5)).
 *
 * @param mode which users are mapped to the anonymous user
 * @param anonymousUid the user for mapped users and for callers without AUTH_SYS
 * @param anonymousGid the group for mapped users and for callers without AUTH_SYS
 */
public record Squash(Mode mode, int anonymousUid, int anonymousGid) {
    /** The user and group {@code nobody}. */
    public static final int NOBODY = 65534;

    /** Which users are mapped to the anonymous user. */
    public enum Mode {
        NONE,
        ROOT,
        ALL
    }

    /** What this means for a server that runs as root, in one line for people. */
    public String asRoot() {
        String nobody = "uid " + Integer.toUnsignedString(anonymousUid);
        return switch (mode) {
            case NONE ->
                "it serves as root, and takes root of its clients for root:"
                        + " whoever may connect can read and change every file in it";
            case ROOT ->
                "it serves as root, and takes root of its clients, and of this host, for " + nobody
                        + "; --no-root-squash takes root for root";
            case ALL -> "it serves as root, and takes all users for " + nobody;
        };
    }

    Caller map(Credential credential) {
        if (!(credential instanceof Credential.Sys sys) || mode == Mode.ALL) {
            return new Caller(anonymousUid, anonymousGid, List.of());
        }
        if (mode == Mode.NONE) {
            return new Caller(sys.uid(), sys.gid(), sys.groups());
        }
        int uid = sys.uid() == 0 ? anonymousUid : sys.uid();
        int gid = sys.gid() == 0 ? anonymousGid : sys.gid();
        List<Integer> groups = sys.groups().contains(0)
                ? sys.groups().stream()
                        .map(group -> group == 0 ? anonymousGid : group)
                        .toList()
                : sys.groups();
        return new Caller(uid, gid, groups);
    }
}
