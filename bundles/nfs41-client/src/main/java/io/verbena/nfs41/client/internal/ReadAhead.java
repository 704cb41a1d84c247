package io.verbena.nfs41.client.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/** Keeps several READs ahead of somebody who goes through a file in order. Used under its channel's lock. */
final class ReadAhead {
    private static final int DEPTH = 6;

    private final NfsFile file;
    private final Deque<Ahead> queue = new ArrayDeque<>();
    private long nextOffset;
    private long expected;
    private boolean atEnd;

    ReadAhead(NfsFile file) {
        this.file = file;
    }

    /** A READ on its way, or its data. */
    private record Ahead(long offset, ByteBuffer buffer, CompletableFuture<Integer> read) {}

    /** As {@link NfsFile#read}, of any part of the buffer. */
    int read(ByteBuffer destination, long position) throws IOException {
        if (!destination.hasRemaining()) {
            return 0;
        }
        if (position != expected || (destination.isDirect() && destination.remaining() >= DEPTH * file.rsize())) {
            drop();
            int read = Blocking.await(file.readNow(destination, position)); // under a channel's lock
            expected = position + Math.max(0, read);
            return read;
        }
        if (queue.isEmpty()) {
            nextOffset = position;
            atEnd = false;
            fill();
        }
        return take(destination, position);
    }

    private void fill() {
        while (queue.size() < DEPTH && !atEnd) {
            ByteBuffer buffer = file.pool().take(file.rsize());
            CompletableFuture<Integer> read = file.readNow(buffer.duplicate(), nextOffset);
            queue.add(new Ahead(nextOffset, buffer, read));
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
        ByteBuffer from = head.buffer.duplicate().position(skip).limit(skip + length);
        destination.put(from);
        expected = position + length;
        atEnd |= last;
        if (skip + length == count && !last) {
            queue.remove();
            file.pool().give(head.buffer);
            fill();
        }
        return length;
    }

    /** Forgets what was read; buffers go back once nobody writes to them any more. */
    void drop() {
        for (Ahead ahead : queue) {
            Futures.whenDone(ahead.read, (count, thrown) -> file.pool().give(ahead.buffer));
        }
        queue.clear();
        atEnd = false;
    }
}
