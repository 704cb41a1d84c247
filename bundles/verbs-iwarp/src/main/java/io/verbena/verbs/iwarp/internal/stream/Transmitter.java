package io.verbena.verbs.iwarp.internal.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.ThreadWaits;
import io.verbena.verbs.iwarp.internal.memory.RandomNumbers;
import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.memory.RegionInvalidException;
import io.verbena.verbs.iwarp.internal.wire.DdpHeader;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.concurrent.CompletableFuture;

/**
 * The send side. A thread that posts, and finds the send side free, owns it for as long as there is something to send
 * and the socket takes it. Other threads leave their posts in the queue. When the socket is full, or the owner has sent
 * its share, the receive thread continues. No thread ever waits for the peer here.
 *
 * <p>The receive thread posts much in a row, as replies to what it has received in one read. It gathers that for a
 * short time and sends it in one write.
 */
public final class Transmitter {
    /** The receive thread, as the send side sees it. */
    public interface Wakeup {
        /** Makes the receive thread call {@link #flush} soon. Any thread. */
        void wakeup();

        /** Notes that writing failed: the connection ends. Any thread. */
        void writeFailed(IOException cause);

        boolean isReceiveThread();
    }

    /** The most batches that the receive thread sends before it reads again. */
    private static final int RECEIVE_THREAD_SHARE = 4;
    /**
     * The most batches that a posting thread sends, also for others, before it leaves the rest to the receive thread.
     */
    private static final int POSTER_SHARE = 64;

    /**
     * How long the receive thread gathers what its handler posts, and how much of it: then the thread sends that before
     * it handles more, so that the peer works at the same time.
     */
    private static final long GATHER_NANOS = 20_000;

    private static final int GATHER_OCTETS = 64 << 10;

    private static final int NO_CONTROL = -1;

    @GuardedBy("this")
    private final OutboundQueue queue;

    @GuardedBy("this")
    private final InboundReads inboundReads;

    private final Runtime runtime;
    private final FpduWriter writer;
    private final GatheringByteChannel channel;
    private final Wakeup receiver;
    private final RandomNumbers random;

    /** Completed when the last owner gives up the send side, after {@link #stop} or a failure. */
    private final CompletableFuture<Void> lastOwnerLeft = new CompletableFuture<>();

    // of the thread that owns the send side
    private final OutboundMessage message = new OutboundMessage();
    private int sendMsn = 1;
    private int readMsn = 1;
    private long sendsTaken;
    private long sendsBatched;

    @GuardedBy("this")
    private boolean owned;

    @GuardedBy("this")
    private boolean blocked;

    @GuardedBy("this")
    private boolean stalled;

    @GuardedBy("this")
    private long stalledSince;

    @GuardedBy("this")
    private long writtenAtStall;

    @GuardedBy("this")
    private boolean open;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private boolean stopped;

    @GuardedBy("this")
    private boolean responseTurn;

    @GuardedBy("this")
    private long gatheredSince;

    @GuardedBy("this")
    private long gatheredOctets;

    @GuardedBy("this")
    private int control = NO_CONTROL;

    public Transmitter(
            Runtime runtime,
            OutboundQueue queue,
            InboundReads inboundReads,
            FpduWriter writer,
            GatheringByteChannel channel,
            Wakeup receiver,
            RandomNumbers random) {
        this.runtime = runtime;
        this.queue = queue;
        this.inboundReads = inboundReads;
        this.writer = writer;
        this.channel = channel;
        this.receiver = receiver;
        this.random = random;
    }

    /** Posts a request and sends it, or leaves that to the thread that owns the send side. */
    public void post(
            long id, int opcode, Region region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        boolean isReceiveThread = receiver.isReceiveThread();
        for (boolean retried = false; ; retried = true) {
            synchronized (this) {
                if (closed) {
                    throw new RdmaException(RdmaException.Kind.DISCONNECTED, "the connection has ended");
                }
                if (opcode == Iwarp.READ_REQUEST && !queue.allowsReads()) {
                    // the read would wait forever, and so would all posts after it
                    throw new RdmaException(RdmaException.Kind.RESOURCES, "the peer answers no RDMA Reads");
                }
                if (!queue.isFull()) {
                    int sinkTag = opcode == Iwarp.READ_REQUEST ? random.nextInt() : 0;
                    queue.free().set(id, opcode, region, offset, length, remoteTag, remoteOffset, flags, sinkTag);
                    queue.push();
                    // the receive thread also flushes when it has handled all that was received
                    boolean isDue = !isReceiveThread || hasGathered(length);
                    if ((flags & RdmaConnection.MORE) != 0 || !isDue || !takeSendSide()) {
                        return;
                    }
                    break;
                }
                if (retried || !takeSendSide()) {
                    throw new RdmaException(RdmaException.Kind.QUEUE_FULL, "the send queue is full");
                }
            }
            pump(isReceiveThread ? RECEIVE_THREAD_SHARE : POSTER_SHARE);
        }
        pump(isReceiveThread ? RECEIVE_THREAD_SHARE : POSTER_SHARE);
    }

