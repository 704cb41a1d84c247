package io.verbena.verbs.iwarp.internal.connection;

import io.verbena.runtime.Runtime;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.Log;
import io.verbena.verbs.iwarp.internal.memory.RegionInvalidException;
import io.verbena.verbs.iwarp.internal.memory.RegionTable;
import io.verbena.verbs.iwarp.internal.stream.DdpSegmentReceiver;
import io.verbena.verbs.iwarp.internal.stream.FpduReader;
import io.verbena.verbs.iwarp.internal.stream.ReceiveRing;
import io.verbena.verbs.iwarp.internal.stream.Transmitter;
import io.verbena.verbs.iwarp.internal.tcp.TimedChannel;
import io.verbena.verbs.iwarp.internal.wire.ReadyMode;
import io.verbena.verbs.iwarp.internal.wire.StreamFault;
import io.verbena.verbs.iwarp.internal.wire.TerminateHeader;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * The receive thread, the one thread of a connection. It receives, calls the handler, sends what other threads could
 * not send at once, and ends the connection. It never blocks in a read or write: two ends that send each other more
 * than the sockets hold would otherwise wait for each other forever.
 */
final class ReceiveLoop implements Runnable, Transmitter.Wakeup, DdpSegmentReceiver.Events, PollPhase.Source {
    /** The most reads before the thread sends again. */
    private static final int READS_IN_A_ROW = 16;
    /**
     * The most rounds of delivering completions, and sending what the handler then posts, before the thread reads
     * again.
     */
    private static final int ROUNDS_IN_A_ROW = 8;

    /** The most empty writes to a responder that does not answer the read by which this end gets ready. */
    private static final int READY_WAKEUPS = 5;

    private static final long WAKEUP_MILLIS = 20;

    /** How long nothing comes, and nothing is sent, before long staging buffers are given back. */
    private static final long IDLE_MILLIS = 10_000;

    private static final long NANOS_PER_MILLI = 1_000_000;
    /** The time for a closed connection to send what was posted. */
    private static final long LINGER_SEND_MILLIS = 1_000;
    /** The time to send a Terminate, and for the peer to close its side. */
    private static final long LINGER_MILLIS = 250;

    private final Runtime runtime;
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final RegionTable regions;
    private final CompletionDelivery delivery;
    private final ResponderWakeup responderWakeup;
    private final boolean responder;
    private final Duration sendTimeout;
    private final PollPhase pollPhase;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final Runnable afterwards;

    private Transmitter transmitter;
    private DdpSegmentReceiver segments;
    private FpduReader reader;
    private int interest;
    /** The operations that the socket was last found ready for. */
    private int operations;

    /** Whether a long staging buffer was in use before the last wait. */
    private boolean isGrown;

    /** When something last came or went while a long staging buffer was in use. */
    private long busyNanos;

    private boolean moreToRead;
    private boolean endOfStream;
    private volatile Thread thread;
    private volatile boolean called;
    private volatile boolean closing;
    private volatile boolean ending;
    private volatile boolean peerReady;
    private volatile IOException writeFailure;

    /**
     * @param responder whether posts are sent only after the peer's first FPDU
     * @param sendTimeout the time in which the peer must take at least one octet of what is sent to it
     * @param afterwards called by the thread as its last action
     */
    ReceiveLoop(
            Runtime runtime,
            TimedChannel connection,
            ConnectionHandler handler,
            RegionTable regions,
            ReceiveRing receives,
            boolean responder,
            Duration sendTimeout,
            PollPhase pollPhase,
            Runnable afterwards) {
        this.runtime = runtime;
        channel = connection.channel();
        selector = connection.selector();
        key = connection.key();
        delivery = new CompletionDelivery(handler, receives);
        this.regions = regions;
        this.responder = responder;
        this.sendTimeout = sendTimeout;
        this.pollPhase = pollPhase;
        this.afterwards = afterwards;
        responderWakeup = new ResponderWakeup(runtime);
    }

    /**
     * Sets the objects that this loop works with, and that need this loop themselves. Called before the thread starts.
     */
    void use(Transmitter newTransmitter, DdpSegmentReceiver newSegments, FpduReader newReader) {
        transmitter = newTransmitter;
        segments = newSegments;
        reader = newReader;
    }

    /** Prepares for the first FPDU that the handshake agreed on. Called before the thread starts. */
    void getReady(ReadyMode mode) {
        if (responder) {
            if (mode == ReadyMode.SEND) {
                segments.expectReadySend();
            }
            return;
        }
        if (mode != ReadyMode.NONE) {
            transmitter.control(mode.opcode);
        }
        if (mode == ReadyMode.READ) {
            segments.expectReadyResponse();
            responderWakeup.start(READY_WAKEUPS, WAKEUP_MILLIS);
        } else {
            peerIsReady();
            responderWakeup.start(1, WAKEUP_MILLIS);
        }
    }

