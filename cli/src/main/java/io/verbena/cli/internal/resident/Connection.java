package io.verbena.cli.internal.resident;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.cli.internal.script.ScriptOutput;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to one client. One thread reads, another one writes, and any thread sends: an interrupt of a thread
 * that uses the socket itself would close it. What is not sent yet has a bound, so that a client that does not read
 * holds up its script.
 */
final class Connection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final String LATER = "the interrupt is kept for later";
    private static final int MAX_WAITING = 256 << 10;
    private static final int MAX_OUTPUT = 64 << 10;

    private final SocketChannel socket;
    private final FrameReader reader;

    @GuardedBy("this")
    private final Deque<Frame> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private int waitingOctets;

    /** Whether the client has gone. */
    @GuardedBy("this")
    private boolean isLost;

    /** Whether nothing more is sent. */
    @GuardedBy("this")
    private boolean isFinished;

    /** Why the client cannot write its output; an empty text if nobody reads it, null if it can. */
    @GuardedBy("this")
    private String outputFailure;

    @GuardedBy("this")
    private int asked;

    @GuardedBy("this")
    private int settled;

    /** Input that has come and is not read yet; null if there is none. */
    @GuardedBy("this")
    private byte[] input;

    @GuardedBy("this")
    private boolean isInputWanted;

    @GuardedBy("this")
    private boolean isInputAtEnd;

    /** Why the client cannot read its input; null if it can. */
    @GuardedBy("this")
    private String inputFailure;

    Connection(SocketChannel socket) {
        this.socket = socket;
        this.reader = new FrameReader(socket);
        Thread writer = new Thread(this::write, "verbena-resident-write");
        writer.setDaemon(true);
        writer.start();
    }

    /** Reads a message; empty at the end of the connection. */
    Optional<Frame> read() throws IOException {
        return reader.read();
    }

    /** Takes what the client has to say while its script runs. Other messages are left out. */
    synchronized void take(Frame frame) {
        switch (frame.type()) {
            case Frame.INPUT -> {
                isInputWanted = false;
                isInputAtEnd |= frame.content().length == 0;
                input = isInputAtEnd ? null : frame.content();
            }
            case Frame.UNREADABLE -> {
                isInputWanted = false;
                inputFailure = text(frame);
            }
            case Frame.BROKEN -> outputFailure = text(frame);
            case Frame.SETTLED -> settled = Math.max(settled, frame.number());
            default -> LOG.debug("a message of type {} has no meaning here", frame.type());
        }
        notifyAll();
    }

    private static String text(Frame frame) {
        return new String(frame.content(), StandardCharsets.UTF_8);
    }

    /** The client has gone: nothing more is read or sent. */
    synchronized void lose() {
        isLost = true;
        notifyAll();
    }

    /**
     * Sends a message, and waits while too much waits to be sent. An interrupt does not end the wait, as it does not
     * end a write to a file.
     */
    void send(Frame frame) throws IOException {
        boolean wasInterrupted = false;
        synchronized (this) {
            while (!isLost && waitingOctets > 0 && waitingOctets + frame.content().length > MAX_WAITING) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    LOG.trace(LATER, e);
                    wasInterrupted = true;
                }
            }
            boolean isTaken = !isLost && !isFinished;
            if (isTaken) {
                waiting.add(frame);
                waitingOctets += frame.content().length;
                notifyAll();
            }
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
            if (!isTaken) {
                throw new IOException("the client has gone");
            }
        }
    }

    private void write() {
        try {
            Frame next = next();
            while (next != null) {
                ByteBuffer octets = next.encoded();
                while (octets.hasRemaining()) {
                    socket.write(octets);
                }
                next = next();
            }
            socket.shutdownOutput();
        } catch (IOException e) {
            LOG.debug("the client has gone", e);
            lose();
        }
    }

    /** Returns the next message to send, and waits for it; null at the end. */
    private synchronized Frame next() {
        while (waiting.isEmpty() && !isLost && !isFinished) {
            try {
                wait();
            } catch (InterruptedException e) {
                LOG.debug("nobody interrupts this thread", e);
            }
        }
        Frame next = waiting.poll();
        if (next != null) {
            waitingOctets -= next.content().length;
            notifyAll();
        }
        return next;
    }

    /** Ends what is sent, after what was sent so far. */
    synchronized void finish() {
        isFinished = true;
        notifyAll();
    }

    /** Returns the standard output or error of the client, with the buffer that a process of its own has. */
    ScriptOutput output(char type) {
        return new Output(type);
    }

    /** Returns the standard input of the client, which is asked for input when a command reads. */
    InputStream input() {
        return new BufferedInputStream(new FrameInput());
    }

    /** Waits until the client has written all output so far, or could not. */
    private void settle() throws IOException {
        int number;
        synchronized (this) {
            number = ++asked;
        }
        send(Frame.of(Frame.SETTLE, number));
        boolean wasInterrupted = false;
        synchronized (this) {
            while (settled < number && !isLost) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    LOG.trace(LATER, e);
                    wasInterrupted = true;
                }
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean isBroken() {
        return isLost || outputFailure != null;
    }

    private synchronized Optional<String> outputFailure() {
        return isLost ? Optional.of("") : Optional.ofNullable(outputFailure);
    }

    @Override
    public void close() throws IOException {
        lose();
        socket.close();
    }

    /** Sends what is written to it. */
    private final class FrameOutput extends OutputStream {
        private final char type;

        FrameOutput(char type) {
            this.type = type;
        }

        @Override
        public void write(int octet) throws IOException {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] octets, int offset, int length) throws IOException {
            if (type == Frame.OUT && isBroken()) {
                throw new IOException("nobody reads the output");
            }
            for (int at = 0; at < length; at += MAX_OUTPUT) {
                int from = offset + at;
                send(new Frame(type, Arrays.copyOfRange(octets, from, from + Math.min(MAX_OUTPUT, length - at))));
            }
        }
    }

    /** A stream that knows whether the client could write, and not only whether it was told to. */
    private final class Output extends ScriptOutput {
        private final char type;

        Output(char type) {
            super(new FrameOutput(type));
            this.type = type;
        }

        @Override
        public Optional<String> failure() {
            return outputFailure().filter(reason -> !reason.isEmpty());
        }

        @Override
        public boolean isUnread() {
            return outputFailure().filter(String::isEmpty).isPresent();
        }

        @Override
        public boolean checkError() {
            flush();
            try {
                settle();
            } catch (IOException e) {
                LOG.debug("the output is lost", e);
                setError();
            }
            if (type == Frame.OUT && isBroken()) {
                setError();
            }
            return super.checkError();
        }
    }

    /** Asks for input, and waits for it. */
    private final class FrameInput extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] octet = new byte[1];
            return read(octet, 0, 1) < 0 ? -1 : octet[0] & 0xff;
        }

        @Override
        public int read(byte[] octets, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            boolean isToAsk;
            synchronized (Connection.this) {
                isToAsk = input == null && !isInputAtEnd && inputFailure == null && !isInputWanted;
                isInputWanted |= isToAsk;
            }
            if (isToAsk) {
                send(Frame.of(Frame.WANT_INPUT));
            }
            synchronized (Connection.this) {
                try {
                    while (input == null && !isInputAtEnd && inputFailure == null && !isLost) {
                        Connection.this.wait();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw (IOException) new InterruptedIOException("interrupted").initCause(e);
                }
                if (isInputAtEnd) {
                    return -1;
                }
                if (inputFailure != null) {
                    throw new IOException(inputFailure);
                }
                if (input == null) {
                    // an end of the input would make a whole file of half of one
                    throw new IOException("the client has gone, and with it the input");
                }
                int taken = Math.min(length, input.length);
                System.arraycopy(input, 0, octets, offset, taken);
                input = taken == input.length ? null : Arrays.copyOfRange(input, taken, input.length);
                return taken;
            }
        }
    }
}
