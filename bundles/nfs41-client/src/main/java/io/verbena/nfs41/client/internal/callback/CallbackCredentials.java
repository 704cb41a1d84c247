package io.verbena.nfs41.client.internal.callback;

import io.verbena.nfs41.CallbackSecurity;
import io.verbena.rpc.Credential;
import java.util.List;

/**
 * The credentials that callbacks may come with: those that CREATE_SESSION announces in {@code csa_sec_parms} (RFC 8881
 * section 18.36.3). They are independent of the credentials of the forward direction (RFC 8167 section 8).
 */
public final class CallbackCredentials {
    private final Credential.Sys sys;

    /**
     * @param mount the credential of the mount's calls: where it is AUTH_SYS, callbacks may come under the same name
     */
    public CallbackCredentials(Credential mount) {
        sys = mount instanceof Credential.Sys of ? of : null;
    }

    public List<CallbackSecurity> announced() {
        if (sys == null) {
            return List.of(CallbackSecurity.NONE);
        }
        CallbackSecurity.SysParameters parameters =
                new CallbackSecurity.SysParameters(sys.stamp(), sys.machineName(), sys.uid(), sys.gid(), sys.groups());
        return List.of(CallbackSecurity.NONE, new CallbackSecurity(Credential.Sys.FLAVOR, parameters));
    }

    boolean accepts(Credential credential) {
        if (credential instanceof Credential.Sys caller) {
            // the machine name is not compared: a server uses its own
            return sys != null && caller.uid() == sys.uid() && caller.gid() == sys.gid();
        }
        return credential instanceof Credential.None;
    }
}
