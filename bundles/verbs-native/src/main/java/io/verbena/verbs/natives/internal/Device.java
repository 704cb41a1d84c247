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

    private static final int VENDOR_RXE = 0xffffff;
    private static final int VENDOR_SIW = 0x626d74;

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

    /**
     * The flags of a completion whose message has invalidated a tag, any of them. The soft RoCE driver rxe hands user
     * space the kernel's own number of it, which in user space is that of a checksum's result; it tells of no checksums.
     */
    int invalidationFlags() {
        return attributes.vendorId() == VENDOR_RXE
                ? Layout.IBV_WC_IP_CSUM_OK | Layout.IBV_WC_WITH_INV
                : Layout.IBV_WC_WITH_INV;
    }

    /**
     * Whether the event that tells an initiator of its connection has the read limits of the two directions in each
     * other's places, as the driver siw has them.
     */
    boolean swapsReadLimits() {
        return attributes.vendorId() == VENDOR_SIW;
    }

    /**
     * Whether the device's library takes one of the offsets at which it maps queues for the sign that there is none; see
     * {@link ReservedOffset}.
     */
    boolean mistakesOffset() {
        return attributes.vendorId() == VENDOR_SIW;
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
