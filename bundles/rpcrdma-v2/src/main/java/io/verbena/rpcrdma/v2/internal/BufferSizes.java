package io.verbena.rpcrdma.v2.internal;

import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.OptionalConnection;
import io.verbena.rpcrdma.OptionalOperation;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.osgi.service.component.annotations.Component;

/**
 * The optional operation RDMA2_OPT_BUFFER_SIZES, which Verbena defines. Both ends tell the longest messages that they
 * send and receive, so that the inline thresholds can exceed Version Two's 4096 octets without private data
 * (docs/optional-operations.md).
 *
 * <pre>
 * offset  rdma_optinfo, in the question and in the answer
 * 0       rdma_send_size     octets, at least 4096
 * 4       rdma_receive_size  octets, at least 4096
 * </pre>
 */
@Component
public final class BufferSizes implements OptionalOperation {
    /** {@code RDMA2_OPT_BUFFER_SIZES}: "VB" and a running number. */
    static final int TYPE = 0x56420001;

    private static final String SECTION = "docs/optional-operations.md RDMA2_OPT_BUFFER_SIZES";
    private static final int SEND_SIZE_OFFSET = 0;
    private static final int RECEIVE_SIZE_OFFSET = 4;
    private static final int LENGTH = 8;

    @Override
    public int type() {
        return TYPE;
    }

    @Override
    public Optional<ByteBuffer> ask(OptionalConnection connection) {
        ConnectionSettings present = connection.settings();
        boolean useful = connection.sendSize() > present.sendThreshold()
                || connection.receiveSize() > present.receiveThreshold();
        return useful ? Optional.of(encode(connection)) : Optional.empty();
    }

    @Override
    public ByteBuffer answer(OptionalConnection connection, ByteBuffer info) throws HeaderException {
        answered(connection, info);
        return encode(connection);
    }

    @Override
    public void answered(OptionalConnection connection, ByteBuffer info) throws HeaderException {
        if (info.remaining() != LENGTH) {
            throw malformed("rdma_optinfo of " + info.remaining() + " octets, not " + LENGTH);
        }
        int at = info.position();
        connection.grow(
                size("send", info.getInt(at + SEND_SIZE_OFFSET)),
                size("receive", info.getInt(at + RECEIVE_SIZE_OFFSET)));
    }

    private static ByteBuffer encode(OptionalConnection connection) {
        return ByteBuffer.allocate(LENGTH)
                .putInt(SEND_SIZE_OFFSET, connection.sendSize())
                .putInt(RECEIVE_SIZE_OFFSET, connection.receiveSize());
    }

    private static int size(String which, int value) throws HeaderException {
        if (Integer.compareUnsigned(value, VersionTwoNumbers.INLINE_THRESHOLD) < 0) {
            throw malformed("a " + which + " size of " + Integer.toUnsignedString(value) + " octets, below "
                    + VersionTwoNumbers.INLINE_THRESHOLD);
        }
        return value < 0 ? Integer.MAX_VALUE : value;
    }

    private static HeaderException malformed(String what) {
        return new HeaderException(HeaderError.BAD_HEADER, what, VersionTwoFraming.OPTIONAL_INFO_OFFSET, SECTION);
    }
}
