package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4ERR_NOTSUPP;
import static io.verbena.nfs41.Status.NFS4ERR_NOT_ONLY_OP;
import static io.verbena.nfs41.Status.NFS4ERR_OP_ILLEGAL;
import static io.verbena.nfs41.Status.NFS4ERR_OP_NOT_IN_SESSION;
import static io.verbena.nfs41.Status.NFS4ERR_SEQUENCE_POS;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.server.internal.util.NfsError;

/** The operations by number, and their allowed positions in a COMPOUND (RFC 8881 section 2.10.2). */
public final class OperationTable {
    private final Operation[] operations = new Operation[Opcode.RECLAIM_COMPLETE + 1];
    private final boolean[] changing = new boolean[operations.length];

    OperationTable add(int opcode, Operation operation) {
        operations[opcode] = operation;
        return this;
    }

    /** Adds an operation that must not be executed if its result would not fit into the reply. */
    OperationTable addChanging(int opcode, Operation operation) {
        changing[opcode] = true;
        return add(opcode, operation);
    }

    boolean isChanging(int opcode) {
        return Opcode.isDefined(opcode) && changing[opcode];
    }

    /**
     * The operation of a number.
     *
     * @throws NfsError {@code OP_ILLEGAL} for a number that NFSv4.1 does not define, {@code NOTSUPP} for an optional or
     *     obsolete operation that this server does not have
     */
    Operation get(int opcode) throws NfsError {
        if (!Opcode.isDefined(opcode)) {
            throw new NfsError(NFS4ERR_OP_ILLEGAL);
        }
        Operation operation = operations[opcode];
        if (operation == null) {
            throw new NfsError(NFS4ERR_NOTSUPP);
        }
        return operation;
    }

    /** Refuses an operation at a position where it is not allowed. */
    void checkPosition(int opcode, int index, int count, boolean inSession) throws NfsError {
        if (!Opcode.isDefined(opcode)) {
            throw new NfsError(NFS4ERR_OP_ILLEGAL);
        }
        if (opcode == Opcode.SEQUENCE) {
            if (index > 0) {
                throw new NfsError(NFS4ERR_SEQUENCE_POS);
            }
            return;
        }
        if (opcode == Opcode.BIND_CONN_TO_SESSION && (index > 0 || count > 1)) {
            throw new NfsError(NFS4ERR_NOT_ONLY_OP);
        }
        if (inSession) {
            return;
        }
        if (!mayStandAlone(opcode)) {
            throw new NfsError(NFS4ERR_OP_NOT_IN_SESSION);
        }
        if (count > 1) {
            throw new NfsError(NFS4ERR_NOT_ONLY_OP);
        }
    }

    private static boolean mayStandAlone(int opcode) {
        return switch (opcode) {
            case Opcode.EXCHANGE_ID,
                    Opcode.CREATE_SESSION,
                    Opcode.BIND_CONN_TO_SESSION,
                    Opcode.DESTROY_SESSION,
                    Opcode.DESTROY_CLIENTID -> true;
            default -> false;
        };
    }
}
