package io.verbena.rpcrdma.dispatcher.internal.base;

/** What a connection counts. */
public enum Counter {
    CALLS("calls"),
    REPLIES("replies"),
    CHUNKED_CALLS("chunkedCalls"),
    REVERSE_CALLS("reverseCalls"),
    REVERSE_REPLIES("reverseReplies"),
    RETRANSMISSIONS("retransmissions"),
    RECONNECTS("reconnects"),
    SWAPS("swaps"),
    REPLAYED("replayed"),
    TIMEOUTS("timeouts"),
    LATE_REPLIES("lateReplies"),
    HEADER_ERRORS("headerErrors"),
    DROPPED("dropped"),
    INLINE_SENT_BYTES("inlineSentBytes"),
    INLINE_RECEIVED_BYTES("inlineReceivedBytes"),
    READ_CHUNK_BYTES("readChunkBytes"),
    WRITE_CHUNK_BYTES("writeChunkBytes"),
    REPLY_CHUNK_BYTES("replyChunkBytes"),
    REGISTRATIONS_MADE("registrationsMade"),
    RDMA_WRITE_BYTES("rdmaWriteBytes"),
    RDMA_READ_BYTES("rdmaReadBytes"),
    POSTPONED("postponed");

    private final String label;

    Counter(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
