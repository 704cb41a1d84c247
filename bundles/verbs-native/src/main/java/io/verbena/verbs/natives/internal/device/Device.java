package io.verbena.verbs.natives.internal.device;

import io.verbena.verbs.natives.internal.library.DeviceAttributes;
import io.verbena.verbs.natives.internal.struct.NativeConstants;

/**
 * A device, and what follows from its attributes.
 *
 * @param context the address of its {@code ibv_context}
 * @param registration how memory is opened to peers
 * @param reason why memory is opened in that way, for people to read
 */
public record Device(
        long context, String name, DeviceAttributes attributes, RegistrationMethod registration, String reason) {
    /** The most binds under way at once, beside the requests of the user. */
    private static final int BINDS = 64;

    private static final int VENDOR_RXE = 0xffffff;
    private static final int VENDOR_SIW = 0x626d74;

    /** The most that the parameters of librdmacm can hold. */
    private static final int MAX_READS = 255;

    public boolean iwarp() {
        return attributes.iwarp();
    }

    /**
     * Whether Send with Invalidate works in both directions. Only windows can be invalidated in that way, and some
     * drivers of iWARP devices do not report which tag a message has invalidated.
     */
    public boolean remoteInvalidation() {
        return registration == RegistrationMethod.WINDOW;
    }

    /**
     * The flags of which a completion has one if its message has invalidated a tag. The soft RoCE driver rxe gives user
     * space the kernel's number of the flag, which in user space stands for a checksum result; rxe reports no
     * checksums.
     */
    public int invalidationFlags() {
        return attributes.vendorId() == VENDOR_RXE
                ? NativeConstants.IBV_WC_IP_CSUM_OK | NativeConstants.IBV_WC_WITH_INV
                : NativeConstants.IBV_WC_WITH_INV;
    }

    /**
     * Whether the event that reports an initiator's connection has the read limits of the two directions exchanged, as
     * that of the driver siw has.
     */
    public boolean swapsReadLimits() {
        return attributes.vendorId() == VENDOR_SIW;
    }

    /**
     * Whether the library of the device takes one of the offsets at which it maps queues for a sign that there is no
     * mapping; see {@link ReservedOffset}.
     */
    boolean misreadsMmapOffset() {
        return attributes.vendorId() == VENDOR_SIW;
    }

    /** Whether the address of a region for peers may differ from its address in this process. */
    public boolean choosesAddresses() {
        return !iwarp();
    }

    /** The work requests of the provider that the send queue holds beside those of the user. */
    public int ownRequests() {
        return registration == RegistrationMethod.WINDOW ? BINDS : 0;
    }

    /** The RDMA Reads of the peer that the device answers at once, at most those that are wanted. */
    public int inboundReads(int wanted) {
        return Math.min(wanted, Math.min(MAX_READS, attributes.maxQpRdAtom()));
    }

    /** The RDMA Reads of this end that the device has in flight at once, at most those that are wanted. */
    public int outboundReads(int wanted) {
        return Math.min(wanted, Math.min(MAX_READS, attributes.maxQpInitRdAtom()));
    }
}
