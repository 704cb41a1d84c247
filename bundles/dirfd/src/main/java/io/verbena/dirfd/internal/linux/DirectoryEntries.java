package io.verbena.dirfd.internal.linux;

import io.verbena.dirfd.Directory.NameConsumer;
import io.verbena.dirfd.internal.Octets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Parses the result of getdents64(2): records of {@code struct linux_dirent64}.
 *
 * <pre>
 *  0  inode number
 *  8  where the next one is in the directory
 * 16  the record's length, two octets
 * 18  type
 * 19  the name, with a zero behind it
 * </pre>
 */
final class DirectoryEntries {
    private static final int LENGTH_AT = 16;
    private static final int NAME_AT = 19;

    private DirectoryEntries() {}

    /** Passes all remaining names of a descriptor to the consumer. */
    static void read(SystemCalls calls, int fd, NameConsumer consumer) throws IOException {
        boolean goesOn = true;
        while (goesOn) {
            byte[] records = calls.readEntries(fd);
            goesOn = records.length > 0 && parse(records, consumer);
        }
    }

    /** Passes the names of some records to the consumer. Returns whether the consumer wants more. */
    static boolean parse(byte[] records, NameConsumer consumer) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(records).order(ByteOrder.nativeOrder());
        for (int at = 0; at < records.length; ) {
            int left = records.length - at;
            int length = left <= NAME_AT ? 0 : in.getShort(at + LENGTH_AT) & 0xffff;
            if (length <= NAME_AT || length > left) {
                throw new IOException("the kernel's list of a directory's entries cannot be read");
            }
            byte[] name = name(records, at + NAME_AT, at + length);
            if (!Octets.isDots(name) && !consumer.accept(name)) {
                return false;
            }
            at += length;
        }
        return true;
    }

    private static byte[] name(byte[] records, int from, int limit) {
        int end = from;
        while (end < limit && records[end] != 0) {
            end++;
        }
        return Arrays.copyOfRange(records, from, end);
    }
}
