package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.memory.RegionInvalidException;
import io.verbena.verbs.iwarp.internal.tcp.ConnectionTap;
import io.verbena.verbs.iwarp.internal.wire.DdpHeader;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import io.verbena.verbs.iwarp.internal.wire.TerminateHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Builds FPDUs (RFC 5044 section 4) into a batch and writes the batch. Headers, trailers and small payloads are put one
 * after the other into a staging buffer, which is longer while much is sent at once; a large payload is written from
 * its region. Only the thread that owns the send side calls this.
 */
public final class FpduWriter {
    /** Payloads up to this length are copied: a copy costs less than two more buffers in a gather write. */
    static final int COPY_LIMIT = 4096;

    public static final int STAGING = 128 << 10;

    /** The octets of the staging buffer while little is sent. Any FPDU with a payload that is copied fits in. */
    static final int SHORT_STAGING = 8 << 10;

    private static final int MAX_BULK_FPDUS = 4;
    private static final int MAX_VECTORS = 2 * Region.SEND_VIEWS + 1;
    private static final int MAX_SEGMENTS = 8;
    /** Length, untagged header, the longest header of RDMAP's own, padding and CRC. */
    private static final int OVERHEAD =
            Iwarp.MPA_LENGTH_SIZE + DdpHeader.UNTAGGED_LENGTH + TerminateHeader.MAX_LENGTH + 3 + Iwarp.MPA_CRC_SIZE;

    private final Staging memory;
    private final ByteBuffer[] stagingViews = new ByteBuffer[MAX_VECTORS];
    private final ByteBuffer[] vectors = new ByteBuffer[MAX_VECTORS];
    private final Region[] guarded = new Region[Region.SEND_VIEWS];
    private final CRC32C crc = new CRC32C();
    private final boolean useCrc;
    private final ConnectionTap tap;
    private final int maxTaggedPayload;
    private final int maxUntaggedPayload;

    // views of the present staging buffer
    private ByteBuffer staging;
    private ByteBuffer crcView;
    private ByteBuffer crcValue;

    /** The last batch was full of what was copied into it. */
    private boolean wasFull;

    private int runStart;
    private int end;
    private int vectorCount;
    private int bulkViews;
    private int bulkFpdus;
    private int guardedCount;
    private int firstVector;
    private long written;

    /**
     * @param memory direct, of {@link #SHORT_STAGING} or {@link #STAGING} octets
     * @param maxSegment the effective maximum segment size: no FPDU is longer
     */
    public FpduWriter(Staging memory, int maxSegment, boolean useCrc, ConnectionTap tap) {
        this.memory = memory;
        this.useCrc = useCrc;
        this.tap = tap;
        use(memory.buffer());
        maxTaggedPayload = maxPayload(maxSegment, DdpHeader.TAGGED_LENGTH);
        maxUntaggedPayload = maxPayload(maxSegment, DdpHeader.UNTAGGED_LENGTH);
    }

