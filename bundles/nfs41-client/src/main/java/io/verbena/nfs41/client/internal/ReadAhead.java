package io.verbena.nfs41.client.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps several READs ahead of somebody who goes through a file in order. Data is dropped when the file was changed here,
 * when others may have changed it, and when it is older than the mount allows. Used under its channel's lock, but for
 * {@link #changed} and {@link #outdate}.
 */
final class ReadAhead {
    private static final int DEPTH = 6;

    private final NfsFile file;
    private final Deque<Ahead> queue = new ArrayDeque<>();
    private long nextOffset;
    private long expected;
    private boolean atEnd;
    /** What is ahead begins here; {@link Long#MAX_VALUE} where nothing is. */
    private volatile long from = Long.MAX_VALUE;
    /** Whether what is ahead may be old. */
    private volatile boolean outdated;

    ReadAhead(NfsFile file) {
        this.file = file;
    }

    /** A READ on its way, or its data. */
    private record Ahead(long offset, ByteBuffer buffer, CompletableFuture<Integer> read, long sentNanos) {}

    /** The file was changed between two offsets, and perhaps its end with it. Any thread may call. */
    void changed(long start, long end) {
        if (end > from) {
            outdated = true;
        }
    }

    /** Others may have changed the file. Any thread may call. */
    void outdate() {
        outdated = true;
    }

    /** As {@link NfsFile#read}, of any part of the buffer. */
    int read(ByteBuffer destination, long position) throws IOException {
        if (!destination.hasRemaining()) {
            return 0;
        }
        boolean large = destination.isDirect() && destination.remaining() >= DEPTH * file.rsize();
        if (position != expected || large || file.cacheNanos() == 0) {
            drop();
            int read = Blocking.await(file.readNow(destination, position)); // under a channel's lock
            expected = position + Math.max(0, read);
            return read;
        }
        if (isOld()) {
            drop();
        }
        if (queue.isEmpty()) {
            begin(position);
        }
        return take(destination, position);
    }

    private boolean isOld() {
        Ahead head = queue.peek();
        return head != null && (outdated || System.nanoTime() - head.sentNanos > file.cacheNanos());
    }

    private void begin(long position) {
        nextOffset = position;
        atEnd = false;
        from = position;
        outdated = false;
        file.core().reading(this); // before the first READ, so that no change falls between
        fill();
    }

    private void fill() {
        while (queue.size() < DEPTH && !atEnd) {
            ByteBuffer buffer = file.pool().take(file.rsize());
            long sent = System.nanoTime();
            CompletableFuture<Integer> read = file.readNow(buffer.duplicate(), nextOffset);
            queue.add(new Ahead(nextOffset, buffer, read, sent));
            nextOffset += buffer.remaining();
        }
    }

    private int take(ByteBuffer destination, long position) throws IOException {
        Ahead head = queue.element();
        int count;
        try {
            count = Math.max(0, Blocking.await(head.read));
        } catch (IOException | RuntimeException e) {
            drop();
            throw e;
        }
        int skip = (int) (position - head.offset);
        boolean last = count < head.buffer.limit();
        int length = Math.min(destination.remaining(), count - skip);
        if (length <= 0) {
            drop();
            return -1;
        }
        ByteBuffer source = head.buffer.duplicate().position(skip).limit(skip + length);
        destination.put(source);
        expected = position + length;
        atEnd |= last;
        if (skip + length == count && !last) {
            queue.remove();
            file.pool().give(head.buffer);
            from = expected;
            fill();
        }
        return length;
    }

    /** Forgets what was read; buffers go back once nobody writes to them any more. */
    void drop() {
        if (queue.isEmpty()) {
            return;
        }
        file.core().notReading(this);
        for (Ahead ahead : queue) {
            Futures.whenDone(ahead.read, (count, thrown) -> file.pool().give(ahead.buffer));
        }
        queue.clear();
        from = Long.MAX_VALUE;
        atEnd = false;
    }
}
