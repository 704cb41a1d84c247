package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A copy of what a channel wrote, and what came of it. Used under the lock of {@link KeptWrites}; the answer is waited for
 * without it.
 */
final class Piece {
    static final int MAX_SIZE = 256 << 10;
    private static final int FIRST_SIZE = 8 << 10;
    private static final long UNPLACED = -1;

    private final OpenFile owner;
    private volatile long position;
    private byte[] octets;
    private int length;
    private boolean sealed;
    private long number;
    private volatile RemoteFile via;
    /** Whether the mount's channel has taken all of it; its answer is told by the next sync. */
    private boolean taken;
    /** Null until it is sent by itself. */
    private volatile CompletableFuture<?> reply;

    private Piece(OpenFile owner, long position, byte[] octets) {
        this.owner = owner;
        this.position = position;
        this.octets = octets;
        this.via = owner.now();
    }

    /**
     * @param expected how much is about to be added
     */
    static Piece at(OpenFile owner, long position, int expected) {
        return new Piece(owner, position, new byte[Math.max(FIRST_SIZE, expected)]);
    }

    /** A record for the end of the file, wherever that is. */
    static Piece append(OpenFile owner, ByteBuffer source) {
        int size = source.remaining();
        Piece piece = new Piece(owner, UNPLACED, new byte[Math.max(FIRST_SIZE, size)]);
        piece.add(source, size);
        return piece;
    }

    OpenFile owner() {
        return owner;
    }

    /** In the order in which pieces were kept; what is left of one has its number. */
    Piece numbered(long place) {
        number = place;
        return this;
    }

    long number() {
        return number;
    }

    /** The open file that it was sent through. */
    RemoteFile via() {
        return via;
    }

    long position() {
        return position;
    }

    private long end() {
        return position + length;
    }

    boolean isPlaced() {
        return position != UNPLACED;
    }

    /** What it takes, however little is in it. */
    int memory() {
        return octets.length;
    }

    /** How much can be added of what its owner writes at an offset. */
    int room(OpenFile writer, long at) {
        boolean follows = writer == owner && !sealed && isPlaced() && at == end();
        return follows ? Math.max(0, MAX_SIZE - length) : 0;
    }

    /**
     * Copies so many octets.
     *
     * @return the copy
     */
    ByteBuffer add(ByteBuffer source, int count) {
        if (length + count > octets.length) {
            octets = Arrays.copyOf(octets, Math.max(Math.min(MAX_SIZE, 2 * octets.length), length + count));
        }
        source.get(octets, length, count);
        length += count;
        return ByteBuffer.wrap(octets, length - count, count);
    }

    /** Nothing is added to it any more. */
    void seal() {
        sealed = true;
    }

    /** The mount's channel is about to take what was added, or has taken it. */
    void taken(boolean all) {
        taken = all;
    }

    /** Sends it by itself, through its owner's file as it is open now. */
    void send() {
        sealed = true;
        via = owner.now();
        ByteBuffer content = ByteBuffer.wrap(octets, 0, length);
        try {
            reply = isPlaced()
                    ? via.writeAsync(content, position)
                    : via.appendAsync(content, placed -> position = placed);
        } catch (RuntimeException e) {
            reply = CompletableFuture.failedFuture(e);
        }
    }

    /** Whether it was sent through its owner's file as it is open now. */
    boolean isSent() {
        return reply != null && via == owner.now();
    }

    /** Whether the mount that went has made it safe. */
    boolean isSafe() {
        boolean answered = reply == null ? taken : reply.isDone() && !reply.isCompletedExceptionally();
        return answered && via != owner.now() && !owner.isUnsafe(via);
    }

    /** What is left of it where a range goes. */
    List<Piece> without(long from, long to) {
        if (!isPlaced() || from >= end() || to <= position) {
            return List.of(this);
        }
        List<Piece> left = new ArrayList<>(2);
        if (from > position) {
            left.add(part(0, (int) (from - position)));
        }
        if (to < end()) {
            left.add(part((int) (to - position), length));
        }
        return left;
    }

    private Piece part(int start, int stop) {
        Piece part = new Piece(owner, position + start, Arrays.copyOfRange(octets, start, stop));
        part.length = stop - start;
        part.sealed = true;
        part.number = number;
        part.via = via;
        part.taken = taken;
        part.reply = reply;
        return part;
    }

    /** Waits for the answer of the mount that went, whatever it is: it may still tell where it was placed. */
    void awaitEnd() throws InterruptedIOException {
        try {
            if (reply != null) {
                await(reply);
            }
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            // it is written again
        }
    }

    /** Waits until it is answered. */
    void await() throws IOException {
        await(reply);
    }

    static void await(CompletableFuture<?> reply) throws IOException {
        try {
            Object unused = reply.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for the server");
            interrupted.initCause(e);
            throw interrupted;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        }
    }
}
