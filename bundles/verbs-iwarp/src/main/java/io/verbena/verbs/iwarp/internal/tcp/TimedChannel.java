package io.verbena.verbs.iwarp.internal.tcp;

import io.verbena.runtime.Runtime;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.Log;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
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
 * A non-blocking TCP connection with its selector. During the handshake its calls wait up to a deadline. One thread
 * uses it at a time; any thread may call {@link #close}.
 */
public final class TimedChannel {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /**
     * The send buffer of a connection that a peer of the same host has made: what waits in the socket stays in the
     * processor's cache until the peer takes it (decision 49).
     */
    static final int SAME_HOST_SEND_BUFFER = 256 << 10;

    private final Runtime runtime;
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private ConnectionTap tap = ConnectionTap.UNOBSERVED;

    public TimedChannel(Runtime runtime, SocketChannel channel, IwarpSettings settings) throws IOException {
        this.runtime = runtime;
        this.channel = channel;
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            TcpKeepAlive.set(channel, settings.keepAlive());
            if (settings.sendBuffer() > 0) {
                channel.setOption(StandardSocketOptions.SO_SNDBUF, settings.sendBuffer());
            } else if (isFromThisHost(channel)) {
                channel.setOption(StandardSocketOptions.SO_SNDBUF, SAME_HOST_SEND_BUFFER);
            }
            if (settings.receiveBuffer() > 0) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, settings.receiveBuffer());
            }
            selector = Selector.open();
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
        try {
            key = channel.register(selector, 0);
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /** Whether a peer of this host has made the connection. A socket that is not connected yet will make one itself. */
    private static boolean isFromThisHost(SocketChannel channel) throws IOException {
        return channel.getRemoteAddress() instanceof InetSocketAddress remote
                && channel.getLocalAddress() instanceof InetSocketAddress local
                && (remote.getAddress().isLoopbackAddress()
                        || remote.getAddress().equals(local.getAddress()));
    }

    public SocketChannel channel() {
        return channel;
    }

    /** Sets the tap that the handshake is told to; called before the handshake. */
    public void observe(ConnectionTap newTap) {
        tap = newTap;
    }

    public ConnectionTap tap() {
        return tap;
    }

    public Selector selector() {
        return selector;
    }

    public SelectionKey key() {
        return key;
    }

    /**
     * Connects.
     *
     * @param deadline on the runtime's clock
     */
    public void connect(InetSocketAddress remote, long deadline) throws IOException {
        if (!channel.connect(remote)) {
            do {
                await(SelectionKey.OP_CONNECT, deadline);
            } while (!channel.finishConnect());
        }
    }

    /** Reads until the buffer is full. */
    public void readFully(ByteBuffer buffer, long deadline) throws IOException {
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

    public void writeFully(ByteBuffer buffer, long deadline) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.write(buffer) == 0) {
                await(SelectionKey.OP_WRITE, deadline);
            }
        }
    }

    private void await(int operation, long deadline) throws IOException {
        try {
            key.interestOps(operation);
            long millis = (deadline - runtime.nanoTime()) / NANOS_PER_MILLI;
            if (millis <= 0 || (select(selector, key, millis) == 0 && deadline - runtime.nanoTime() <= 0)) {
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
     * Waits for the one channel of a selector. A consumer of keys would avoid the entry in the set of selected keys.
     * But the compiled code of the JDK's waiting method would then hold our class, and so keep the class loader of a
     * replaced bundle for as long as some later connection waits.
     *
     * @param millis 0: only looks; negative: waits without end
     * @return the operations that the channel is ready for
     */
    public static int select(Selector selector, SelectionKey key, long millis) throws IOException {
        int selected = millis == 0 ? selector.selectNow() : selector.select(Math.max(millis, 0));
        selector.selectedKeys().clear();
        return selected == 0 ? 0 : key.readyOps();
    }

    /** Closes the socket and the selector; a thread that waits in one of the calls returns. */
    public void close() {
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
