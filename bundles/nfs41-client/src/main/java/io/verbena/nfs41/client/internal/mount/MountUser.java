package io.verbena.nfs41.client.internal.mount;

import io.verbena.rpc.security.RpcSecurity;
import javax.security.auth.Subject;

/**
 * Who a mount's calls are made for.
 *
 * @param security makes security contexts; null where there is no such service yet
 * @param subject the user with credentials; null for the one that the mount options name
 */
public record MountUser(RpcSecurity security, Subject subject) {
    /** The user that the options name, without a service for security contexts yet. */
    public static final MountUser OF_OPTIONS = new MountUser(null, null);

    /** Without the subject, which has keys. */
    @Override
    public String toString() {
        return subject == null ? "the user of the options" : "a user with credentials";
    }
}