    /**
     * Waits until the peer has shown that it is ready.
     *
     * @param deadline on the runtime's clock
     */
    void awaitReady(long deadline) throws RdmaException {
        try {
            runtime.await(ready, deadline - runtime.nanoTime());
        } catch (TimeoutException | ExecutionException e) {
            throw new RdmaException(RdmaException.Kind.TIMED_OUT, "the peer did not get ready in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(RdmaException.Kind.DISCONNECTED, "interrupted while connecting", e);
        }
        if (!peerReady) {
            throw new RdmaException(RdmaException.Kind.DISCONNECTED, "the connection ended before the peer was ready");
        }
    }

    /** Whether the connection's end has begun; any thread. */
    boolean isEnding() {
        return ending;
    }

    /** Ends the connection in order. Any thread. */
    void close() {
        closing = true;
        delivery.holdSends();
        wakeup();
    }

    @Override
    public void wakeup() {
        called = true; // first: a look of the polling phase may take the selector's own signal
        selector.wakeup();
    }

    @Override
    public void writeFailed(IOException cause) {
        writeFailure = cause;
    }

    @Override
    public boolean isReceiveThread() {
        return Thread.currentThread() == thread;
    }

    @Override
    public Completion nextCompletion() {
        return delivery.nextReceived();
    }

    @Override
    public void onFirstFpdu() {
        responderWakeup.stop();
        if (responder) {
            peerIsReady();
        }
    }

    @Override
    public void onReadyResponse() {
        peerIsReady();
    }

    private void peerIsReady() {
        transmitter.open();
        peerReady = true;
        ready.complete(null);
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        RdmaException cause = null;
        ByteBuffer terminate = null;
        try {
            loop();
        } catch (StreamFault e) {
            ByteBuffer header = ByteBuffer.allocate(TerminateHeader.MAX_LENGTH);
            terminate = header.limit(reader.putTerminate(header, e.fault()));
            cause = e.toRdmaException();
        } catch (RdmaException e) {
            cause = e;
        } catch (RegionInvalidException e) {
            cause = new RdmaException(RdmaException.Kind.ACCESS, e.getMessage(), e);
        } catch (IOException e) {
            cause = new RdmaException(RdmaException.Kind.DISCONNECTED, "the connection broke: " + e.getMessage(), e);
        } catch (Throwable e) {
            Log.LOGGER.error("a connection ends by an unexpected failure", e);
            cause = new RdmaException(RdmaException.Kind.RESOURCES, "unexpected failure: " + e, e);
        } finally { // also where no memory is left to describe the cause
            try {
                end(cause, terminate);
            } finally {
                ready.complete(null);
                afterwards.run();
            }
        }
    }

    private void loop() throws IOException, StreamFault {
        do {
            work();
            if (closing) {
                return;
            }
            select(moreToRead || transmitter.isReady() ? 0 : waitMillis());
            if ((operations & SelectionKey.OP_WRITE) != 0) {
                transmitter.onWritable();
            }
            checkStalled();
            checkIdle();
            responderWakeup.check(transmitter);
        } while (((operations & SelectionKey.OP_READ) == 0 && !moreToRead) || readAll());
        endOfStream = true;
        if (reader.isMidway()) {
            throw new RdmaException(
                    RdmaException.Kind.DISCONNECTED, "the peer closed the connection in the middle of an FPDU");
        }
    }

    /** How long to wait for the socket; negative for no end. */
    private long waitMillis() {
        long wakeup = responderWakeup.waitMillis();
        isGrown = reader.isGrown() || transmitter.isGrown();
        if (isGrown) {
            wakeup = wakeup < 0 ? IDLE_MILLIS : Math.min(wakeup, IDLE_MILLIS);
        }
        long stalled = transmitter.stalledNanos();
        if (stalled < 0) {
            return wakeup;
        }
        long left = Math.max(1, (sendTimeout.toNanos() - stalled) / NANOS_PER_MILLI + 1);
        return wakeup < 0 ? left : Math.min(wakeup, left);
    }

    /** Gives long staging buffers back when the connection has been idle for a while. */
    private void checkIdle() {
        if (!isGrown) {
            return;
        }
        long now = runtime.nanoTime();
        if (operations != 0 || moreToRead) {
            busyNanos = now;
        } else if (now - busyNanos >= IDLE_MILLIS * NANOS_PER_MILLI) {
            reader.trim();
            transmitter.trim();
            busyNanos = now;
        }
    }

    /** Ends the connection to a peer that acknowledges and takes no octet, its window being closed: TCP does not. */
    private void checkStalled() throws IOException {
        if (transmitter.stalledNanos() >= sendTimeout.toNanos()) {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0); // so that the system drops the unsent octets too
            endOfStream = true;
            throw new RdmaException(
                    RdmaException.Kind.TIMED_OUT,
                    "the peer has taken nothing of what is sent to it for " + sendTimeout.toMillis()
                            + " ms (send.timeout.s)");
        }
    }

