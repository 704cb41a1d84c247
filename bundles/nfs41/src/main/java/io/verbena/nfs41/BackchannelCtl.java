package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.List;

/** BACKCHANNEL_CTL: changes how callbacks of the session are called (RFC 8881 section 18.33). */
public final class BackchannelCtl {
    private BackchannelCtl() {}

    /**
     * The arguments.
     *
     * @param callbackProgram the RPC program of callbacks, unsigned
     * @param callbackSecurity how callbacks may be authenticated
     */
    public record Args(int callbackProgram, List<CallbackSecurity> callbackSecurity) {
        public Args {
            callbackSecurity = List.copyOf(callbackSecurity);
        }
    }

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.BACKCHANNEL_CTL).putInt(args.callbackProgram);
        CallbackSecurity.encodeList(out, args.callbackSecurity);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getInt(), CallbackSecurity.decodeList(in));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.BACKCHANNEL_CTL);
    }
}
