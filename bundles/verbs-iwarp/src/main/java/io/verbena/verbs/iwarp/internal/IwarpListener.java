package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.RdmaListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Accepts TCP connections on a thread of its own and hands each to a thread that sees to its request, a bounded number
 * at once: a peer that says nothing holds up nobody.
 */
final class IwarpListener implements RdmaListener {
    private final ConnectionFactory factory;
    private final ServerSocketChannel server;
    private final ProviderOptions options;
    private final ConnectionAcceptor acceptor;
    private final Consumer<IwarpListener> onClosed;
    private final InetSocketAddress local;
    private final Thread thread;

    /** Guarded by itself. */
    private final Map<PendingRequest, Thread> pending = new HashMap<>();

    private boolean closed;

    IwarpListener(
            ConnectionFactory factory,
            ServerSocketChannel server,
            ProviderOptions options,
            ConnectionAcceptor acceptor,
            Consumer<IwarpListener> onClosed) {
        this.factory = factory;
        this.server = server;
        this.options = options;
        this.acceptor = acceptor;
        this.onClosed = onClosed;
        local = (InetSocketAddress) server.socket().getLocalSocketAddress();
        thread = factory.newThread("iwarp-listener-" + local, this::acceptAll);
    }

    void start() {
        thread.start();
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    private void acceptAll() {
        while (server.isOpen()) {
            try {
                handle(server.accept());
            } catch (IOException | RuntimeException | Error e) {
                // also where the system has no thread to spare: that passes, and the socket stays open
                if (server.isOpen()) {
                    Log.LOGGER.warn("accepting a connection at {} failed", local, e);
                    pauseAfterFailure();
                }
            }
        }
    }

    /** Out of descriptors, say: trying again at once would only burn the processor. */
    private void pauseAfterFailure() {
        synchronized (pending) {
            try {
                if (!closed) {
                    pending.wait(100);
                }
            } catch (InterruptedException e) {
                Log.LOGGER.debug("interrupted while waiting to accept again", e);
            }
        }
    }

    private void handle(SocketChannel channel) throws IOException {
        TimedChannel timed = new TimedChannel(channel, factory.settings());
        synchronized (pending) {
            if (closed || pending.size() >= factory.settings().maxPendingHandshakes()) {
                Log.LOGGER.warn("dropped a connection at {}: too many handshakes at once", local);
                timed.close();
                return;
            }
            PendingRequest[] self = new PendingRequest[1];
            try {
                self[0] = new PendingRequest(factory, timed, options, acceptor, () -> remove(self[0]));
                Thread handshake = factory.newThread("iwarp-handshake-" + self[0].remoteAddress(), self[0]);
                pending.put(self[0], handshake);
                handshake.start();
            } catch (RuntimeException | Error e) {
                pending.remove(self[0]);
                timed.close();
                throw e;
            }
        }
    }

    private void remove(PendingRequest request) {
        synchronized (pending) {
            pending.remove(request);
        }
    }

    @Override
    public void close() {
        Map<PendingRequest, Thread> left;
        synchronized (pending) {
            closed = true;
            left = new HashMap<>(pending);
            pending.notifyAll();
        }
        try {
            server.close();
        } catch (IOException e) {
            Log.LOGGER.debug("closing a listener failed", e);
        }
        left.keySet().forEach(PendingRequest::abort);
        left.values().forEach(Threads::joinUnlessCurrent);
        Threads.joinUnlessCurrent(thread);
        onClosed.accept(this);
    }
}
