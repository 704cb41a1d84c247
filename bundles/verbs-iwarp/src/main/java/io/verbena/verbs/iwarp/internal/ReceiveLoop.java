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
import java.util.function.Consumer;

/**
 * The one thread of a connection. It receives, tells the handler, sends what other threads could not get rid of, and
 * ends the connection. It never blocks in a read or write: two ends that send each other more than the sockets hold
 * would wait for one another for ever.
 */
final class ReceiveLoop implements Runnable, Transmitter.Wakeup, Inbound.Events {
    /** Completions told at once at most. */
    private static final int BATCH = 64;
    /** Reads in a row before the send side is looked at again. */
    private static final int READS_IN_A_ROW = 16;
    /** Rounds of telling completions and sending what was posted then, before reading again. */
    private static final int ROUNDS_IN_A_ROW = 8;

    private static final long NANOS_PER_MILLI = 1_000_000;
    /** How long a closed connection may take to get rid of what was posted. */
    private static final long LINGER_SEND_MILLIS = 1_000;
    /** How long a Terminate may take to go out, and the peer to close its side. */
    private static final long LINGER_MILLIS = 250;

    /** Takes what the selector tells; made once, since a lambda would be made anew for each call. */
    private static final class ReadyOperations implements Consumer<SelectionKey> {
        int ready;

        @Override
        public void accept(SelectionKey key) {
            ready = key.readyOps();
        }
    }

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ConnectionHandler handler;
    private final RegionTable regions;
    private final ReceiveQueue receives;
    private final Kicker kicker;
    private final boolean responder;
    private final CountDownLatch ready = new CountDownLatch(1);
    private final Completion[] received = completions();
    private final Completion[] sent = completions();
    private final ReadyOperations operations = new ReadyOperations();
    private final Runnable afterwards;

    private Transmitter transmitter;
    private Inbound inbound;
    private FpduReader reader;
    private int receivedCount;
    private int interest;
    private boolean moreToRead;
    private boolean endOfStream;
    private volatile Thread thread;
    private volatile boolean closing;
    private volatile boolean ending;
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
        this.handler = handler;
        this.regions = regions;
        this.receives = receives;
        this.responder = responder;
        this.afterwards = afterwards;
        kicker = new Kicker();
    }

    private static Completion[] completions() {
        Completion[] batch = new Completion[BATCH];
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new Completion();
        }
        return batch;
    }

    /** What it works with, which in turn needs it; before the thread starts. */
    void use(Transmitter newTransmitter, Inbound newInbound, FpduReader newReader) {
        transmitter = newTransmitter;
        inbound = newInbound;
        reader = newReader;
    }

    Kicker kicker() {
        return kicker;
    }

    /** Counted down when the peer has shown that it is ready, and at the connection's end. */
    CountDownLatch ready() {
        return ready;
    }

    /** Whether the connection's end has begun; any thread. */
    boolean isEnding() {
        return ending;
    }

    /** Ends the connection in an orderly way; any thread. */
    void close() {
        closing = true;
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
        if (receivedCount == BATCH) {
            deliverReceived();
        }
        return received[receivedCount++];
    }

    @Override
    public void onFirstFpdu() {
        kicker.stop();
        if (responder) {
            transmitter.openGate();
            ready.countDown();
        }
    }

    @Override
    public void onReadyResponse() {
        transmitter.openGate();
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
            if ((operations.ready & SelectionKey.OP_WRITE) != 0) {
                transmitter.onWritable();
            }
            kicker.check(transmitter);
        } while (((operations.ready & SelectionKey.OP_READ) == 0 && !moreToRead) || readAll());
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
            if (!deliver()) {
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
        operations.ready = 0;
        if (Thread.interrupted()) {
            // a selector does not wait in a thread whose flag is set
            Log.LOGGER.debug("a connection handler left its thread interrupted");
        }
        if (millis == 0) {
            selector.selectNow(operations);
        } else {
            selector.select(operations, Math.max(millis, 0));
        }
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
            deliver();
            transmitter.flush();
        }
        moreToRead = true;
        return true;
    }

    private boolean deliver() {
        boolean any = false;
        while (!closing) {
            int n = transmitter.drain(sent);
            if (n == 0) {
                break;
            }
            handler.onCompletions(sent, n);
            any = true;
        }
        if (receivedCount > 0) {
            deliverReceived();
            any = true;
        }
        return any;
    }

    private void deliverReceived() {
        int n = receivedCount;
        receivedCount = 0;
        handler.onCompletions(received, n);
    }

    private void end(RdmaException cause, ByteBuffer terminate) {
        ending = true;
        try {
            transmitter.close();
            if (cause == null && !endOfStream) {
                sendRest();
            }
            transmitter.stop();
            regions.close();
            sendLast(terminate);
        } catch (IOException e) {
            Log.LOGGER.debug("sending the last of a connection failed", e);
        }
        tellEnd(cause);
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
        operations.ready = 0;
        selector.select(operations, millis);
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

    private void tellEnd(RdmaException cause) {
        receives.close();
        try {
            if (receivedCount > 0) {
                deliverReceived();
            }
            WorkRequest refused = inbound.refusedRead();
            for (int n = transmitter.drainAll(sent, refused); n > 0; n = transmitter.drainAll(sent, refused)) {
                handler.onCompletions(sent, n);
            }
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection handler failed at the end of its connection", e);
        }
        tellReceives(receives, inbound.headReceiveStatus(), handler);
        tellDisconnected(cause, handler);
    }

    /** Completes the receives that are left, the oldest with {@code first}. */
    static void tellReceives(ReceiveQueue receives, Completion.Status first, ConnectionHandler handler) {
        Completion[] batch = completions();
        try {
            int n = receives.drainAll(batch, first);
            while (n > 0) {
                handler.onCompletions(batch, n);
                n = receives.drainAll(batch, Completion.Status.FLUSHED);
            }
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection handler failed at the end of its connection", e);
        }
    }

    static void tellDisconnected(RdmaException cause, ConnectionHandler handler) {
        try {
            handler.onDisconnected(cause);
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection handler failed in onDisconnected", e);
        }
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
