package io.verbena.nfs.nio.internal.channel;

import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Maps ranges of remote files by copies in local files, for {@link FileChannel#map}. */
final class MappedCopies {
    private static final int STEP = 1 << 20;

    private final long maxBytes;

    /**
     * @param maxBytes the longest range that is copied
     */
    MappedCopies(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Refuses arguments as {@link FileChannel#map} specifies. */
    static void check(MapMode mode, long from, long size) {
        if (mode == null) {
            throw new NullPointerException("a mode must be given");
        }
        if (from < 0 || size < 0 || from + size < 0 || size > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(size + " octets at " + from + " cannot be mapped");
        }
    }

    /** Refuses unsupported modes as {@link FileChannel#map} specifies. */
    static void requireKnown(MapMode mode) {
        if (mode != MapMode.READ_ONLY && mode != MapMode.PRIVATE) {
            throw new UnsupportedOperationException("a file on an NFS mount in user space cannot be mapped " + mode
                    + ": write it with FileChannel.write");
        }
    }

    MappedByteBuffer map(FileChannel file, NfsPath path, MapMode mode, long from, long size) throws IOException {
        if (size > maxBytes) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    size + " octets are more than are copied to be mapped (" + maxBytes
                            + "): map less at a time, or give newFileSystem a higher maxMapBytes");
        }
        if (from + size > file.size()) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    "the file ends before " + (from + size) + ", and is not made longer by a map");
        }
        Path copy = Files.createTempFile("verbena-map", null);
        try (FileChannel to = FileChannel.open(copy, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            copy(file, from, size, to, path);
            return to.map(mode, 0, size);
        } finally {
            discard(copy);
        }
    }

    private static void copy(FileChannel file, long from, long size, FileChannel to, NfsPath path) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(size, STEP));
        for (long done = 0; done < size; done = to.position()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), size - done));
            if (file.read(buffer, from + done) < 0) {
                throw new FileSystemException(
                        path.toString(), null, "the file was truncated while it was being mapped");
            }
            buffer.flip();
            while (buffer.hasRemaining()) {
                int unused = to.write(buffer);
            }
        }
    }

    /** Deletes the copy; on a system that does not delete mapped files, when this process ends. */
    private static void discard(Path copy) throws IOException {
        try {
            Files.deleteIfExists(copy);
        } catch (IOException e) {
            copy.toFile().deleteOnExit();
        }
    }
}
