package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The one thread of a connection. It receives, tells the handler, sends what other threads could not get rid of, and
 * ends the connection. It never blocks in a read or write: two ends that send each other more than the sockets hold
 * would wait for one another for ever.
 */
final class ReceiveLoop implements Runnable, Transmitter.Wakeup, Inbound.Events {
    /** Reads in a row before the send side is looked at again. */
    private static final int READS_IN_A_ROW = 16;
    /** Rounds of telling completions and sending what was posted then, before reading again. */
    private static final int ROUNDS_IN_A_ROW = 8;

    /** Kicks of a responder that does not answer the read by which we get ready. */
    private static final int READY_KICKS = 5;

    private static final long KICK_MILLIS = 20;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** How long a closed connection may take to get rid of what was posted. */
    private static final long LINGER_SEND_MILLIS = 1_000;
    /** How long a Terminate may take to go out, and the peer to close its side. */
    private static final long LINGER_MILLIS = 250;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final RegionTable regions;
    private final HandlerCalls calls;
    private final Kicker kicker;
    private final boolean responder;
    private final CountDownLatch ready = new CountDownLatch(1);
    private final Runnable afterwards;

    private Transmitter transmitter;
    private Inbound inbound;
    private FpduReader reader;
    private int interest;
    /** What the socket was last found ready for. */
    private int operations;

    private boolean moreToRead;
    private boolean endOfStream;
    private volatile Thread thread;
    private volatile boolean closing;
    private volatile boolean ending;
    private volatile boolean peerReady;
    private volatile IOException writeFailure;

    /**
     * @param responder whether the peer's first FPDU is what lets posts go out
     * @param afterwards the last thing that the thread does
     */
    ReceiveLoop(
            TimedChannel connection,
            ConnectionHandler handler,
            RegionTable regions,
            ReceiveQueue receives,
            boolean responder,
            Runnable afterwards) {
        channel = connection.channel();
        selector = connection.selector();
        key = connection.key();
        calls = new HandlerCalls(handler, receives);
        this.regions = regions;
        this.responder = responder;
        this.afterwards = afterwards;
        kicker = new Kicker();
    }

    /** What it works with, which in turn needs it; before the thread starts. */
    void use(Transmitter newTransmitter, Inbound newInbound, FpduReader newReader) {
        transmitter = newTransmitter;
        inbound = newInbound;
        reader = newReader;
    }

    /** Prepares for what the handshake agreed that the first FPDU is; before the thread starts. */
    void getReady(ReadyMode mode) {
        if (responder) {
            if (mode == ReadyMode.SEND) {
                inbound.expectReadySend();
            }
            return;
        }
        if (mode != ReadyMode.NONE) {
            transmitter.control(mode.opcode);
        }
        if (mode == ReadyMode.READ) {
            inbound.expectReadyResponse();
            kicker.start(READY_KICKS, KICK_MILLIS);
        } else {
            peerIsReady();
            kicker.start(1, KICK_MILLIS);
        }
    }

