package io.verbena.rpcrdma;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An optional operation of RPC-over-RDMA Version Two (draft-cel-nfsv4-rpcrdma-version-two-01 section 3.1); a service.
 * It is one exchange: the end that made the connection asks, once the version is settled, and the other end answers.
 * A peer that does not know the operation answers with {@link HeaderError#INVALID_OPTION}, and all stays as it was.
 *
 * <p>Without state of a connection's; called on connections' receive threads, must not block.
 */
@ConsumerType
public interface OptionalOperation {
    /** The most octets of {@code rdma_optinfo} that are sent: with its header they go into the shortest receive. */
    int MAX_INFO = 512;

    /** {@code rdma_opttype}: an unsigned number of 32 bits, of this operation alone. */
    int type();

    /**
     * The peer of a connection that this end made has answered a first call in a version with optional operations.
     *
     * @return {@code rdma_optinfo} to ask with, at most {@link #MAX_INFO} octets; empty where there is nothing to ask
     */
    Optional<ByteBuffer> ask(OptionalConnection connection);

    /**
     * The peer asks.
     *
     * @param info {@code rdma_optinfo}, good until this returns
     * @return {@code rdma_optinfo} of the answer, at most {@link #MAX_INFO} octets; it is sent when this has returned
     * @throws HeaderException where it is malformed; its error is what the peer is told
     */
    ByteBuffer answer(OptionalConnection connection, ByteBuffer info) throws HeaderException;

    /**
     * The peer has answered.
     *
     * @param info {@code rdma_optinfo}, good until this returns
     * @throws HeaderException where it is malformed: the answer is dropped
     */
    void answered(OptionalConnection connection, ByteBuffer info) throws HeaderException;
}
