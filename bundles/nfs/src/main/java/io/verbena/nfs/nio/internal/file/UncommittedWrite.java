package io.verbena.nfs.nio.internal.file;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A copy of octets that a channel has written, and the answer to that write. Guarded by the lock of
 * {@link UncommittedWrites}; a thread that waits for the answer does not hold it.
 */
public final class UncommittedWrite {
    public static final int MAX_SIZE = 256 << 10;
    private static final int FIRST_SIZE = 8 << 10;
    private static final long UNPLACED = -1;

    private final OpenFile owner;
    private volatile long position;
    private byte[] octets;
    private int length;
    private boolean sealed;
    private long number;
    private volatile RemoteFile via;
    /** Whether the mount's channel has taken all octets. The next sync reports their failure. */
    private boolean taken;
    /** The answer, for a write that was sent by {@link #send}; else null. */
    private volatile CompletableFuture<?> reply;

    private UncommittedWrite(OpenFile owner, long position, byte[] octets) {
        this.owner = owner;
        this.position = position;
        this.octets = octets;
        this.via = owner.now();
    }

    /** @param expected octets that are added next */
    public static UncommittedWrite at(OpenFile owner, long position, int expected) {
        return new UncommittedWrite(owner, position, new byte[Math.max(FIRST_SIZE, expected)]);
    }

    /** A write at the end of the file, whose offset the server's answer tells. */
    public static UncommittedWrite append(OpenFile owner, ByteBuffer source) {
        int size = source.remaining();
        UncommittedWrite write = new UncommittedWrite(owner, UNPLACED, new byte[Math.max(FIRST_SIZE, size)]);
        write.add(source, size);
        return write;
    }

    OpenFile owner() {
        return owner;
    }

    /** Numbers the write in the order of writes. Parts that are left of it have the same number. */
    UncommittedWrite numbered(long place) {
        number = place;
        return this;
    }

    long number() {
        return number;
    }

    /** The open file by which it was sent. */
    public RemoteFile via() {
        return via;
    }

    public long position() {
        return position;
    }

    private long end() {
        return position + length;
    }

    boolean isPlaced() {
        return position != UNPLACED;
    }

    /** The memory of its array, in octets, however little of it is used. */
    int memory() {
        return octets.length;
    }

    /** How many octets can be appended, if its owner writes at that offset; 0 if they do not follow. */
    public int room(OpenFile writer, long at) {
        boolean follows = writer == owner && !sealed && isPlaced() && at == end();
        return follows ? Math.max(0, MAX_SIZE - length) : 0;
    }

    /**
     * Appends a copy of {@code count} octets.
     *
     * @return the copy
     */
    public ByteBuffer add(ByteBuffer source, int count) {
        if (length + count > octets.length) {
            octets = Arrays.copyOf(octets, Math.max(Math.min(MAX_SIZE, 2 * octets.length), length + count));
        }
        source.get(octets, length, count);
        length += count;
        return ByteBuffer.wrap(octets, length - count, count);
    }

    /** Ends it: nothing is appended any more. */
    void seal() {
        sealed = true;
    }

    /** Records whether the mount's channel has taken all that was appended. */
    public void taken(boolean all) {
        taken = all;
    }

    /** Sends it, apart from the mount's channel, by its owner's present file. */
    public void send() {
        sealed = true;
        via = owner.now();
        ByteBuffer content = ByteBuffer.wrap(octets, 0, length);
        try {
            reply = isPlaced()
                    ? via.writeAsync(content, position)
                    : via.appendAsync(content, placed -> position = placed);
        } catch (Throwable e) {
            reply = CompletableFuture.failedFuture(e);
        }
    }

    /** Whether {@link #send} has sent it by its owner's present file. */
    boolean isSent() {
        return reply != null && via == owner.now();
    }

    /** Whether the former mount has committed it. */
    boolean isSafe() {
        boolean answered = reply == null ? taken : reply.isDone() && !reply.isCompletedExceptionally();
        return answered && via != owner.now() && !owner.isUnsafe(via);
    }

    /** The parts that are left of it without a range. */
    List<UncommittedWrite> without(long from, long to) {
        if (!isPlaced() || from >= end() || to <= position) {
            return List.of(this);
        }
        List<UncommittedWrite> left = new ArrayList<>(2);
        if (from > position) {
            left.add(part(0, (int) (from - position)));
        }
        if (to < end()) {
            left.add(part((int) (to - position), length));
        }
        return left;
    }

    private UncommittedWrite part(int start, int stop) {
        UncommittedWrite part = new UncommittedWrite(owner, position + start, Arrays.copyOfRange(octets, start, stop));
        part.length = stop - start;
        part.sealed = true;
        part.number = number;
        part.via = via;
        part.taken = taken;
        part.reply = reply;
        return part;
    }

    /** Waits for the answer of the former mount, success or failure: it may tell the offset of an append. */
    void awaitEnd() throws InterruptedIOException {
        try {
            if (reply != null) {
                await();
            }
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            // it is sent again
        }
    }

    /** Waits for the answer, and throws its failure. */
    public void await() throws IOException {
        Object unused = owner.await(reply);
    }
}
