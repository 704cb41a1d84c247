package io.verbena.nfs.nio.internal;

import java.util.Map;
import javax.security.auth.Subject;

/**
 * Settings of a file system beside the options of its mount.
 *
 * @param watchMillis the time between two passes of a watch service, in milliseconds
 * @param maxMapBytes the longest range that FileChannel.map copies, in octets
 * @param user whose Kerberos credentials are used; null for the user that the mount options name
 */
record FileSystemSettings(long watchMillis, long maxMapBytes, Subject user) {
    static final FileSystemSettings USUAL = new FileSystemSettings(2_000, 1L << 30, null);

    private static final String WATCH_MILLIS = "watchMillis";
    private static final String MAX_MAP_BYTES = "maxMapBytes";
    private static final String SUBJECT = "subject";

    /**
     * Takes the settings out of the map of newFileSystem, which then holds mount options only.
     *
     * @throws IllegalArgumentException for a value that is no number above 0, or no Subject
     */
    static FileSystemSettings takenFrom(Map<String, Object> options) {
        long watch = number(WATCH_MILLIS, "milliseconds", options.remove(WATCH_MILLIS), USUAL.watchMillis());
        long map = number(MAX_MAP_BYTES, "octets", options.remove(MAX_MAP_BYTES), USUAL.maxMapBytes());
        Object user = options.remove(SUBJECT);
        if (user != null && !(user instanceof Subject)) {
            throw new IllegalArgumentException(SUBJECT + " is a javax.security.auth.Subject, not " + user.getClass());
        }
        return new FileSystemSettings(watch, map, (Subject) user);
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

    /** Without the user, who has keys. */
    @Override
    public String toString() {
        return "watchMillis=" + watchMillis + ", maxMapBytes=" + maxMapBytes + (user == null ? "" : ", a user");
    }
}
