package io.verbena.nfs41.server.internal.security;

import io.verbena.rpc.Credential;
import java.util.List;
import java.util.Optional;

/**
 * A user of this host for whom a request is made, before squashing.
 *
 * @param uid an unsigned number of 32 bits
 * @param gid likewise
 * @param groups further groups
 */
public record LocalUser(int uid, int gid, List<Integer> groups) {
    public LocalUser {
        groups = List.copyOf(groups);
    }

    /** The user that a credential claims; empty for the anonymous user. */
    public static Optional<LocalUser> claimed(Credential credential) {
        return credential instanceof Credential.Sys sys
                ? Optional.of(new LocalUser(sys.uid(), sys.gid(), sys.groups()))
                : Optional.empty();
    }
}
