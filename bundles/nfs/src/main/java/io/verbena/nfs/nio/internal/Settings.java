package io.verbena.nfs.nio.internal;

import java.util.Map;

/**
 * What can be set for a file system beside its mount's options.
 *
 * @param watchMillis from one look of a watch service to the next
 * @param maxMapBytes the longest range that FileChannel.map copies
 */
record Settings(long watchMillis, long maxMapBytes) {
    static final Settings USUAL = new Settings(2_000, 1L << 30);

    private static final String WATCH_MILLIS = "watchMillis";
    private static final String MAX_MAP_BYTES = "maxMapBytes";

    /**
     * Takes them out of the map that newFileSystem gets.
     *
     * @throws IllegalArgumentException for what makes no sense
     */
    static Settings takenFrom(Map<String, Object> options) {
        long watch = number(WATCH_MILLIS, "milliseconds", options.remove(WATCH_MILLIS), USUAL.watchMillis());
        long map = number(MAX_MAP_BYTES, "octets", options.remove(MAX_MAP_BYTES), USUAL.maxMapBytes());
        return new Settings(watch, map);
    }

    private static long number(String key, String unit, Object given, long usual) {
        if (given == null) {
            return usual;
        }
        if (given instanceof Number number && number.longValue() > 0) {
            return number.longValue();
        }
        throw new IllegalArgumentException(key + " is a Number of " + unit + " above 0, not " + given);
    }
}
