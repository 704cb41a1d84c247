package io.verbena.verbs.iwarp.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Builds FPDUs (RFC 5044 section 4) into a batch and writes it. Headers, trailers and small payloads stand one behind
 * the other in a buffer of its own; a large payload is written from where it lies. The owner of the send side calls it.
 */
final class FpduWriter {
    /** Payloads up to this are copied: that costs less than two more buffers in a gather write. */
    static final int COPY_LIMIT = 4096;

    static final int STAGING = 128 << 10;
    private static final int MAX_BULK_FPDUS = 4;
    private static final int MAX_VECTORS = 2 * Region.SEND_VIEWS + 1;
    private static final int MAX_SEGMENTS = 8;
    /** Length, untagged header, the longest header of RDMAP's own, padding and CRC. */
    private static final int OVERHEAD =
            Iwarp.MPA_LENGTH_SIZE + DdpHeader.UNTAGGED_LENGTH + TerminateHeader.MAX_LENGTH + 3 + Iwarp.MPA_CRC_SIZE;

    private final ByteBuffer staging;
    private final ByteBuffer crcView;
    private final ByteBuffer crcValue;
    private final ByteBuffer[] stagingViews = new ByteBuffer[MAX_VECTORS];
    private final ByteBuffer[] vectors = new ByteBuffer[MAX_VECTORS];
    private final Region[] guarded = new Region[Region.SEND_VIEWS];
    private final CRC32C crc = new CRC32C();
    private final boolean useCrc;
    private final Traffic traffic;
    private final int maxTaggedPayload;
    private final int maxUntaggedPayload;

    private int runStart;
    private int end;
    private int vectorCount;
    private int bulkViews;
    private int bulkFpdus;
    private int guardedCount;
    private int firstVector;

    /**
     * @param staging {@link #STAGING} octets, direct
     * @param maxSegment the effective maximum segment size: no FPDU is longer
     */
    FpduWriter(ByteBuffer staging, int maxSegment, boolean useCrc, Traffic traffic) {
        this.staging = staging.clear().order(ByteOrder.BIG_ENDIAN);
        this.useCrc = useCrc;
        this.traffic = traffic;
        crcView = staging.duplicate();
        crcValue = staging.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < MAX_VECTORS; i++) {
            stagingViews[i] = staging.duplicate();
        }
        maxTaggedPayload = maxPayload(maxSegment, DdpHeader.TAGGED_LENGTH);
        maxUntaggedPayload = maxPayload(maxSegment, DdpHeader.UNTAGGED_LENGTH);
    }

    private static int maxPayload(int maxSegment, int headerLength) {
        int fpdu = Math.min(maxSegment, Iwarp.MPA_MAX_ULPDU + Iwarp.MPA_LENGTH_SIZE + Iwarp.MPA_CRC_SIZE);
        return (fpdu - Iwarp.MPA_LENGTH_SIZE - headerLength - Iwarp.MPA_CRC_SIZE) & ~3;
    }

    int maxTaggedPayload() {
        return maxTaggedPayload;
    }

    int maxUntaggedPayload() {
        return maxUntaggedPayload;
    }

    boolean isEmpty() {
        return end == 0;
    }

    /** Whether an FPDU with that payload fits into the batch; one always fits into an empty batch. */
    boolean hasRoom(Region region, long offset, int payload) {
        if (bulkFpdus == MAX_BULK_FPDUS) {
            return false;
        }
        if (isCopied(region, offset, payload)) {
            return end + OVERHEAD + payload <= staging.capacity();
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
     * @param guard whether the peer pulls the payload: it then goes out only as long as its region is valid
     * @return false when it is not: nothing was added
     */
    boolean append(int headerLength, Region region, long offset, int payload, boolean guard) {
        boolean guarding = guard && payload != 0;
        if (guarding && !region.enter()) {
            return false;
        }
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
        if (traffic.isObserved()) {
            tell(start, at, firstView);
        }
        if (guarding) {
            region.leave();
        }
        return true;
    }

    /** Tells of the FPDU that has just been completed, whose payload may lie elsewhere. */
    private void tell(int start, int payloadStart, int firstView) {
        if (firstView == vectorCount) {
            traffic.sent(List.of(staging.slice(start, end - start)));
            return;
        }
        List<ByteBuffer> pieces = new ArrayList<>();
        pieces.add(staging.slice(start, payloadStart - start));
        pieces.addAll(Arrays.asList(vectors).subList(firstView, vectorCount));
        pieces.add(staging.slice(payloadStart, end - payloadStart));
        traffic.sent(pieces);
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

    /** Padding and CRC; what is checked and still unchecked starts at {@code from}. */
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
     * Writes what is left of the batch.
     *
     * @return whether all is out; the batch is empty then
     * @throws RegionInvalidException when memory that the peer is reading became invalid midway
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
            channel.write(vectors[firstVector]);
        } else {
            channel.write(vectors, firstVector, vectorCount - firstVector);
        }
        while (firstVector < vectorCount && !vectors[firstVector].hasRemaining()) {
            firstVector++;
        }
        return firstVector == vectorCount;
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
    }
}
