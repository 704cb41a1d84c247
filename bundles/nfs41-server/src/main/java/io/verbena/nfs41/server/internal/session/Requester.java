package io.verbena.nfs41.server.internal.session;

import io.verbena.nfs41.server.internal.budget.Principal;
import io.verbena.rpc.Credential;
import io.verbena.rpc.security.ProtectionService;

/**
 * Who sends a request about a client or a session itself.
 *
 * @param isProtected whether the request has proved its principal, and is kept from changes at least: so it may come of
 *     a machine credential (RFC 8881 section 2.10.8.3)
 */
public record Requester(Principal principal, boolean isProtected) {
    public static Requester of(Credential credential) {
        boolean isProtected = credential instanceof Credential.Proved proved
                && proved.service() >= ProtectionService.INTEGRITY.number();
        return new Requester(Principal.of(credential), isProtected);
    }
}
