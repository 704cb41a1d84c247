package io.verbena.nfs41.server.internal.state;

import io.verbena.rpc.Credential;

/**
 * Who speaks for a client, as far as AUTH_SYS and AUTH_NONE tell.
 *
 * @param flavor of the credential
 * @param uid the user, 0 where the flavor knows none
 */
public record Principal(int flavor, int uid) {
    public static Principal of(Credential credential) {
        return new Principal(credential.flavor(), credential instanceof Credential.Sys sys ? sys.uid() : 0);
    }
}
