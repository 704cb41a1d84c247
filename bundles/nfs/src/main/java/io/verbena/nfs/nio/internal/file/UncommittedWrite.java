package io.verbena.nfs.nio.internal.file;

import io.verbena.nfs.Mount;
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
    /** The open file, and the mount, that the octets were handed to. */
    private volatile OpenResult via;

    /** Whether the mount's channel has taken all octets. The next sync reports their failure. */
    private boolean taken;
    /** The answer, for a write that was sent by {@link #send}; else null. */
    private volatile CompletableFuture<?> reply;

    private UncommittedWrite(OpenFile owner, OpenResult via, long position, byte[] octets) {
        this.owner = owner;
        this.via = via;
        this.position = position;
        this.octets = octets;
    }

    /**
     * @param via the file that the octets are handed to
     * @param expected octets that are added next
     */
    public static UncommittedWrite at(OpenFile owner, OpenResult via, long position, int expected) {
        return new UncommittedWrite(owner, via, position, new byte[Math.max(FIRST_SIZE, expected)]);
    }

    /** A write at the end of the file, whose offset the server's answer tells. */
    public static UncommittedWrite append(OpenFile owner, OpenResult via, ByteBuffer source) {
        int size = source.remaining();
        UncommittedWrite write = new UncommittedWrite(owner, via, UNPLACED, new byte[Math.max(FIRST_SIZE, size)]);
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

    /** The open file that it was handed to. */
    public RemoteFile via() {
        return via.file();
    }

    /** The mount that it was handed to. */
    Mount mount() {
        return via.mount();
    }

    public long position() {
        return position;
    }

    long end() {
        return position + length;
    }

    boolean isPlaced() {
        return position != UNPLACED;
    }

    /** The memory of its array, in octets, however little of it is used. */
    int memory() {
        return octets.length;
    }

    /**
     * How many octets can be appended, if its owner writes at that offset; 0 if they do not follow.
     *
     * @param by the file that the octets are handed to
     */
    public int room(OpenFile writer, OpenResult by, long at) {
        boolean follows = writer == owner && by.file() == via() && !sealed && isPlaced() && at == end();
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

    /** Sends it again, by its owner's present file. */
    void sendAgain() {
        via = owner.present();
        send();
    }

    /** Sends it, apart from the mount's channel. */
    public void send() {
        sealed = true;
        RemoteFile by = via.file();
        ByteBuffer content = ByteBuffer.wrap(octets, 0, length);
        try {
            reply = isPlaced()
                    ? by.writeAsync(content, position)
                    : by.appendAsync(content, placed -> position = placed);
        } catch (Throwable e) {
            reply = CompletableFuture.failedFuture(e);
        }
    }

    /** Whether {@link #send} has sent it by its owner's present file. */
    boolean isSent() {
        return reply != null && isHandedToPresent();
    }

    /** Whether it was handed to its owner's present file. */
    boolean isHandedToPresent() {
        return via() == owner.now();
    }

    /** Whether the former mount has committed it. */
    boolean isSafe() {
        boolean answered = reply == null ? taken : reply.isDone() && !reply.isCompletedExceptionally();
        return answered && !isHandedToPresent() && !owner.isUnsafe(via());
    }

    boolean overlaps(long from, long to) {
        return isPlaced() && from < end() && to > position;
    }

    /** The parts that are left of it without a range. */
    List<UncommittedWrite> without(long from, long to) {
        if (!overlaps(from, to)) {
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
        UncommittedWrite part =
                new UncommittedWrite(owner, via, position + start, Arrays.copyOfRange(octets, start, stop));
        part.length = stop - start;
        part.sealed = true;
        part.number = number;
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
