package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.RdmaException;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A TCP connection that does not block, with its selector: during the handshake with waits that end at a deadline. One
 * thread uses it; {@link #close} may come from any.
 */
final class TimedChannel {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private Traffic traffic = Traffic.UNOBSERVED;

    TimedChannel(SocketChannel channel, ProviderSettings settings) throws IOException {
        this.channel = channel;
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (settings.sendBuffer() > 0) {
                channel.setOption(StandardSocketOptions.SO_SNDBUF, settings.sendBuffer());
            }
            if (settings.receiveBuffer() > 0) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, settings.receiveBuffer());
            }
            selector = Selector.open();
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        key = channel.register(selector, 0);
    }

    SocketChannel channel() {
        return channel;
    }

    /** Whom the handshake is told to; before it begins. */
    void observe(Traffic newTraffic) {
        traffic = newTraffic;
    }

    Traffic traffic() {
        return traffic;
    }

    Selector selector() {
        return selector;
    }

    SelectionKey key() {
        return key;
    }

    /** Connects; {@code deadline} as of {@link System#nanoTime}. */
    void connect(InetSocketAddress remote, long deadline) throws IOException {
        if (!channel.connect(remote)) {
            do {
                await(SelectionKey.OP_CONNECT, deadline);
            } while (!channel.finishConnect());
        }
    }

    /** Reads until the buffer is full. */
    void readFully(ByteBuffer buffer, long deadline) throws IOException {
        while (buffer.hasRemaining()) {
            int n = channel.read(buffer);
            if (n < 0) {
                throw new EOFException("the peer closed the connection during the MPA handshake");
            }
            if (n == 0) {
                await(SelectionKey.OP_READ, deadline);
            }
        }
    }

    void writeFully(ByteBuffer buffer, long deadline) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.write(buffer) == 0) {
                await(SelectionKey.OP_WRITE, deadline);
            }
        }
    }

    private void await(int operation, long deadline) throws IOException {
        try {
            key.interestOps(operation);
            long millis = (deadline - System.nanoTime()) / NANOS_PER_MILLI;
            if (millis <= 0 || (select(selector, key, millis) == 0 && deadline - System.nanoTime() <= 0)) {
                throw new RdmaException(RdmaException.Kind.TIMED_OUT, "the peer did not answer in time");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new RdmaException(RdmaException.Kind.DISCONNECTED, "interrupted while connecting");
            }
        } catch (ClosedSelectorException | java.nio.channels.CancelledKeyException e) {
            throw new RdmaException(RdmaException.Kind.DISCONNECTED, "closed while connecting", e);
        }
    }

    /**
     * Waits for the one channel of a selector. A consumer of keys would spare the entry in the set of those selected; but
     * the JDK's method that waits would be compiled with our class in it, and hold the class loader of a bundle that was
     * replaced for as long as some later connection waits.
     *
     * @param millis 0: just looks; negative: as long as it takes
     * @return the operations that the channel is ready for
     */
    static int select(Selector selector, SelectionKey key, long millis) throws IOException {
        int selected = millis == 0 ? selector.selectNow() : selector.select(Math.max(millis, 0));
        selector.selectedKeys().clear();
        return selected == 0 ? 0 : key.readyOps();
    }

    /** Closes both; a thread that waits in here comes back. */
    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            Log.LOGGER.debug("closing a socket failed", e);
        }
        try {
            selector.close();
        } catch (IOException e) {
            Log.LOGGER.debug("closing a selector failed", e);
        }
    }
}
