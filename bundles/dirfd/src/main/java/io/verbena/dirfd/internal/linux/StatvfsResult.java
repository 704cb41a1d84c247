package io.verbena.dirfd.internal.linux;

import io.verbena.dirfd.FileSystemSpace;
import java.nio.ByteBuffer;

/** {@code struct statvfs} of sys/statvfs.h, on architectures with 64 bits. */
final class StatvfsResult {
    static final int SIZE = 112;

    static final int FRAGMENT_AT = 8;
    static final int BLOCKS_AT = 16;
    static final int FREE_AT = 24;
    static final int AVAILABLE_AT = 32;
    static final int FILES_AT = 40;
    static final int FREE_FILES_AT = 48;
    static final int AVAILABLE_FILES_AT = 56;

    private StatvfsResult() {}

    /** The result at the start of the memory. */
    static FileSystemSpace space(ByteBuffer memory) {
        long fragment = memory.getLong(FRAGMENT_AT);
        return new FileSystemSpace(
                fragment * memory.getLong(BLOCKS_AT),
                fragment * memory.getLong(FREE_AT),
                fragment * memory.getLong(AVAILABLE_AT),
                memory.getLong(FILES_AT),
                memory.getLong(FREE_FILES_AT),
                memory.getLong(AVAILABLE_FILES_AT));
    }
}
