package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** {@code open_claim4}: what file OPEN opens and by what right (RFC 8881 section 18.16.1). */
public sealed interface OpenClaim {
    /**
     * {@code CLAIM_NULL}: a name in the current directory.
     *
     * @param file the name
     */
    record Null(String file) implements OpenClaim {}

    /**
     * {@code CLAIM_PREVIOUS}: the current object, which was open before the server restarted.
     *
     * @param delegationType {@code open_delegation_type4} of the delegation held then: {@link OpenDelegation#NONE}
     *     where there was none
     */
    record Previous(int delegationType) implements OpenClaim {}

    /**
     * {@code CLAIM_DELEGATE_CUR}: a name in the current directory, by a delegation.
     *
     * @param delegation the delegation
     * @param file the name
     */
    record DelegateCurrent(StateId delegation, String file) implements OpenClaim {}

    /**
     * {@code CLAIM_DELEGATE_PREV}: a name in the current directory, by a delegation from before the client restarted.
     *
     * @param file the name
     */
    record DelegatePrevious(String file) implements OpenClaim {}

    /** {@code CLAIM_FH}: the current object. */
    record ByHandle() implements OpenClaim {}

    /**
     * {@code CLAIM_DELEG_CUR_FH}: the current object, by a delegation.
     *
     * @param delegation the delegation
     */
    record DelegateCurrentByHandle(StateId delegation) implements OpenClaim {}

    /** {@code CLAIM_DELEG_PREV_FH}: the current object, by a delegation from before the client restarted. */
    record DelegatePreviousByHandle() implements OpenClaim {}

    default void encode(XdrWriter out) {
        if (this instanceof Null claim) {
            out.putInt(0).putText(claim.file);
        } else if (this instanceof Previous claim) {
            out.putInt(1).putInt(claim.delegationType);
        } else if (this instanceof DelegateCurrent claim) {
            claim.delegation.encode(out.putInt(2));
            out.putText(claim.file);
        } else if (this instanceof DelegatePrevious claim) {
            out.putInt(3).putText(claim.file);
        } else if (this instanceof ByHandle) {
            out.putInt(4);
        } else if (this instanceof DelegateCurrentByHandle claim) {
            claim.delegation.encode(out.putInt(5));
        } else if (this instanceof DelegatePreviousByHandle) {
            out.putInt(6);
        }
    }

    static OpenClaim decode(XdrReader in) throws XdrException {
        return switch (Codec.enumeration(in, 6, "open_claim_type4")) {
            case 0 -> new Null(in.getText(Codec.MAX_NAME));
            case 1 -> new Previous(Codec.enumeration(in, 3, "open_delegation_type4"));
            case 2 -> new DelegateCurrent(StateId.decode(in), in.getText(Codec.MAX_NAME));
            case 3 -> new DelegatePrevious(in.getText(Codec.MAX_NAME));
            case 4 -> new ByHandle();
            case 5 -> new DelegateCurrentByHandle(StateId.decode(in));
            default -> new DelegatePreviousByHandle();
        };
    }
}
