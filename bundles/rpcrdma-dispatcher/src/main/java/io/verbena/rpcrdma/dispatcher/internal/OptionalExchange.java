package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.OptionalOperation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The optional operations of one connection (draft-cel-nfsv4-rpcrdma-version-two-01 section 3.1): what is still to be
 * asked, and what is answered. An operation that fails does no harm to the connection. Receive thread.
 */
final class OptionalExchange {
    private static final Logger LOG = LoggerFactory.getLogger(OptionalExchange.class);

    private final Connection connection;
    private final List<OptionalOperation> due = new ArrayList<>();

    /** {@code rdma_optinfo} to ask with. */
    record Question(int type, ByteBuffer info) {}

    OptionalExchange(Connection connection) {
        this.connection = connection;
    }

    /** The version is settled: what operations there are have their turn, as soon as there are credits to spare. */
    void begin() {
        due.addAll(connection.environment().services().optional());
    }

    boolean isDue() {
        return !due.isEmpty();
    }

    /** What the next operation asks, which then had its turn; null where it asks nothing. */
    Question next() {
        OptionalOperation operation = due.remove(due.size() - 1);
        try {
            ByteBuffer info = operation.ask(connection).orElse(null);
            return info == null ? null : new Question(operation.type(), checked(info));
        } catch (RuntimeException e) {
            failed(operation.type(), e);
            return null;
        }
    }

    /** The peer has answered a question. */
    void answered(int type, ByteBuffer info) throws HeaderException {
        OptionalOperation operation = connection.environment().services().optional(type);
        if (operation == null) {
            return; // it has gone meanwhile
        }
        try {
            operation.answered(connection, info);
        } catch (RuntimeException e) {
            failed(type, e);
        }
    }

    /**
     * The answer to a question of the peer's.
     *
     * @throws HeaderException with what the peer is told where there is none
     */
    ByteBuffer answer(int type, ByteBuffer info) throws HeaderException {
        OptionalOperation operation = connection.environment().services().optional(type);
        if (operation == null) {
            throw refused(HeaderError.INVALID_OPTION, "an rdma_opttype that is not known");
        }
        try {
            return checked(operation.answer(connection, info));
        } catch (HeaderException e) {
            throw e.error() == HeaderError.NONE ? refused(HeaderError.BAD_HEADER, e.getMessage()) : e;
        } catch (RuntimeException e) {
            failed(type, e);
            throw refused(HeaderError.INVALID_OPTION, "an optional operation that failed");
        }
    }

    private static HeaderException refused(HeaderError error, String why) {
        return new HeaderException(error, why, 0, "draft-cel-nfsv4-rpcrdma-version-two-01 3.1");
    }

    private static ByteBuffer checked(ByteBuffer info) {
        if (info.remaining() > OptionalOperation.MAX_INFO) {
            throw new IllegalArgumentException("rdma_optinfo of " + info.remaining() + " octets; at most "
                    + OptionalOperation.MAX_INFO + " are sent");
        }
        return info;
    }

    private void failed(int type, RuntimeException e) {
        LOG.warn("connection {}: optional operation {} failed", connection.id(), Integer.toUnsignedString(type), e);
    }
}
