package io.verbena.nfs.transfer.internal.block;

import io.verbena.nfs.transfer.internal.tree.BlockSource;

/**
 * The range of a file that one pump moves.
 *
 * @param start the position of the first octet
 * @param end the position after the last octet; {@link BlockSource#UNKNOWN_SIZE} for the end of the file
 * @param holesFrom the position from which the sink's file is empty, so that zeros need not be written
 * @param isLast whether the pump sets the size of the sink's file afterwards
 */
public record FileRange(long start, long end, long holesFrom, boolean isLast) {
    public static final FileRange WHOLE = new FileRange(0, BlockSource.UNKNOWN_SIZE, 0, true);

    /** Returns a part of a file. The size of the file is set after all parts are moved. */
    public static FileRange part(long start, long end, long holesFrom) {
        return new FileRange(start, end, holesFrom, false);
    }

    /** Returns an empty range that only sets the size of a file. */
    public static FileRange endOnly(long size) {
        return new FileRange(size, size, size, true);
    }
}
