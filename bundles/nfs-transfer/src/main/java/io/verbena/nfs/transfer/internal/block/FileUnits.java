package io.verbena.nfs.transfer.internal.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The units of one file, each of which a resumed copy keeps or moves as a whole. Units begin at multiples of their size
 * from the start of a range. The last unit of a range can be shorter. Immutable.
 *
 * @param size the size of a unit in octets
 * @param range the size in octets of the ranges of the file, a multiple of the size of a unit, or less
 * @param fileSize the size of the file in octets
 */
public record FileUnits(long size, long range, long fileSize) {
    /** The largest number of units of a file of at most {@code MAX_UNITS} ranges. Limits the size of the journal. */
    private static final long MAX_UNITS = 1 << 14;

    /** Returns the units of a file: one block each, or more for a very large file. */
    public static FileUnits of(long fileSize, long range) {
        long size = BlockPump.BLOCK_SIZE;
        while (size < range && size * MAX_UNITS < fileSize) {
            size *= 2;
        }
        return new FileUnits(Math.min(size, range), range, fileSize);
    }

    /** Returns the end of the unit that contains a position. */
    public long end(long position) {
        long start = position - position % range;
        long end = start + (position - start) / size * size + size;
        return Math.min(Math.min(end, start + range), fileSize);
    }

    /** Receives the digest of each unit, in the order of the file. */
    @FunctionalInterface
    public interface Consumer {
        void accept(long start, long end, String digest) throws IOException;
    }

    /** Computes the digests of consecutive units. Belongs to one thread. */
    public final class Digester {
        private final RangeDigest digest;
        private final Consumer consumer;
        private long start;
        private long position;

        /**
         * Creates a digester.
         *
         * @param start the start of the first unit
         */
        public Digester(long start, RangeDigest digest, Consumer consumer) {
            this.start = start;
            this.position = start;
            this.digest = digest;
            this.consumer = consumer;
        }

        /** Adds the next octets of the file. Does not change the buffer. */
        public void update(ByteBuffer octets) throws IOException {
            ByteBuffer rest = octets.duplicate();
            int limit = rest.limit();
            while (rest.hasRemaining()) {
                long end = end(position);
                int count = (int) Math.min(rest.remaining(), end - position);
                if (count <= 0) {
                    return; // the source is longer than it was, which the copy detects at its end
                }
                rest.limit(rest.position() + count);
                digest.update(rest);
                rest.limit(limit);
                position += count;
                if (position == end) {
                    consumer.accept(start, end, digest.take());
                    start = end;
                }
            }
        }
    }
}