    /**
     * Counts a post of the receive thread; returns whether what was posted so far is to be sent. The octets of an RDMA
     * Read count as well: the peer has long to work on a large one.
     */
    @GuardedBy("this")
    private boolean hasGathered(int octets) {
        long now = runtime.nanoTime();
        if (queue.waiting() == 1) {
            gatheredSince = now;
            gatheredOctets = 0;
        }
        gatheredOctets += octets;
        return gatheredOctets >= GATHER_OCTETS || now - gatheredSince >= GATHER_NANOS;
    }

    /** Sends what waits, up to the receive thread's share. Only the receive thread calls this. */
    public void flush() {
        synchronized (this) {
            if (!takeSendSide()) {
                return;
            }
        }
        pump(RECEIVE_THREAD_SHARE);
    }

    /**
     * Sends what waits for a next post, which was refused. Does nothing on the receive thread, which flushes anyway.
     */
    public void handOver() {
        synchronized (this) {
            if (receiver.isReceiveThread() || !takeSendSide()) {
                return;
            }
        }
        pump(POSTER_SHARE);
    }

    /** Notes that the socket takes octets again, and sends. Only the receive thread calls this. */
    public void onWritable() {
        synchronized (this) {
            blocked = false;
        }
        flush();
    }

    public synchronized boolean isBlocked() {
        return blocked;
    }

    /** How long the socket has taken no octet of the batch; negative where no batch waits for the socket. */
    public synchronized long stalledNanos() {
        return blocked && stalled ? runtime.nanoTime() - stalledSince : -1;
    }

    /** Notes that the socket is full. Only the owner calls this. */
    private synchronized void noteFull() {
        if (!stalled || writer.written() != writtenAtStall) {
            stalled = true;
            stalledSince = runtime.nanoTime();
            writtenAtStall = writer.written();
        }
    }

    /** Whether {@link #flush} would send something. */
    public synchronized boolean isReady() {
        return !owned && !blocked && hasWork();
    }

    /** Whether the long staging buffer is in use, and nothing is being sent. */
    public synchronized boolean isGrown() {
        return !owned && writer.isGrown();
    }

    /** Gives the long staging buffer back, unless something is being sent or could be. */
    public synchronized void trim() {
        if (!owned && !blocked && !hasWork()) { // nobody takes the send side meanwhile
            writer.trim();
        }
    }

    /** Whether anything is being sent or could be. */
    public synchronized boolean isBusy() {
        return owned || blocked || hasWork();
    }

    /** Allows posts to be sent: the peer is ready. */
    public synchronized void open() {
        open = true;
    }

    /** Sends a control message before anything else: a zero-length RDMA Write, Read or Send. */
    public synchronized void control(int opcode) {
        control = opcode;
    }

    /** Queues a read of the peer for its response; returns false where more reads are outstanding than were offered. */
    synchronized boolean answer(int sinkTag, long sinkOffset, Region source, long sourceOffset, long size) {
        return inboundReads.add(sinkTag, sinkOffset, source, sourceOffset, size);
    }

    synchronized WorkRequest oldestRead() {
        return queue.oldestRead();
    }

    synchronized void readResponded() {
        queue.readResponded();
    }

    public synchronized int drain(Completion[] target) {
        return queue.drain(target);
    }

    public synchronized int drainAll(Completion[] target, WorkRequest refused) {
        return queue.drainAll(target, refused);
    }

    /** Refuses posts from now on. */
    public synchronized void close() {
        closed = true;
    }

    /** Ends sending and waits until no thread owns the send side; the caller may then use the writer. */
    public void stop() {
        synchronized (this) {
            closed = true;
            stopped = true; // no thread becomes the owner any more
            if (!owned) {
                return;
            }
        }
        ThreadWaits.untilDone(runtime, lastOwnerLeft); // the owner is in a write that does not block
    }

    /**
     * Called after {@link #stop}: writes the rest of the batch, and then a Terminate, unless the socket takes no more.
     *
     * @param terminate the Terminate header, or null for none
     * @return whether all octets were written
     */
    public boolean finish(ByteBuffer terminate) throws IOException {
        if (!writer.isEmpty() && !writer.write(channel)) {
            return false;
        }
        if (terminate != null && terminate.hasRemaining()) {
            int at = writer.header();
            DdpHeader.putUntagged(writer.staging(), at, Iwarp.TERMINATE, true, 0, Iwarp.QUEUE_TERMINATE, 1, 0);
            int length = terminate.remaining();
            writer.staging().put(at + DdpHeader.UNTAGGED_LENGTH, terminate, terminate.position(), length);
            terminate.position(terminate.limit());
            writer.append(DdpHeader.UNTAGGED_LENGTH + length, null, 0, 0, false);
            return writer.write(channel);
        }
        return true;
    }

