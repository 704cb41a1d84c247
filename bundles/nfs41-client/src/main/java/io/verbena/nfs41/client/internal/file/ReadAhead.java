package io.verbena.nfs41.client.internal.file;

import io.verbena.memory.BufferLease;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.Futures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads ahead for a channel that reads a file sequentially: keeps several READs under way. Data is dropped when this
 * client changes the file, when others may have changed it, and when it is older than the mount allows. Used under the
 * lock of its channel, except {@link #changed} and {@link #outdate}.
 */
final class ReadAhead {
    private static final Logger LOG = LoggerFactory.getLogger(ReadAhead.class);

    private static final int DEPTH = 6;
    private static final int DEPTH_WHEN_SHORT = 1;

    private final NfsFile file;
    private final Runnable onIdle;
    private final Deque<Ahead> queue = new ArrayDeque<>();
    private long nextOffset;
    private long expected;
    private boolean atEnd;
    /** The offset of the first octet that was read ahead; {@link Long#MAX_VALUE} where there is none. */
    private volatile long from = Long.MAX_VALUE;
    /** Whether the data that was read ahead may be out of date. */
    private volatile boolean outdated;
    /** The number of READs that are kept ahead. */
    private volatile int depth = DEPTH;

    private volatile boolean usedSincePressed;

    /** @param onIdle calls {@link #drop} under the channel's lock, if the lock is free; must not wait */
    ReadAhead(NfsFile file, Runnable onIdle) {
        this.file = file;
        this.onIdle = onIdle;
    }

    /** A READ under way, or its data. */
    private record Ahead(long offset, BufferLease lease, CompletableFuture<Integer> read, long sentNanos) {
        ByteBuffer buffer() {
            return lease.buffer();
        }
    }

    /**
     * Memory is short: keeps fewer READs ahead, and none if the channel was not read since the last call. Any thread
     * may call.
     */
    void giveBack() {
        depth = DEPTH_WHEN_SHORT;
        if (!usedSincePressed) {
            onIdle.run();
        }
        usedSincePressed = false;
    }

    /** A file is closed: drops its data, unless a read is under way that does so. Any thread may call. */
    void closed(NfsFile closed) {
        if (closed == file) {
            onIdle.run();
        }
    }

    /** This client has changed the file between two offsets, and perhaps its end. Any thread may call. */
    void changed(long start, long end) {
        if (end > from) {
            outdated = true;
        }
    }

    /** Other clients may have changed the file. Any thread may call. */
    void outdate() {
        outdated = true;
    }

    /** As {@link NfsFile#read}; may fill any part of the buffer. */
    int read(ByteBuffer destination, long position) throws IOException {
        if (!destination.hasRemaining()) {
            return 0;
        }
        usedSincePressed = true;
        Blocking.requireMayWait();
        boolean large = destination.isDirect() && destination.remaining() >= DEPTH * file.rsize();
        if (position != expected || large || file.cacheNanos() == 0) {
            drop();
            int read = Blocking.await(file.runtime(), file.readNow(destination, position)); // under a channel's lock
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
        return head != null && (outdated || file.runtime().nanoTime() - head.sentNanos > file.cacheNanos());
    }

    private void begin(long position) throws IOException {
        nextOffset = position;
        atEnd = false;
        from = position;
        outdated = false;
        file.core().reading(this); // before the first READ: no change in between is missed
        try {
            send(file.memory().await(file.rsize()));
            fill();
        } catch (Throwable e) {
            file.core().notReading(this);
            drop();
            from = Long.MAX_VALUE;
            throw e;
        }
    }

    private void fill() {
        while (queue.size() < depth && !atEnd) {
            BufferLease lease = file.memory().tryLease(file.rsize());
            if (lease == null) {
                return; // the present read-ahead serves until there is memory
            }
            send(lease);
        }
        depth = Math.min(DEPTH, depth + 1);
    }

    private void send(BufferLease lease) {
        long sent = file.runtime().nanoTime();
        long offset = nextOffset;
        CompletableFuture<Integer> read =
                Futures.begin(() -> file.readNow(lease.buffer().duplicate(), offset));
        queue.add(new Ahead(offset, lease, read, sent));
        nextOffset += lease.buffer().remaining();
    }

    private int take(ByteBuffer destination, long position) throws IOException {
        Ahead head = queue.element();
        int count;
        try {
            // an interrupt leaves the READ alone: its memory is this object's
            count = Math.max(0, Blocking.await(file.runtime(), head.read.copy()));
        } catch (Throwable e) {
            drop();
            throw e;
        }
        int skip = (int) (position - head.offset);
        boolean last = count < head.buffer().limit();
        int length = Math.min(destination.remaining(), count - skip);
        if (length <= 0) {
            drop();
            return -1;
        }
        ByteBuffer source = head.buffer().duplicate().position(skip).limit(skip + length);
        destination.put(source);
        expected = position + length;
        atEnd |= last;
        if (skip + length == count && !last) {
            queue.remove();
            head.lease.close();
            from = expected;
            fillFurther();
        }
        return length;
    }

    /** Extends the read-ahead. A failure is not thrown here: the read that reaches the failed range throws it. */
    private void fillFurther() {
        try {
            fill();
        } catch (Throwable e) {
            LOG.debug("{}: nothing more is read ahead: {}", file.path(), e.toString());
        }
        if (queue.isEmpty()) {
            file.core().notReading(this);
            from = Long.MAX_VALUE;
        }
    }

    /** Drops all data. A buffer is released once its READ has ended. */
    void drop() {
        if (queue.isEmpty()) {
            return;
        }
        file.core().notReading(this);
        for (Ahead ahead : queue) {
            Futures.whenDoneLogged(ahead.read, (count, thrown) -> ahead.lease.close());
        }
        queue.clear();
        from = Long.MAX_VALUE;
        atEnd = false;
    }
}
