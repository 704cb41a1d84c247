package io.verbena.nfs.nio.internal.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** Transfers octets between a file and another channel through buffers of this process. */
final class ChannelTransfers {
    private static final int SIZE = 1 << 20;

    private ChannelTransfers() {}

    /** As {@link FileChannel#transferTo} specifies. */
    static long to(FileChannel file, long from, long count, WritableByteChannel target) throws IOException {
        requireRange(from, count);
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(count, SIZE));
        long moved = 0;
        while (moved < count) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), count - moved));
            int read = file.read(buffer, from + moved);
            if (read <= 0) {
                break;
            }
            buffer.flip();
            int written = target.write(buffer);
            moved += written;
            if (written < read) {
                break;
            }
        }
        return moved;
    }

    /** As {@link FileChannel#transferFrom} specifies. */
    static long from(ReadableByteChannel source, FileChannel file, long to, long count) throws IOException {
        requireRange(to, count);
        if (to > file.size()) {
            return 0;
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(count, SIZE));
        long moved = 0;
        while (moved < count) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), count - moved));
            int read = source.read(buffer);
            if (read <= 0) {
                break;
            }
            buffer.flip();
            moved += file.write(buffer, to + moved);
        }
        return moved;
    }

    /** Fills buffers one after the other, as {@link FileChannel#read(ByteBuffer[], int, int)} specifies. */
    static long scatter(FileChannel file, ByteBuffer[] destinations, int offset, int length) throws IOException {
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            int read = destinations[i].hasRemaining() ? file.read(destinations[i]) : 0;
            if (read < 0) {
                return total == 0 ? -1 : total;
            }
            total += read;
            if (destinations[i].hasRemaining()) {
                break;
            }
        }
        return total;
    }

    /** Writes buffers one after the other, as {@link FileChannel#write(ByteBuffer[], int, int)} specifies. */
    static long gather(FileChannel file, ByteBuffer[] sources, int offset, int length) throws IOException {
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            total += file.write(sources[i]);
        }
        return total;
    }

    /** Refuses a target that is not open to write, even if there are no octets to write. */
    static void requireWritable(WritableByteChannel target) throws IOException {
        if (target instanceof NfsFileChannel own) {
            if (!own.isWritable()) {
                throw new NonWritableChannelException();
            }
        } else if (target instanceof FileChannel file) {
            int unused = file.write(ByteBuffer.allocate(0)); // throws if it is not
        }
    }

    /** Refuses a source that is not open to read, even if there are no octets to read. */
    static void requireReadable(ReadableByteChannel source) throws IOException {
        if (source instanceof NfsFileChannel own) {
            if (!own.isReadable()) {
                throw new NonReadableChannelException();
            }
        } else if (source instanceof FileChannel file) {
            int unused = file.read(ByteBuffer.allocate(0)); // throws if it is not
        }
    }

    private static void requireRange(long position, long count) {
        if (position < 0 || count < 0) {
            throw new IllegalArgumentException(count + " octets at " + position + ": both are 0 or more");
        }
    }
}
