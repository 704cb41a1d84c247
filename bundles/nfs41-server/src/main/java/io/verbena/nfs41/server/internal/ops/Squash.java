package io.verbena.nfs41.server.internal.ops;

import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.security.LocalUser;
import java.util.List;
import java.util.Optional;

/**
 * Maps the users of requests to callers (exports(5)).
 *
 * @param mode which users are mapped to the anonymous user
 * @param anonymousUid the user for mapped users and for callers who are no user
 * @param anonymousGid the group for mapped users and for callers who are no user
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

    /** The caller that a user counts as; empty is the anonymous user. */
    Caller map(Optional<LocalUser> claimed) {
        if (claimed.isEmpty() || mode == Mode.ALL) {
            return new Caller(anonymousUid, anonymousGid, List.of());
        }
        LocalUser user = claimed.get();
        if (mode == Mode.NONE) {
            return new Caller(user.uid(), user.gid(), user.groups());
        }
        int uid = user.uid() == 0 ? anonymousUid : user.uid();
        int gid = user.gid() == 0 ? anonymousGid : user.gid();
        List<Integer> groups = user.groups().contains(0)
                ? user.groups().stream()
                        .map(group -> group == 0 ? anonymousGid : group)
                        .toList()
                : user.groups();
        return new Caller(uid, gid, groups);
    }
}
