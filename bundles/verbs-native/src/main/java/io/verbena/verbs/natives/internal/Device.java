package io.verbena.verbs.natives.internal;

/**
 * A device, with what is decided by it.
 *
 * @param context its {@code ibv_context}
 * @param registration how memory is opened to peers
 * @param reason why so, for people to read
 */
record Device(long context, String name, DeviceAttributes attributes, Registration registration, String reason) {
    /** Binds under way at once, beside what the user posts. */
    private static final int BINDS = 64;

    /** What librdmacm's parameters hold. */
    private static final int MAX_READS = 255;

    boolean iwarp() {
        return attributes.iwarp();
    }

    /**
     * Whether Send with Invalidate works both ways: only windows can be invalidated so, and of the drivers of iWARP
     * devices some do not tell which tag a message has invalidated.
     */
    boolean remoteInvalidation() {
        return registration == Registration.WINDOW;
    }

    /** Whether a region's address for peers may differ from its own. */
    boolean choosesAddresses() {
        return !iwarp();
    }

    /** Work requests of the provider's own that the send queue holds beside the user's. */
    int ownRequests() {
        return registration == Registration.WINDOW ? BINDS : 0;
    }

    /** The RDMA Reads of the peer's that can be answered at once, of those that are offered. */
    int inboundReads(int wanted) {
        return Math.min(wanted, Math.min(MAX_READS, attributes.maxQpRdAtom()));
    }

    /** The RDMA Reads in flight at once, of those that are asked for. */
    int outboundReads(int wanted) {
        return Math.min(wanted, Math.min(MAX_READS, attributes.maxQpInitRdAtom()));
    }
}