    /** Waits until the peer has shown that it is ready; {@code deadline} as of {@link System#nanoTime}. */
    void awaitReady(long deadline) throws RdmaException {
        try {
            if (!ready.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw new RdmaException(RdmaException.Kind.TIMED_OUT, "the peer did not get ready in time");
            }
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

    /** Ends the connection in an orderly way; any thread. */
    void close() {
        closing = true;
        calls.hold();
        selector.wakeup();
    }

    @Override
    public void wakeup() {
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
        return calls.nextReceived();
    }

    @Override
    public void onFirstFpdu() {
        kicker.stop();
        if (responder) {
            peerIsReady();
        }
    }

    @Override
    public void onReadyResponse() {
        peerIsReady();
    }

    private void peerIsReady() {
        transmitter.openGate();
        peerReady = true;
        ready.countDown();
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
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection ends by an unexpected failure", e);
            cause = new RdmaException(RdmaException.Kind.RESOURCES, "unexpected failure: " + e, e);
        }
        try {
            end(cause, terminate);
        } finally {
            ready.countDown();
            afterwards.run();
        }
    }

    private void loop() throws IOException, StreamFault {
        do {
            work();
            if (closing) {
                return;
            }
            select(moreToRead || transmitter.isReady() ? 0 : kicker.waitMillis());
            if ((operations & SelectionKey.OP_WRITE) != 0) {
                transmitter.onWritable();
            }
            kicker.check(transmitter);
        } while (((operations & SelectionKey.OP_READ) == 0 && !moreToRead) || readAll());
        endOfStream = true;
        if (reader.isMidway()) {
            throw new RdmaException(
                    RdmaException.Kind.DISCONNECTED, "the peer closed the connection in the middle of an FPDU");
        }
    }

    /** Tells the handler what is complete, and sends what it posts, until there is nothing more or others' turn. */
    private void work() throws IOException {
        for (int i = 0; i < ROUNDS_IN_A_ROW; i++) {
            transmitter.flush();
            if (writeFailure != null) {
                throw writeFailure;
            }
            if (!calls.tell(transmitter)) {
                return;
            }
        }
        moreToRead = true;
    }

    /** Waits for the socket, or just looks where the time is 0; negative: as long as it takes. */
    private void select(long millis) throws IOException {
        int wanted = SelectionKey.OP_READ | (transmitter.isBlocked() ? SelectionKey.OP_WRITE : 0);
        if (wanted != interest) {
            key.interestOps(wanted);
            interest = wanted;
        }
        if (Thread.interrupted()) {
            // a selector does not wait in a thread whose flag is set
            Log.LOGGER.debug("a connection handler left its thread interrupted");
        }
        operations = TimedChannel.select(selector, key, millis);
    }

    /** Reads until the socket is empty; false at the end of the stream. */
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
            // the buffer ran dry: what was posted meanwhile goes out now, in one write
            calls.tell(transmitter);
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
            } catch (IOException | RuntimeException e) {
                Log.LOGGER.debug("sending the rest of a connection failed", e);
            }
        }
        // whatever failed: nobody writes and no memory is in reach before the handler hears of the end
        transmitter.stop();
        regions.close();
        try {
            sendLast(terminate);
        } catch (IOException | RuntimeException e) {
            Log.LOGGER.debug("sending the last of a connection failed", e);
        }
        calls.tellEnd(transmitter, inbound, cause);
        awaitEndOfStream();
    }

    /** What was posted before the connection was closed goes out if the peer takes it. */
    private void sendRest() throws IOException {
        long deadline = System.nanoTime() + LINGER_SEND_MILLIS * NANOS_PER_MILLI;
        while (transmitter.isBusy() && writeFailure == null) {
            transmitter.flush();
            long millis = (deadline - System.nanoTime()) / NANOS_PER_MILLI;
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
        long deadline = System.nanoTime() + LINGER_MILLIS * NANOS_PER_MILLI;
        while (!transmitter.finish(terminate)) {
            long millis = (deadline - System.nanoTime()) / NANOS_PER_MILLI;
            if (millis <= 0) {
                return;
            }
            awaitOperation(SelectionKey.OP_WRITE, millis);
        }
        channel.shutdownOutput();
    }

    /** Reads on for a while: closing a socket with octets unread resets it, and the peer may lose what we sent last. */
    private void awaitEndOfStream() {
        long deadline = System.nanoTime() + LINGER_MILLIS * NANOS_PER_MILLI;
        ByteBuffer scratch = ByteBuffer.allocate(4096);
        try {
            while (!endOfStream) {
                int n = channel.read(scratch.clear());
                long millis = (deadline - System.nanoTime()) / NANOS_PER_MILLI;
                endOfStream = n < 0 || millis <= 0;
                if (n == 0 && !endOfStream) {
                    awaitOperation(SelectionKey.OP_READ, millis);
                }
            }
        } catch (IOException e) {
            Log.LOGGER.debug("the peer reset a connection that has ended", e);
        }
    }
}
