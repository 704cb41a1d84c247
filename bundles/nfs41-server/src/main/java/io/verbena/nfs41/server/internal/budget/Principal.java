package io.verbena.nfs41.server.internal.budget;

import io.verbena.rpc.Credential;

/**
 * The user on whose behalf a client speaks, as far as its flavor tells. What the flavor protects is no part of that:
 * the same user may call with and without privacy.
 *
 * @param flavor of the credential
 * @param uid the user id, 0 if the flavor has none
 * @param name the principal that the flavor has proved, else empty
 */
public record Principal(int flavor, int uid, String name) {
    private static final long PRIME = 0x100000001b3L;

    /** A principal of a flavor that proves none. */
    public Principal(int flavor, int uid) {
        this(flavor, uid, "");
    }

    public static Principal of(Credential credential) {
        if (credential instanceof Credential.Proved proved) {
            return new Principal(proved.flavor(), 0, proved.principal());
        }
        return new Principal(credential.flavor(), credential instanceof Credential.Sys sys ? sys.uid() : 0);
    }

    /** A number that two principals rarely share. */
    public long fingerprint() {
        long fingerprint = (long) flavor << 32 ^ Integer.toUnsignedLong(uid);
        for (int i = 0; i < name.length(); i++) {
            fingerprint = (fingerprint ^ name.charAt(i)) * PRIME;
        }
        return fingerprint * PRIME;
    }
}
