package io.verbena.nfs41.client.internal.security;

import io.verbena.nfs41.client.internal.util.ServiceSource;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.runtime.Runtime;

/** The services that make the security contexts of a mount. */
public final class SecuritySource extends ServiceSource<RpcSecurity> {
    /** @param present null where there is none yet */
    public SecuritySource(RpcSecurity present, Runtime runtime) {
        super(
                "service for RPCSEC_GSS",
                "install feature verbena-rpcsec-gss, or start bundle io.verbena.rpcsec.gss",
                present,
                runtime);
    }
}
