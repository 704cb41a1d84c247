package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;

/**
 * The send side. Whoever finds it free owns it for as long as there is something to send and the socket takes it;
 * others leave their posts in the queue. When the socket is full, or the owner has sent its share, the receive thread
 * goes on. No thread ever waits for the peer here.
 */
final class Transmitter {
    /** What the receive thread does for the send side. */
    interface Wakeup {
        /** Makes the receive thread look at the send side soon; any thread. */
        void wakeup();

        /** Writing failed: the connection is over; any thread. */
        void writeFailed(IOException cause);

        boolean isReceiveThread();
    }

    /** Batches that the receive thread sends before it looks at what has come in. */
    private static final int RECEIVE_THREAD_SHARE = 4;
    /** Batches that a thread sends, for others too, before it leaves the rest to the receive thread. */
    private static final int POSTER_SHARE = 64;

    private static final int NO_CONTROL = -1;

    private final SendQueue queue;
    private final InboundReads inboundReads;
    private final FpduWriter writer;
    private final GatheringByteChannel channel;
    private final Wakeup receiver;
    private final RandomNumbers random;

    // of the owner
    private final OutboundMessage message = new OutboundMessage();
    private int sendMsn = 1;
    private int readMsn = 1;
    private long sendsBatched;

    // guarded by this
    private boolean owned;
    private boolean blocked;
    private boolean gateOpen;
    private boolean closed;
    private boolean stopped;
    private boolean responseTurn;
    private int control = NO_CONTROL;

    Transmitter(
            SendQueue queue,
            InboundReads inboundReads,
            FpduWriter writer,
            GatheringByteChannel channel,
            Wakeup receiver,
            RandomNumbers random) {
        this.queue = queue;
        this.inboundReads = inboundReads;
        this.writer = writer;
        this.channel = channel;
        this.receiver = receiver;
        this.random = random;
    }

    /** Posts a request and sends it, or leaves that to whoever is sending. */
    void post(long id, int opcode, Region region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        boolean own = receiver.isReceiveThread();
        for (boolean retried = false; ; retried = true) {
            synchronized (this) {
                if (closed) {
                    throw new RdmaException(RdmaException.Kind.DISCONNECTED, "the connection has ended");
                }
                if (opcode == Iwarp.READ_REQUEST && !queue.allowsReads()) {
                    // it would wait for ever, and with it all that is posted after it
                    throw new RdmaException(RdmaException.Kind.RESOURCES, "the peer answers no RDMA Reads");
                }
                if (!queue.isFull()) {
                    fill(queue.free(), id, opcode, region, offset, length, remoteTag, remoteOffset, flags);
                    queue.push();
                    // the receive thread flushes when nothing received waits any more
                    if (own || (flags & RdmaConnection.MORE) != 0 || !own()) {
                        return;
                    }
                    break;
                }
                if (retried || !own()) {
                    throw new RdmaException(RdmaException.Kind.QUEUE_FULL, "the send queue is full");
                }
            }
            pump(own ? RECEIVE_THREAD_SHARE : POSTER_SHARE);
        }
        pump(POSTER_SHARE);
    }

    private void fill(
            WorkRequest r,
            long id,
            int opcode,
            Region region,
            long offset,
            int length,
            int remoteTag,
            long remoteOffset,
            int flags) {
        r.id = id;
        r.opcode = opcode;
        r.operation = opcode == Iwarp.WRITE
                ? Completion.Operation.RDMA_WRITE
                : opcode == Iwarp.READ_REQUEST ? Completion.Operation.RDMA_READ : Completion.Operation.SEND;
        r.region = region;
        r.offset = offset;
        r.length = length;
        r.remoteTag = remoteTag;
        r.remoteOffset = remoteOffset;
        r.signaled = (flags & RdmaConnection.UNSIGNALED) == 0;
        r.received = 0;
        r.responded = false;
        r.sinkTag = opcode == Iwarp.READ_REQUEST ? random.nextInt() : 0;
    }

    /** Sends what waits, up to the receive thread's share; called by that thread. */
    void flush() {
        synchronized (this) {
            if (!own()) {
                return;
            }
        }
        pump(RECEIVE_THREAD_SHARE);
    }

