package io.verbena.nfs41.client.internal;

import io.verbena.rpc.PeerProtocolException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** Fills one buffer from a file: READs of the negotiated size, several in flight, straight into the buffer. */
final class ReadOperation {
    /** The most READs under way for one buffer. */
    static final int WINDOW = 16;

    private final OpenState state;
    private final BufferPool pool;
    private final ByteBuffer destination;
    private final int start;
    private final int length;
    private final long position;
    private final int rsize;
    private final CompletableFuture<Integer> result = new CompletableFuture<>();

    // guarded by this
    private int next;
    private int end;
    private int inFlight;
    private Throwable failure;
    private boolean finished;

    ReadOperation(OpenState state, BufferPool pool, ByteBuffer destination, long position, int rsize) {
        this.state = state;
        this.pool = pool;
        this.destination = destination;
        this.start = destination.position();
        this.length = destination.remaining();
        this.position = position;
        this.rsize = rsize;
        this.end = length;
    }

    CompletableFuture<Integer> start() {
        advance();
        return result;
    }

    private void advance() {
        while (true) {
            int from;
            int count;
            synchronized (this) {
                if (failure != null || next >= end || inFlight == WINDOW) {
                    break;
                }
                from = next;
                count = Math.min(rsize, end - from);
                next += count;
                inFlight++;
            }
            read(from, count);
        }
        finishIfDone();
    }

    private void read(int from, int count) {
        boolean direct = destination.isDirect();
        ByteBuffer sink;
        try {
            sink = direct ? destination.slice(start + from, count) : pool.take(count);
        } catch (RuntimeException | Error e) { // no memory
            arrived(from, count, 0, false, e);
            return;
        }
        Futures.whenDone(state.call(new ReadRequest(state, position + from, sink)), (read, thrown) -> {
            if (thrown != null) {
                arrived(from, count, 0, false, thrown);
            } else {
                if (!direct) {
                    destination.put(start + from, sink, 0, read.count());
                }
                arrived(from, count, read.count(), read.eof(), null);
            }
            if (!direct) {
                pool.give(sink);
            }
        });
    }

    private void arrived(int from, int wanted, int got, boolean eof, Throwable thrown) {
        boolean again = false;
        synchronized (this) {
            if (thrown != null) {
                failure = failure == null ? thrown : failure;
            } else if (eof) {
                end = Math.min(end, from + got);
            } else if (got == 0) {
                failure = new PeerProtocolException(
                        "the server read nothing of " + state.path() + " before its end (RFC 8881 section 18.22)",
                        null);
            } else if (got < wanted && from + got < end) {
                again = true;
            }
            if (!again) {
                inFlight--;
            }
        }
        if (again) {
            read(from + got, wanted - got);
        } else {
            advance();
        }
    }

    private void finishIfDone() {
        Throwable thrown;
        synchronized (this) {
            if (inFlight > 0 || finished || (failure == null && next < end)) {
                return;
            }
            // claimed here: once the result is complete, the destination is its owner's again
            finished = true;
            thrown = failure;
        }
        if (thrown != null) {
            Blocking.completing(() -> result.completeExceptionally(thrown));
            return;
        }
        destination.position(start + end);
        int count = end == 0 && length > 0 ? -1 : end;
        Blocking.completing(() -> result.complete(count));
    }
}