    /** Makes the calling thread the owner of the send side where it is free and there is something to send. */
    @GuardedBy("this")
    private boolean takeSendSide() {
        if (owned || blocked || stopped || !hasWork()) {
            return false;
        }
        owned = true;
        return true;
    }

    @GuardedBy("this")
    private boolean hasWork() {
        return message.isOpen()
                || !writer.isEmpty()
                || control != NO_CONTROL
                || (open && (inboundReads.hasNext() || queue.peek() != null));
    }

    private void pump(int share) {
        try {
            for (int batches = 0; batches < share; batches++) {
                fillBatch();
                if (!writer.isEmpty() && !writer.write(channel)) {
                    noteFull();
                    release(true);
                    return;
                }
                if (batchSent()) {
                    return;
                }
            }
            release(false);
        } catch (Throwable e) {
            fail(e);
        }
    }

    private void fail(Throwable thrown) {
        synchronized (this) {
            closed = true;
            stopped = true;
        }
        try {
            // first, as the release wakes the thread that reads it
            receiver.writeFailed(
                    thrown instanceof IOException cause
                            ? cause
                            : new IOException("unexpected failure in sending: " + thrown, thrown));
        } finally {
            release(false); // else a thread in stop would wait forever
        }
    }

    private void fillBatch() throws RegionInvalidException {
        while (message.isOpen() || next()) {
            message.appendTo(writer);
            if (message.isOpen()) {
                return;
            }
            sendsBatched = sendsTaken;
        }
    }

    /**
     * Picks what to send next: control messages first, then this end's requests and responses to the peer's reads in
     * turn.
     */
    private synchronized boolean next() {
        // further reads must find room before the peer has the last octet of a response
        inboundReads.answered();
        if (stopped) {
            return false;
        }
        if (control != NO_CONTROL) {
            int opcode = control;
            control = NO_CONTROL;
            sendControl(opcode);
            return true;
        }
        if (!open) {
            return false;
        }
        WorkRequest request = queue.peek();
        if (inboundReads.hasNext() && (responseTurn || request == null)) {
            responseTurn = false;
            InboundReads.Entry read = inboundReads.take();
            message.tagged(
                    Iwarp.READ_RESPONSE, read.source, read.sourceOffset, read.size, read.sinkTag, read.sinkOffset);
            return true;
        }
        if (request == null) {
            return false;
        }
        responseTurn = true;
        queue.take();
        sendsTaken = queue.taken();
        start(request);
        return true;
    }

    private void sendControl(int opcode) {
        switch (opcode) {
            case Iwarp.WRITE -> message.tagged(Iwarp.WRITE, null, 0, 0, 0, 0);
            case Iwarp.READ_REQUEST -> message.readRequest(readMsn++, 0, 0, 0, 0);
            default -> message.send(Iwarp.SEND, null, 0, 0, sendMsn++, 0);
        }
    }

    private void start(WorkRequest r) {
        switch (r.opcode) {
            case Iwarp.WRITE -> message.tagged(Iwarp.WRITE, r.region, r.offset, r.length, r.remoteTag, r.remoteOffset);
            case Iwarp.READ_REQUEST -> message.readRequest(readMsn++, r.sinkTag, r.length, r.remoteTag, r.remoteOffset);
            default -> message.send(r.opcode, r.region, r.offset, r.length, sendMsn++, r.remoteTag);
        }
    }

    /** Notes that the kernel has the batch. Where there is no more to send, gives up the send side and returns true. */
    private boolean batchSent() {
        boolean wake;
        boolean done;
        boolean last;
        synchronized (this) {
            queue.sent(sendsBatched);
            stalled = false;
            done = stopped || !hasWork();
            if (done) {
                owned = false;
            }
            last = stopped;
            wake = queue.hasCompletion();
        }
        if (last) {
            lastOwnerLeft.complete(null);
        }
        if (wake && !receiver.isReceiveThread()) {
            receiver.wakeup();
        }
        return done;
    }

    private void release(boolean full) {
        boolean last;
        synchronized (this) {
            blocked = full;
            owned = false;
            last = stopped;
        }
        if (last) {
            lastOwnerLeft.complete(null);
        }
        if (!receiver.isReceiveThread()) {
            receiver.wakeup();
        }
    }
}
