package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcCall;
import java.util.List;

/**
 * Whom callbacks are for, and who makes them (RFC 8881 section 18.36.3).
 *
 * @param program the client's RPC program, unsigned
 * @param credential null where none of those that the client takes can be written
 */
record CallbackTarget(int program, Credential credential) {
    /** By the first credential that the client takes, and that is not RPCSEC_GSS. */
    static CallbackTarget of(int program, List<CallbackSecurity> security) {
        for (CallbackSecurity each : security) {
            if (each.flavor() == SecurityFlavor.AUTH_NONE) {
                return new CallbackTarget(program, Credential.none());
            }
            if (each.flavor() == SecurityFlavor.AUTH_SYS) {
                CallbackSecurity.SysParameters sys = each.sys();
                return new CallbackTarget(
                        program,
                        new Credential.Sys(sys.stamp(), sys.machineName(), sys.uid(), sys.gid(), sys.groups()));
            }
        }
        return new CallbackTarget(program, null);
    }

    RpcCall call() {
        return new RpcCall(program, CbCompound.VERSION, CbCompound.PROC_COMPOUND, credential);
    }
}
