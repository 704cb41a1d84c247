package io.verbena.rpcrdma;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An optional operation of RPC-over-RDMA Version Two (draft-cel-nfsv4-rpcrdma-version-two-01 section 3.1); a service.
 * It is one exchange: the end that connected asks once the version is known, and the other end answers. A peer that
 * does not know the operation answers with {@link HeaderError#INVALID_OPTION}, and nothing changes.
 *
 * <p>An operation keeps no state of connections. The connections' receive threads call it; it must not block.
 */
@ConsumerType
public interface OptionalOperation {
    /** The most octets of {@code rdma_optinfo} in a message: with the header they fit in the shortest receive. */
    int MAX_INFO = 512;

    /** {@code rdma_opttype}: the unsigned 32-bit number of this operation. */
    int type();

    /**
     * Asks the peer. The transport calls this on the connecting end after the first reply in a version with optional
     * operations.
     *
     * @return {@code rdma_optinfo} of the question, at most {@link #MAX_INFO} octets; empty where there is nothing to
     *     ask
     */
    Optional<ByteBuffer> ask(OptionalConnection connection);

    /**
     * Answers the peer's question.
     *
     * @param info {@code rdma_optinfo}, good until this returns
     * @return {@code rdma_optinfo} of the answer, at most {@link #MAX_INFO} octets; it is sent after this method
     *     returns
     * @throws HeaderException where the question is malformed; the exception's error is sent to the peer
     */
    ByteBuffer answer(OptionalConnection connection, ByteBuffer info) throws HeaderException;

    /**
     * Processes the peer's answer.
     *
     * @param info {@code rdma_optinfo}, good until this returns
     * @throws HeaderException where the answer is malformed; it is dropped
     */
    void answered(OptionalConnection connection, ByteBuffer info) throws HeaderException;
}
