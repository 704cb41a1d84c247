package io.verbena.verbs.iwarp.internal.provider;

import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.iwarp.internal.Log;
import io.verbena.verbs.iwarp.internal.connection.ProviderContext;
import io.verbena.verbs.iwarp.internal.connection.Threads;
import io.verbena.verbs.iwarp.internal.settings.IwarpOptions;
import io.verbena.verbs.iwarp.internal.tcp.TimedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Accepts TCP connections on a thread of its own. Each connection gets a thread that handles its request; the number of
 * these is bounded ({@link PendingHandshakes}). A silent peer holds up no other peer.
 */
final class IwarpListener implements RdmaListener {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ProviderContext provider;
    private final ServerSocketChannel server;
    private final IwarpOptions options;
    private final ConnectionAcceptor acceptor;
    private final Consumer<IwarpListener> onClosed;
    private final InetSocketAddress local;
    private final Thread thread;

    private final PendingHandshakes pending;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean crowded; // of the accepting thread

    IwarpListener(
            ProviderContext provider,
            ServerSocketChannel server,
            IwarpOptions options,
            ConnectionAcceptor acceptor,
            Consumer<IwarpListener> onClosed) {
        this.provider = provider;
        this.server = server;
        this.options = options;
        this.acceptor = acceptor;
        this.onClosed = onClosed;
        pending = new PendingHandshakes(provider.runtime(), provider.settings().maxPendingHandshakes());
        local = (InetSocketAddress) server.socket().getLocalSocketAddress();
        thread = provider.newThread("iwarp-listener-" + local, this::acceptAll);
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
            } catch (Throwable e) {
                // the system may lack a thread: that passes, and the socket stays open
                failed(e);
            }
        }
    }

    /** Logs the failure. Nothing ends the thread while the listener is open, not even a lack of memory for the log. */
    private void failed(Throwable thrown) {
        try {
            if (server.isOpen()) {
                Log.LOGGER.warn("accepting a connection at {} failed", local, thrown);
            }
        } catch (Throwable e) {
            thrown.addSuppressed(e);
        } finally {
            pauseAfterFailure();
        }
    }

    /** Pauses: where descriptors are short, for example, trying again at once would only use up the processor. */
    private void pauseAfterFailure() {
        try {
            provider.runtime().await(closed, PAUSE_NANOS);
        } catch (TimeoutException | ExecutionException | OutOfMemoryError e) {
            // the thread accepts again
        } catch (InterruptedException e) {
            Log.LOGGER.debug("interrupted while waiting to accept again", e);
        }
    }

    private void handle(SocketChannel channel) throws IOException {
        TimedChannel timed = new TimedChannel(provider.runtime(), channel, provider.settings());
        IwarpConnectionRequest[] self = new IwarpConnectionRequest[1];
        try {
            self[0] = new IwarpConnectionRequest(provider, timed, options, acceptor, () -> pending.remove(self[0]));
            Thread handshake = provider.newThread("iwarp-handshake-" + self[0].remoteAddress(), self[0]);
            PendingHandshakes.Admission admission = pending.add(self[0], handshake);
            logAdmission(admission);
            if (admission == PendingHandshakes.Admission.REFUSED) {
                timed.close();
            }
        } catch (RuntimeException | Error e) {
            timed.close();
            throw e;
        }
    }

    /** Warns once of too many handshakes at once: peers that flood the listener do not flood the log. */
    private void logAdmission(PendingHandshakes.Admission admission) {
        boolean full = admission != PendingHandshakes.Admission.ADMITTED;
        if (full && !crowded) {
            Log.LOGGER.warn(
                    "dropped a connection at {}: more than {} handshakes at once (max.pending.handshakes); further"
                            + " ones are not logged until there are fewer",
                    local,
                    provider.settings().maxPendingHandshakes());
        } else if (full) {
            Log.LOGGER.debug("dropped a connection at {}: too many handshakes at once", local);
        }
        crowded = full;
    }

    @Override
    public void close() {
        close(Threads.endDeadline(provider.runtime()));
    }

    /** Closes as {@link #close()} does, but waits until a deadline at most. */
    void close(long deadline) {
        beginClose();
        pending.awaitEnd(deadline);
        Threads.joinUnlessCurrent(provider.runtime(), thread, deadline);
        onClosed.accept(this);
    }

    /** Closes as {@link #close()} does, without waiting for the end. */
    void beginClose() {
        closed.complete(null);
        try {
            server.close();
        } catch (IOException e) {
            Log.LOGGER.debug("closing a listener failed", e);
        }
        pending.close();
    }
}
