package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.OptionalOperation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The optional operations of one connection (draft-cel-nfsv4-rpcrdma-version-two-01 section 3.1): the questions still
 * to be asked, and the answers. An operation that fails does not harm the connection. Receive thread.
 */
public final class OptionalExchange {
    private static final Logger LOG = LoggerFactory.getLogger(OptionalExchange.class);

    private final Connection connection;
    private final List<OptionalOperation> due = new ArrayList<>();

    /** {@code rdma_optinfo} to ask with. */
    public record Question(int type, ByteBuffer info) {}

    OptionalExchange(Connection connection) {
        this.connection = connection;
    }

    /** The version is settled: each operation asks once there is a spare credit. */
    public void begin() {
        due.addAll(connection.context().services().optional());
    }

    public boolean isDue() {
        return !due.isEmpty();
    }

    /** The question of the next operation, which has then had its turn; null where it has none. */
    public Question next() {
        OptionalOperation operation = due.remove(due.size() - 1);
        try {
            ByteBuffer info = operation.ask(connection).orElse(null);
            return info == null ? null : new Question(operation.type(), checked(info));
        } catch (Throwable e) {
            failed(operation.type(), e);
            return null;
        }
    }

    /** The peer has answered a question. */
    public void answered(int type, ByteBuffer info) throws HeaderException {
        OptionalOperation operation = connection.context().services().optional(type);
        if (operation == null) {
            return; // the operation was removed meanwhile
        }
        try {
            operation.answered(connection, info);
        } catch (Throwable e) {
            failed(type, e);
        }
    }

    /**
     * The answer to a question of the peer.
     *
     * @throws HeaderException with the error to send where there is no answer
     */
    public ByteBuffer answer(int type, ByteBuffer info) throws HeaderException {
        OptionalOperation operation = connection.context().services().optional(type);
        if (operation == null) {
            throw refused(HeaderError.INVALID_OPTION, "an rdma_opttype that is not known");
        }
        try {
            return checked(operation.answer(connection, info));
        } catch (HeaderException e) {
            throw e.error() == HeaderError.NONE ? refused(HeaderError.BAD_HEADER, e.getMessage()) : e;
        } catch (Throwable e) {
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

    private void failed(int type, Throwable e) {
        LOG.warn("connection {}: optional operation {} failed", connection.id(), Integer.toUnsignedString(type), e);
    }
}
