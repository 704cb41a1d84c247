package io.verbena.nfs.nio.internal;

import java.util.Map;

/**
 * Settings of a file system beside the options of its mount.
 *
 * @param watchMillis the time between two passes of a watch service, in milliseconds
 * @param maxMapBytes the longest range that FileChannel.map copies, in octets
 */
record FileSystemSettings(long watchMillis, long maxMapBytes) {
    static final FileSystemSettings USUAL = new FileSystemSettings(2_000, 1L << 30);

    private static final String WATCH_MILLIS = "watchMillis";
    private static final String MAX_MAP_BYTES = "maxMapBytes";

    /**
     * Takes the settings out of the map of newFileSystem, which then holds mount options only.
     *
     * @throws IllegalArgumentException for a value that is no number above 0
     */
    static FileSystemSettings takenFrom(Map<String, Object> options) {
        long watch = number(WATCH_MILLIS, "milliseconds", options.remove(WATCH_MILLIS), USUAL.watchMillis());
        long map = number(MAX_MAP_BYTES, "octets", options.remove(MAX_MAP_BYTES), USUAL.maxMapBytes());
        return new FileSystemSettings(watch, map);
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
