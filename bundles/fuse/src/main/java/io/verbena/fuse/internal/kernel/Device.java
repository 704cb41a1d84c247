package io.verbena.fuse.internal.kernel;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.kenai.jffi.MemoryIO;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The open device of one mount: each read gives one request, each write takes one answer. One thread reads; any thread
 * writes.
 */
public final class Device {
    /** The octets that a buffer for requests has at least. */
    public static final int RECEIVE_SIZE = Kernel.MAX_TRANSFER + 4096;

    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private final KernelLibrary library;
    private final int fd;

    /** How many threads use the descriptor. */
    @GuardedBy("this")
    private int users;

    @GuardedBy("this")
    private boolean closed;

    Device(KernelLibrary library, int fd) {
        this.library = library;
        this.fd = fd;
    }

    /**
     * Waits for a request.
     *
     * @param buffer direct, of {@link #RECEIVE_SIZE} octets; the request stands from 0 to its limit then
     * @return false if the mount has ended
     */
    public boolean receive(ByteBuffer buffer) throws IOException {
        long address = MEMORY.getDirectBufferAddress(buffer);
        while (enter()) {
            long length;
            int errno;
            try {
                length = library.read(fd, address, RECEIVE_SIZE);
                errno = length < 0 ? Kernel.errno() : 0;
            } finally {
                exit();
            }
            if (length >= 0) {
                buffer.clear().limit((int) length);
                buffer.order(ByteOrder.nativeOrder());
                return true;
            }
            if (errno == Errno.ENODEV || errno == Errno.EBADF) {
                return false;
            }
            // ENOENT: the request was interrupted while it was handed over
            if (errno != Errno.EINTR && errno != Errno.EAGAIN && errno != Errno.ENOENT) {
                throw new IOException("reading from /dev/fuse failed with error " + errno);
            }
        }
        return false;
    }

    /** Answers a request. Does not block. An answer to a request that is gone is dropped. */
    public void answer(long unique, Reply reply) {
        write(reply.message(unique));
    }

    /** Answers that a request has failed. */
    public void fail(long unique, int errno) {
        write(Reply.failure(unique, errno));
    }

    /**
     * Answers a READ.
     *
     * @param buffer direct
     * @param from where the message begins
     * @param length of the message
     */
    public void answer(ByteBuffer buffer, int from, int length) {
        if (enter()) {
            try {
                long unused = library.write(fd, MEMORY.getDirectBufferAddress(buffer) + from, (long) length);
            } finally {
                exit();
            }
        }
    }

    /** Has the kernel drop the pages and attributes of a node. Waits for pages that are in use. */
    public void invalidate(long node) {
        invalidate(node, 0);
    }

    /** Has the kernel drop the attributes of a node, and keep its pages. Does not block. */
    public void invalidateAttributes(long node) {
        invalidate(node, -1);
    }

    /** @param from the first octet to drop, with all behind it; negative for none */
    private void invalidate(long node, long from) {
        Reply notice = new Reply(24).u64(node).u64(from).u64(0);
        byte[] message = notice.message(0);
        ByteBuffer.wrap(message).order(ByteOrder.nativeOrder()).putInt(4, Protocol.NOTIFY_INVAL_INODE);
        write(message);
    }

    /** Answers a request by a whole message. Does not block. An answer to a request that is gone is dropped. */
    public void answer(byte[] message) {
        write(message);
    }

    private void write(byte[] message) {
        if (enter()) {
            try {
                long unused = library.write(fd, message, message.length);
            } finally {
                exit();
            }
        }
    }

    private synchronized boolean enter() {
        if (closed) {
            return false;
        }
        users++;
        return true;
    }

    private synchronized void exit() {
        users--;
        if (closed && users == 0) {
            int unused = library.close(fd);
        }
    }

    /** Closes the descriptor, once no thread uses it; the mount ends then, where it has not ended before. */
    public synchronized void close() {
        if (!closed) {
            closed = true;
            if (users == 0) {
                int unused = library.close(fd);
            }
        }
    }
}
