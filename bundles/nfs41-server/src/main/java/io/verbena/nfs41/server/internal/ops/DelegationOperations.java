package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4_OK;

import io.verbena.nfs41.DelegReturn;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.state.Delegations;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;

/** DELEGRETURN (RFC 8881 section 18.6). OPEN grants the delegations. */
final class DelegationOperations {
    private final Delegations delegations;

    DelegationOperations(Delegations delegations) {
        this.delegations = delegations;
    }

    void addTo(OperationTable table) {
        table.addChanging(Opcode.DELEGRETURN, this::giveBack);
    }

    private Status giveBack(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        DelegReturn.Args args = DelegReturn.decodeArgs(in);
        delegations.giveBack(context.client(), context.resolve(args.stateId()), context.current());
        DelegReturn.encodeResult(out);
        return NFS4_OK;
    }
}
