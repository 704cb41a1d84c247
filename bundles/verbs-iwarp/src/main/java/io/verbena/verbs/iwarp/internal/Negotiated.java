package io.verbena.verbs.iwarp.internal;

/**
 * What an MPA handshake has brought.
 *
 * @param inboundReads the most reads of the peer's at once (our IRD)
 * @param outboundReads the most reads of ours at once (our ORD)
 * @param ready how the initiator shows that it is ready
 * @param privateData the peer's
 */
@SuppressWarnings("ArrayRecordComponent") // the results are never compared
record Negotiated(
        int revision, boolean crc, int inboundReads, int outboundReads, ReadyMode ready, byte[] privateData) {}
