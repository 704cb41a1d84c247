package io.verbena.nfs41.server.internal.budget;

import io.verbena.rpc.Credential;

/**
 * The user on whose behalf a client speaks, as far as AUTH_SYS and AUTH_NONE tell.
 *
 * @param flavor of the credential
 * @param uid the user id, 0 if the flavor has none
 */
public record Principal(int flavor, int uid) {
    public static Principal of(Credential credential) {
        return new Principal(credential.flavor(), credential instanceof Credential.Sys sys ? sys.uid() : 0);
    }
}