    /** Delivers completions and sends what the handler posts, until there is no more or it is time to read. */
    private void work() throws IOException {
        for (int i = 0; i < ROUNDS_IN_A_ROW; i++) {
            transmitter.flush();
            if (writeFailure != null) {
                throw writeFailure;
            }
            if (!delivery.deliver(transmitter)) {
                return;
            }
        }
        moreToRead = true;
    }

    /** Waits for the socket. Time 0: only looks; negative: waits without end. */
    private void select(long millis) throws IOException {
        int wanted = SelectionKey.OP_READ | (transmitter.isBlocked() ? SelectionKey.OP_WRITE : 0);
        if (wanted != interest) {
            key.interestOps(wanted);
            interest = wanted;
        }
        if (Thread.interrupted()) {
            // a selector does not wait in a thread whose interrupt flag is set
            Log.LOGGER.debug("a connection handler left its thread interrupted");
        }
        operations = pollPhase.poll(this, millis);
        if (operations == 0) {
            operations = TimedChannel.select(selector, key, called ? 0 : millis);
        }
        called = false;
    }

    @Override
    public int look() throws IOException {
        return TimedChannel.select(selector, key, 0);
    }

    @Override
    public boolean isCalled() {
        return called;
    }

    /** Reads until the socket is empty; returns false at the end of the stream. */
    private boolean readAll() throws IOException, StreamFault {
        for (int i = 0; i < READS_IN_A_ROW && !closing; i++) {
            long n = reader.read(channel);
            if (n < 0) {
                return false;
            }
            if (n > 0) {
                reader.process();
            }
            if (reader.wasShort()) {
                moreToRead = false;
                return true;
            }
            // the FPDUs that were read are handled: what was posted meanwhile is sent now, in one write
            delivery.deliver(transmitter);
            transmitter.flush();
        }
        moreToRead = true;
        return true;
    }

    private void end(RdmaException cause, ByteBuffer terminate) {
        ending = true;
        transmitter.close();
        if (cause == null && !endOfStream) {
            try {
                sendRest();
            } catch (Throwable e) {
                Log.LOGGER.debug("sending the rest of a connection failed", e);
            }
        }
        // whatever failed: no thread writes, and no memory is in reach, before onDisconnected is called
        transmitter.stop();
        regions.close();
        try {
            sendLast(terminate);
        } catch (Throwable e) {
            Log.LOGGER.debug("sending the last of a connection failed", e);
        }
        delivery.deliverEnd(transmitter, segments, cause);
        awaitEndOfStream();
    }

    /** Sends what was posted before the connection was closed, if the peer takes it. */
    private void sendRest() throws IOException {
        long deadline = runtime.nanoTime() + LINGER_SEND_MILLIS * NANOS_PER_MILLI;
        while (transmitter.isBusy() && writeFailure == null) {
            transmitter.flush();
            long millis = (deadline - runtime.nanoTime()) / NANOS_PER_MILLI;
            if (millis <= 0) {
                return;
            }
            if (transmitter.isBlocked()) {
                awaitOperation(SelectionKey.OP_WRITE, millis);
                transmitter.onWritable();
            }
        }
    }

    private void awaitOperation(int operation, long millis) throws IOException {
        key.interestOps(operation);
        interest = operation;
        operations = TimedChannel.select(selector, key, millis);
    }

    private void sendLast(ByteBuffer terminate) throws IOException {
        if (endOfStream || (writeFailure != null && !(writeFailure instanceof RegionInvalidException))) {
            return;
        }
        long deadline = runtime.nanoTime() + LINGER_MILLIS * NANOS_PER_MILLI;
        while (!transmitter.finish(terminate)) {
            long millis = (deadline - runtime.nanoTime()) / NANOS_PER_MILLI;
            if (millis <= 0) {
                return;
            }
            awaitOperation(SelectionKey.OP_WRITE, millis);
        }
        channel.shutdownOutput();
    }

    /**
     * Reads on for a while: a socket that is closed with unread octets is reset, and the peer may lose what was sent
     * last.
     */
    private void awaitEndOfStream() {
        try {
            long deadline = runtime.nanoTime() + LINGER_MILLIS * NANOS_PER_MILLI;
            ByteBuffer scratch = ByteBuffer.allocate(4096);
            while (!endOfStream) {
                int n = channel.read(scratch.clear());
                long millis = (deadline - runtime.nanoTime()) / NANOS_PER_MILLI;
                endOfStream = n < 0 || millis <= 0;
                if (n == 0 && !endOfStream) {
                    awaitOperation(SelectionKey.OP_READ, millis);
                }
            }
        } catch (Throwable e) { // mostly the peer has reset the connection
            Log.LOGGER.debug("the rest of a connection that has ended was not read", e);
        }
    }
}