    /** Sends what waits for a post behind it that was refused; the receive thread does so anyway. */
    void handOver() {
        synchronized (this) {
            if (receiver.isReceiveThread() || !own()) {
                return;
            }
        }
        pump(POSTER_SHARE);
    }

    /** The socket takes octets again; called by the receive thread. */
    void onWritable() {
        synchronized (this) {
            blocked = false;
        }
        flush();
    }

    synchronized boolean isBlocked() {
        return blocked;
    }

    /** Whether {@link #flush} would send something. */
    synchronized boolean isReady() {
        return !owned && !blocked && hasWork();
    }

    /** Whether anything is being sent or could be. */
    synchronized boolean isBusy() {
        return owned || blocked || hasWork();
    }

    /** Lets posts go out. */
    synchronized void openGate() {
        gateOpen = true;
    }

    /** Has a control message sent before anything else: a zero-length RDMA Write, Read or Send. */
    synchronized void control(int opcode) {
        control = opcode;
    }

    /** A read of the peer's is to be answered; false when more are outstanding than were offered. */
    synchronized boolean answer(int sinkTag, long sinkOffset, Region source, long sourceOffset, long size) {
        return inboundReads.add(sinkTag, sinkOffset, source, sourceOffset, size);
    }

    synchronized WorkRequest oldestRead() {
        return queue.oldestRead();
    }

    synchronized void readResponded() {
        queue.readResponded();
    }

    synchronized int drain(Completion[] target) {
        return queue.drain(target);
    }

    synchronized int drainAll(Completion[] target, WorkRequest refused) {
        return queue.drainAll(target, refused);
    }

    /** No more posts. */
    synchronized void close() {
        closed = true;
    }

    /** Ends sending and waits until the owner, if there is one, is out; the caller may then use the writer. */
    synchronized void stop() {
        closed = true;
        stopped = true;
        boolean interrupted = false;
        while (owned) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * After {@link #stop}: writes what is left of the batch, and behind it a Terminate, unless the peer takes no more.
     *
     * @param terminate the Terminate header, or null for none
     * @return whether all is out
     */
    boolean finish(ByteBuffer terminate) throws IOException {
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

    /** Takes the send side if it is free and there is something to send. Guarded by this. */
    private boolean own() {
        if (owned || blocked || stopped || !hasWork()) {
            return false;
        }
        owned = true;
        return true;
    }

    private boolean hasWork() {
        return message.isOpen()
                || !writer.isEmpty()
                || control != NO_CONTROL
                || (gateOpen && (inboundReads.hasNext() || queue.peek() != null));
    }

    private void pump(int share) {
        try {
            for (int batches = 0; batches < share; batches++) {
                fillBatch();
                if (!writer.isEmpty() && !writer.write(channel)) {
                    release(true);
                    return;
                }
                if (batchSent()) {
                    return;
                }
            }
            release(false);
        } catch (IOException e) {
            fail(e);
        } catch (RuntimeException e) {
            // who waits in stop must not wait for ever
            fail(new IOException("unexpected failure in sending: " + e, e));
        }
    }

    private void fail(IOException cause) {
        synchronized (this) {
            closed = true;
            stopped = true;
        }
        receiver.writeFailed(cause); // first: the release wakes the thread that looks at it
        release(false);
    }

    private void fillBatch() throws RegionInvalidException {
        while (message.isOpen() || next()) {
            message.appendTo(writer);
            if (message.isOpen()) {
                return;
            }
            sendsBatched = queue.taken();
        }
    }

    /** Picks what to send next: control messages, then our requests and the peer's reads in turn. */
    private synchronized boolean next() {
        // room for further reads has to be there before the peer has the last octet of a response
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
        if (!gateOpen) {
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

    /** The batch is with the kernel. Gives the send side up, and returns true, when there is no more to send. */
    private boolean batchSent() {
        boolean wake;
        boolean done;
        synchronized (this) {
            queue.sent(sendsBatched);
            done = stopped || !hasWork();
            if (done) {
                owned = false;
                notifyAll();
            }
            wake = queue.hasCompletion();
        }
        if (wake && !receiver.isReceiveThread()) {
            receiver.wakeup();
        }
        return done;
    }

    private void release(boolean full) {
        synchronized (this) {
            blocked = full;
            owned = false;
            notifyAll();
        }
        if (!receiver.isReceiveThread()) {
            receiver.wakeup();
        }
    }
}
