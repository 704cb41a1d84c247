package io.verbena.nfs.nio.internal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A piece of what was written to a file, and what came of it. Used under the lock of {@link PendingWrites}. */
final class Piece {
    private static final int FIRST_SIZE = 8 << 10;
    private static final int MAX_SIZE = 256 << 10;

    private final long position;
    private byte[] octets;
    private int length;
    /** Null until it is sent, and again until it is sent again. */
    private CompletableFuture<Void> reply;

    /**
     * @param expected how much is about to be added
     */
    Piece(long position, int expected) {
        this.position = position;
        this.octets = new byte[Math.min(MAX_SIZE, Math.max(FIRST_SIZE, expected))];
    }

    long position() {
        return position;
    }

    long end() {
        return position + length;
    }

    /** How much can be added. */
    int room() {
        return MAX_SIZE - length;
    }

    /** What it takes, however little is in it. */
    int memory() {
        return octets.length;
    }

    ByteBuffer content() {
        return ByteBuffer.wrap(octets, 0, length);
    }

    void add(ByteBuffer source, int count) {
        if (length + count > octets.length) {
            octets = Arrays.copyOf(octets, Math.min(MAX_SIZE, Math.max(2 * octets.length, length + count)));
        }
        source.get(octets, length, count);
        length += count;
    }

    void sent(CompletableFuture<Void> answer) {
        reply = answer;
    }

    /** It is to be sent again. */
    void unsent() {
        reply = null;
    }

    boolean isSent() {
        return reply != null;
    }

    boolean isUnderWay() {
        return reply != null && !reply.isDone();
    }

    boolean isAnswered() {
        return reply != null && reply.isDone() && !reply.isCompletedExceptionally();
    }

    /** What it failed with once it has ended, which is waited for; or null. */
    IOException failure() throws InterruptedIOException {
        try {
            reply.get();
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for the server");
            interrupted.initCause(e);
            throw interrupted;
        } catch (ExecutionException e) {
            return e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        }
    }
}
