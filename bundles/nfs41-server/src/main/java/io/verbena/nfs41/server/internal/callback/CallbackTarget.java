package io.verbena.nfs41.server.internal.callback;

import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcCall;
import java.util.List;

/**
 * The RPC program and the credential of callbacks (RFC 8881 section 18.36.3).
 *
 * @param program the client's RPC program, unsigned
 * @param credential null if the server can write none of those that the client accepts
 */
public record CallbackTarget(int program, Credential credential) {
    /** Takes the first credential of the client's list that is not RPCSEC_GSS. */
    public static CallbackTarget of(int program, List<CallbackSecurity> security) {
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
