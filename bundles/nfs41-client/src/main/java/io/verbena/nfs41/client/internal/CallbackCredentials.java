package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.CallbackSecurity;
import io.verbena.rpc.Credential;
import java.util.List;

/**
 * Whom callbacks may come from: what CREATE_SESSION announces in {@code csa_sec_parms} (RFC 8881 section 18.36.3), and
 * whether a callback's credential is one of it. It says nothing about the calls of the forward direction, nor these
 * about it (RFC 8167 section 8).
 */
final class CallbackCredentials {
    private final Credential.Sys sys;

    /**
     * @param mount the credential of the mount's calls: where it is AUTH_SYS, callbacks may come under the same name
     */
    CallbackCredentials(Credential mount) {
        sys = mount instanceof Credential.Sys of ? of : null;
    }

    List<CallbackSecurity> announced() {
        if (sys == null) {
            return List.of(CallbackSecurity.NONE);
        }
        CallbackSecurity.SysParameters parameters =
                new CallbackSecurity.SysParameters(sys.stamp(), sys.machineName(), sys.uid(), sys.gid(), sys.groups());
        return List.of(CallbackSecurity.NONE, new CallbackSecurity(Credential.Sys.FLAVOR, parameters));
    }

    boolean accepts(Credential credential) {
        if (credential instanceof Credential.Sys caller) {
            // the server puts its own machine's name where the client announced another
            return sys != null && caller.uid() == sys.uid() && caller.gid() == sys.gid();
        }
        return credential instanceof Credential.None;
    }
}
