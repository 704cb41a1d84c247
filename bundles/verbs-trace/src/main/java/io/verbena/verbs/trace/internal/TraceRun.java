package io.verbena.verbs.trace.internal;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.WireObserver;
import io.verbena.verbs.trace.TraceStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** A running trace: queues reported events, and writes them on a thread of its own. */
final class TraceRun implements WireObserver {
    /** The most octets that may wait: half a second of a fast connection. */
    static final long MAX_WAITING = 64L << 20;

    /** The longest time to write the waiting events at the end, sufficient for a slow disk. */
    private static final long PATIENCE_MILLIS = 60_000;

    private static final String APPLICATION = "Verbena rdma:trace";

    private final Path path;
    private final Instant since = Instant.now();
    private final EventQueue queue;
    private final TraceFile file;
    private final Thread thread;
    private volatile String failure;

    /**
     * @param path the path of the file, for people to read
     * @param out the file; it is closed at the end
     * @param maxWaiting the most octets that may wait to be written
     */
    TraceRun(Path path, OutputStream out, long maxWaiting) throws IOException {
        this.path = path;
        queue = new EventQueue(maxWaiting);
        file = new TraceFile(out, APPLICATION);
        thread = new Thread(this::writeAll, "rdma-trace");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public void onFrame(WireConnection connection, boolean sent, List<ByteBuffer> frame) {
        int length = 0;
        for (ByteBuffer piece : frame) {
            length += piece.remaining();
        }
        if (queue.admits(connection, sent, length)) {
            ByteBuffer copy = ByteBuffer.allocate(length);
            frame.forEach(copy::put);
            queue.add(connection, sent, null, copy.flip());
        }
    }

    @Override
    public void onMessage(WireConnection connection, boolean sent, WireMessage message, ByteBuffer data) {
        if (queue.admits(connection, sent, data.remaining())) {
            ByteBuffer copy = ByteBuffer.allocate(data.remaining()).put(data).flip();
            queue.add(connection, sent, message, copy);
        }
    }

    @Override
    public void onEnd(WireConnection connection) {
        queue.add(connection, false, null, null);
    }

    private void writeAll() {
        try {
            for (Event event = queue.take(); event != null; event = queue.take()) {
                file.write(event);
                if (queue.isEmpty()) {
                    file.flush(); // so that readers of the file see whole packets meanwhile
                }
            }
            file.close(queue);
        } catch (IOException | InterruptedException | RuntimeException e) {
            fail(e);
        } catch (Error e) {
            fail(e); // an incomplete file must not be taken for a complete one
            throw e;
        }
    }

    private void fail(Throwable cause) {
        failure = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        Log.LOGGER.warn("the trace to {} ends, since it cannot be written", path, cause);
        queue.abandon();
        try {
            file.abandon();
        } catch (IOException e) {
            Log.LOGGER.debug("closing {} failed", path, e);
        }
    }

    /** Writes the events reported so far and ends the trace. */
    TraceStatus stop() throws IOException {
        return stop(PATIENCE_MILLIS);
    }

    /**
     * @param patienceMillis after this time a file that accepts no data is abandoned, such as a pipe without a reader
     */
    TraceStatus stop(long patienceMillis) throws IOException {
        queue.close();
        long wait = patienceMillis;
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join(wait);
                if (thread.isAlive()) {
                    thread.interrupt();
                    wait = 0; // without a bound
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw new IOException(path + ": the trace was not written to its end: " + failure);
        }
        return status();
    }

    TraceStatus status() {
        return new TraceStatus(path, since, file.connections(), file.frames(), file.octets(), queue.dropped(), failure);
    }
}