    private void use(ByteBuffer buffer) {
        staging = buffer.clear().order(ByteOrder.BIG_ENDIAN);
        crcView = staging.duplicate();
        crcValue = staging.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < MAX_VECTORS; i++) {
            stagingViews[i] = staging.duplicate();
        }
    }

    /** Has a long staging buffer take the place of the short one, where there is memory for it. The batch is empty. */
    private void grow() {
        if (memory.grow()) {
            use(memory.buffer());
        }
    }

    /** Whether the long staging buffer is in use. */
    boolean isGrown() {
        return memory.isGrown();
    }

    /** Gives the long staging buffer back, unless octets are in it. */
    void trim() {
        if (memory.isGrown() && isEmpty()) {
            memory.shrink();
            use(memory.buffer());
        }
    }

    private static int maxPayload(int maxSegment, int headerLength) {
        int fpdu = Math.min(maxSegment, Iwarp.MPA_MAX_ULPDU + Iwarp.MPA_LENGTH_SIZE + Iwarp.MPA_CRC_SIZE);
        return (fpdu - Iwarp.MPA_LENGTH_SIZE - headerLength - Iwarp.MPA_CRC_SIZE) & ~3;
    }

    public int maxTaggedPayload() {
        return maxTaggedPayload;
    }

    public int maxUntaggedPayload() {
        return maxUntaggedPayload;
    }

    boolean isEmpty() {
        return end == 0;
    }

    /** How much of a payload one FPDU takes: all of it, unless it is to be copied and the staging buffer is short. */
    int fitting(Region region, long offset, int payload) {
        int most = staging.capacity() - OVERHEAD;
        if (payload <= most || !isCopied(region, offset, payload)) {
            return payload;
        }
        if (isEmpty()) {
            grow();
        }
        return Math.min(payload, (staging.capacity() - OVERHEAD) & ~3);
    }

    /** Whether an FPDU with that payload fits into the batch; an empty batch has room for any that is fitting. */
    boolean hasRoom(Region region, long offset, int payload) {
        if (bulkFpdus == MAX_BULK_FPDUS) {
            return false;
        }
        if (isCopied(region, offset, payload)) {
            wasFull = end + OVERHEAD + payload > staging.capacity();
            return !wasFull;
        }
        int segments = region.segmentsOf(offset, payload);
        return end + OVERHEAD <= staging.capacity()
                && bulkViews + segments <= Region.SEND_VIEWS
                && vectorCount + 2 * segments + 1 <= MAX_VECTORS;
    }

    private static boolean isCopied(Region region, long offset, int payload) {
        return payload <= COPY_LIMIT || region.segmentsOf(offset, payload) > MAX_SEGMENTS;
    }

    /** The buffer that headers are written into; see {@link #header}. */
    ByteBuffer staging() {
        return staging;
    }

    /** Where the next FPDU's DDP header goes in {@link #staging}. */
    int header() {
        return end + Iwarp.MPA_LENGTH_SIZE;
    }

    /**
     * Completes an FPDU whose headers were put at {@link #header}.
     *
     * @param headerLength the octets put there
     * @param guard whether the peer reads the payload, which is then sent only while its region is valid
     * @return false where the region is not valid; nothing was added
     */
    boolean append(int headerLength, Region region, long offset, int payload, boolean guard) {
        boolean guarding = guard && payload != 0;
        if (guarding && !region.enter()) {
            return false;
        }
        try {
            assemble(headerLength, region, offset, payload, guard);
        } finally {
            if (guarding) {
                region.leave(); // else a thread that invalidates the region would wait forever
            }
        }
        return true;
    }

    private void assemble(int headerLength, Region region, long offset, int payload, boolean guard) {
        int start = end;
        int ulpdu = headerLength + payload;
        staging.putShort(start, (short) ulpdu);
        int at = start + Iwarp.MPA_LENGTH_SIZE + headerLength;
        int firstView = vectorCount;
        crc.reset();
        if (payload == 0) {
            end = at;
            trailer(ulpdu, start);
        } else if (isCopied(region, offset, payload)) {
            region.copyOut(offset, staging, at, payload);
            end = at + payload;
            trailer(ulpdu, start);
        } else {
            checksum(start, at);
            end = at;
            closeRun();
            firstView = vectorCount;
            appendBulk(region, offset, payload, guard);
            trailer(ulpdu, end);
        }
        if (tap.isObserved()) {
            observe(start, at, firstView);
        }
    }

    /** Tells observers of the FPDU that was just completed. Its payload may be outside of the staging buffer. */
    private void observe(int start, int payloadStart, int firstView) {
        if (firstView == vectorCount) {
            tap.sent(List.of(staging.slice(start, end - start)));
            return;
        }
        List<ByteBuffer> pieces = new ArrayList<>();
        pieces.add(staging.slice(start, payloadStart - start));
        pieces.addAll(Arrays.asList(vectors).subList(firstView, vectorCount));
        pieces.add(staging.slice(payloadStart, end - payloadStart));
        tap.sent(pieces);
    }

    private void appendBulk(Region region, long offset, int payload, boolean guard) {
        int done = 0;
        while (done < payload) {
            ByteBuffer view = region.sendView(offset + done, payload - done, bulkViews++);
            int n = view.remaining();
            if (useCrc) {
                int position = view.position();
                crc.update(view);
                view.position(position);
            }
            vectors[vectorCount++] = view;
            done += n;
        }
        bulkFpdus++;
        if (guard && (guardedCount == 0 || guarded[guardedCount - 1] != region)) {
            guarded[guardedCount++] = region;
        }
    }

    /** Adds padding and CRC. The octets that the CRC covers and does not include yet start at {@code from}. */
    private void trailer(int ulpdu, int from) {
        for (int i = Iwarp.padding(ulpdu); i > 0; i--) {
            staging.put(end++, (byte) 0);
        }
        checksum(from, end);
        crcValue.putInt(end, useCrc ? (int) crc.getValue() : 0);
        end += Iwarp.MPA_CRC_SIZE;
    }

    private void checksum(int from, int to) {
        if (useCrc && from != to) {
            crc.update(crcView.limit(to).position(from));
        }
    }

    private void closeRun() {
        if (end > runStart) {
            vectors[vectorCount] = stagingViews[vectorCount].limit(end).position(runStart);
            vectorCount++;
            runStart = end;
        }
    }

    /**
     * Writes the rest of the batch.
     *
     * @return whether all octets were written; the batch is then empty
     * @throws RegionInvalidException where memory that the peer is reading was invalidated meanwhile
     */
    boolean write(GatheringByteChannel channel) throws IOException {
        closeRun();
        int entered = 0;
        try {
            while (entered < guardedCount) {
                if (!guarded[entered].enter()) {
                    throw new RegionInvalidException();
                }
                entered++;
            }
            if (!writeVectors(channel)) {
                return false;
            }
        } finally {
            for (int i = 0; i < entered; i++) {
                guarded[i].leave();
            }
        }
        clear();
        return true;
    }

    private boolean writeVectors(GatheringByteChannel channel) throws IOException {
        if (firstVector == vectorCount - 1) {
            written += channel.write(vectors[firstVector]);
        } else {
            written += channel.write(vectors, firstVector, vectorCount - firstVector);
        }
        while (firstVector < vectorCount && !vectors[firstVector].hasRemaining()) {
            firstVector++;
        }
        return firstVector == vectorCount;
    }

    /** The octets that the channel has taken since the start. */
    long written() {
        return written;
    }

    private void clear() {
        for (int i = 0; i < guardedCount; i++) {
            guarded[i] = null;
        }
        for (int i = 0; i < vectorCount; i++) {
            vectors[i] = null;
        }
        runStart = 0;
        end = 0;
        vectorCount = 0;
        firstVector = 0;
        bulkViews = 0;
        bulkFpdus = 0;
        guardedCount = 0;
        if (wasFull) {
            wasFull = false;
            grow();
        }
    }
}
