package io.verbena.nfs41.server.internal.ops;

import io.verbena.nfs41.server.internal.vfs.Caller;
import io.verbena.rpc.Credential;
import java.util.List;

/**
 * Whom a credential counts as.
 *
 * @param mode whose credentials are not taken at their word
 * @param anonymousUid the user that they and all without AUTH_SYS count as
 * @param anonymousGid the group that they and all without AUTH_SYS count as
 */
public record Squash(Mode mode, int anonymousUid, int anonymousGid) {
    /** The user and group {@code nobody}. */
    public static final int NOBODY = 65534;

    /** Whose credentials are not taken at their word. */
    public enum Mode {
        NONE,
        ROOT,
        ALL
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
