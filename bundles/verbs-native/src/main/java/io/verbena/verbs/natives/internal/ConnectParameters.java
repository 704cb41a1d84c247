package io.verbena.verbs.natives.internal;

import java.nio.ByteBuffer;

/**
 * {@code rdma_conn_param}.
 *
 * @param responderResources the RDMA Reads of the peer's that this end answers at once (IRD)
 * @param initiatorDepth the RDMA Reads of this end's in flight at once (ORD)
 * @param retryCount of a message that is not acknowledged, 0 to 7
 * @param rnrRetryCount of a message that finds no receive posted, 0 to 7, where 7 is without end
 */
record ConnectParameters(
        ByteBuffer privateData, int responderResources, int initiatorDepth, int retryCount, int rnrRetryCount) {}
