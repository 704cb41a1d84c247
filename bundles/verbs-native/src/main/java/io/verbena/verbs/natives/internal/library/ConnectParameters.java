package io.verbena.verbs.natives.internal.library;

import java.nio.ByteBuffer;

/**
 * {@code rdma_conn_param}.
 *
 * @param responderResources the most RDMA Reads of the peer that this end answers at once (IRD)
 * @param initiatorDepth the most RDMA Reads of this end in flight at once (ORD)
 * @param retryCount how often a message that is not acknowledged is repeated, 0 to 7
 * @param rnrRetryCount how often a message that finds no posted receive is repeated, 0 to 7; 7 is without end
 */
public record ConnectParameters(
        ByteBuffer privateData, int responderResources, int initiatorDepth, int retryCount, int rnrRetryCount) {}
