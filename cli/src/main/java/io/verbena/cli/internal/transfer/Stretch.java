package io.verbena.cli.internal.transfer;

/**
 * What of a file one pump moves.
 *
 * @param start the first octet
 * @param end the octet behind the last, {@link BlockSource#UNKNOWN_SIZE} for the file's end
 * @param holesFrom from here on nothing is in the sink's file yet, so that zeros need not be written
 * @param isLast whether the sink is given its size then
 */
record Stretch(long start, long end, long holesFrom, boolean isLast) {
    static final Stretch WHOLE = new Stretch(0, BlockSource.UNKNOWN_SIZE, 0, true);

    /** A part of a file whose size is set when all of them are moved. */
    static Stretch part(long start, long end, long holesFrom) {
        return new Stretch(start, end, holesFrom, false);
    }

    /** Only gives a file its size. */
    static Stretch endOnly(long size) {
        return new Stretch(size, size, size, true);
    }
}
