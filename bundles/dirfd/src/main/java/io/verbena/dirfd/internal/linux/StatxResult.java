package io.verbena.dirfd.internal.linux;

import io.verbena.dirfd.FileStatus;
import java.nio.ByteBuffer;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/** {@code struct statx} of linux/stat.h, whose layout is the same on all architectures. */
final class StatxResult {
    static final int SIZE = 256;

    static final int MASK_AT = 0;
    static final int LINK_COUNT_AT = 16;
    static final int UID_AT = 20;
    static final int GID_AT = 24;
    static final int MODE_AT = 28;
    static final int INO_AT = 32;
    static final int SIZE_AT = 40;
    static final int BLOCKS_AT = 48;
    static final int ACCESSED_AT = 64;
    static final int CREATED_AT = 80;
    static final int CHANGED_AT = 96;
    static final int MODIFIED_AT = 112;
    static final int RDEV_AT = 128;
    static final int DEVICE_AT = 136;

    private static final int BLOCK = 512;

    private final ByteBuffer memory;
    private final int at;

    StatxResult(ByteBuffer memory, int at) {
        this.memory = memory;
        this.at = at;
    }

    /** The whole result as an object. */
    FileStatus toStatus() {
        boolean hasCreationTime = (memory.getInt(at + MASK_AT) & Abi.STATX_BTIME) != 0;
        return new FileStatus(
                device(DEVICE_AT),
                memory.getLong(at + INO_AT),
                memory.getShort(at + MODE_AT) & 0xffff,
                memory.getInt(at + LINK_COUNT_AT),
                memory.getInt(at + UID_AT),
                memory.getInt(at + GID_AT),
                device(RDEV_AT),
                memory.getLong(at + SIZE_AT),
                memory.getLong(at + BLOCKS_AT) * BLOCK,
                time(ACCESSED_AT),
                time(MODIFIED_AT),
                time(CHANGED_AT),
                hasCreationTime ? time(CREATED_AT) : null);
    }

    /** Joins major and minor number as {@code st_dev} and {@code st_rdev} of stat(2) do. */
    private long device(int from) {
        long major = Integer.toUnsignedLong(memory.getInt(at + from));
        long minor = Integer.toUnsignedLong(memory.getInt(at + from + Integer.BYTES));
        return (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~0xffL) << 12 | (major & ~0xfffL) << 32;
    }

    /** A time, or the nearest that {@link Instant} can hold: some file systems keep any number of seconds. */
    private FileTime time(int from) {
        long seconds = memory.getLong(at + from);
        if (seconds > Instant.MAX.getEpochSecond()) {
            return FileTime.from(Instant.MAX);
        }
        if (seconds < Instant.MIN.getEpochSecond()) {
            return FileTime.from(Instant.MIN);
        }
        int nanos = memory.getInt(at + from + Long.BYTES);
        return FileTime.from(Instant.ofEpochSecond(seconds, nanos));
    }
}
