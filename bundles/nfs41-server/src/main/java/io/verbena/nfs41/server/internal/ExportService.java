package io.verbena.nfs41.server.internal;

import io.verbena.nfs.Export;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An export that listens while there is a transport to listen with, and tries again now and then where it cannot.
 * Thread safe. The server outlives its transport: clients find their state again when another one has come.
 */
public final class ExportService implements Export, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExportService.class);
    private static final long RETRY_SECONDS = 10;

    private final ExportOptions options;
    private final Path state;
    private final ScheduledExecutorService executor;
    private ExportOptions resolved; // the executor's
    private RpcTransport transport;
    private NfsServer server;
    private RpcListener listener;
    private IOException failure;
    private ScheduledFuture<?> retry;
    private boolean closed;

    /**
     * @param state a folder for what the export keeps over restarts
     */
    public ExportService(ExportOptions options, Path state) {
        this.options = options;
        this.state = state;
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "verbena-export-" + options.name());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Another transport is to be used from now on. Returns at once, no longer listening with the old one. */
    public void useTransport(RpcTransport newTransport) {
        exchange(newTransport);
    }

    /** A transport has gone; another that has taken its place stays. Returns at once. */
    public void dropTransport(RpcTransport gone) {
        boolean isInUse;
        synchronized (this) {
            isInUse = transport == gone;
        }
        if (isInUse) {
            exchange(null);
        }
    }

    private void exchange(RpcTransport newTransport) {
        RpcListener old;
        synchronized (this) {
            transport = newTransport;
            old = listener;
            listener = null;
            failure = null;
        }
        run(() -> {
            if (old != null) {
                old.close();
            }
            listen();
        });
    }

    private void run(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("Export {} is closed already", options.name());
        }
    }

    private void listen() {
        RpcTransport with;
        synchronized (this) {
            with = transport;
            if (with == null || closed || listener != null) {
                return;
            }
        }
        try {
            ExportOptions found = resolved();
            NfsServer program = server(found);
            RpcListener made = with.listen(found.listenOptions(), program);
            listening(made, with);
        } catch (IOException e) {
            failed(explain(e), e);
        } catch (RuntimeException e) {
            // IllegalArgumentException names the option that makes no sense
            failed("cannot export " + options.settings().directory() + ": " + e.getMessage(), e);
        }
    }

    /** Looked up until it is known, and then kept: whom the server squashes may depend on it. */
    private ExportOptions resolved() throws IOException {
        options.validate();
        if (resolved == null) {
            resolved = options.resolved();
        }
        return resolved;
    }

    private NfsServer server(ExportOptions found) throws IOException {
        synchronized (this) {
            if (server != null) {
                return server;
            }
        }
        NfsServer started = new NfsServer(found.settings(), state);
        synchronized (this) {
            server = started;
            return started;
        }
    }

    private void listening(RpcListener made, RpcTransport with) {
        boolean wanted;
        synchronized (this) {
            wanted = !closed && transport == with;
            if (wanted) {
                listener = made;
                failure = null;
                notifyAll();
            }
        }
        if (wanted) {
            Map<String, String> how = made.settings();
            LOG.info(
                    "Export {} of {} listens on {} by provider {} ({})",
                    name(),
                    directory(),
                    made.localAddress(),
                    how.get("provider"),
                    how.get("providerChoice"));
        } else {
            made.close();
        }
    }

    private void failed(String reason, Exception cause) {
        synchronized (this) {
            failure = new IOException(reason, cause);
            notifyAll();
            if (closed) {
                return;
            }
            if (retry != null) {
                retry.cancel(false);
            }
            retry = executor.schedule(this::listen, RETRY_SECONDS, TimeUnit.SECONDS);
        }
        LOG.warn("Export {}: {}; it is tried again in {} s", name(), reason, RETRY_SECONDS);
    }

    private String explain(IOException e) {
        Path directory = options.settings().directory();
        if (e instanceof NoSuchFileException) {
            return "cannot export " + directory + ": there is no such directory";
        } else if (e instanceof NotDirectoryException) {
            return "cannot export " + directory + ": it is not a directory";
        } else if (e instanceof AccessDeniedException) {
            return "cannot export " + directory + ": this process has no permission to read it";
        } else if (e instanceof UnknownHostException) {
            return "cannot export " + directory + ": no address is known for "
                    + options.listenOptions().local().getHostString();
        }
        return "cannot export " + directory + ": " + e.getMessage();
    }

    private void stopListening() {
        RpcListener stopped;
        synchronized (this) {
            stopped = listener;
            listener = null;
        }
        if (stopped != null) {
            stopped.close();
        }
    }

    @Override
    public String name() {
        return options.name();
    }

    @Override
    public Path directory() {
        return options.settings().directory();
    }

    @Override
    public boolean isReadOnly() {
        return options.settings().readOnly();
    }

    @Override
    public boolean isSync() {
        return options.settings().sync();
    }

    @Override
    public synchronized Optional<InetSocketAddress> localAddress() {
        return Optional.ofNullable(listener).map(RpcListener::localAddress);
    }

    @Override
    public synchronized Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public synchronized void awaitListening(Duration timeout) throws IOException {
        long end = System.nanoTime() + timeout.toNanos();
        while (listener == null) {
            if (failure != null) {
                throw new IOException(failure.getMessage(), failure);
            }
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (closed || left <= 0) {
                throw new IOException(unheardOf(timeout));
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for export " + name() + " to listen", e);
            }
        }
    }

    private String unheardOf(Duration timeout) {
        if (closed) {
            return "export " + name() + " has been withdrawn";
        }
        return transport == null
                ? "export " + name() + " has no transport to listen with: start verbena-rpcrdma-dispatcher"
                : "export " + name() + " does not listen after " + timeout.toSeconds() + " s";
    }

    @Override
    public synchronized Map<String, String> settings() {
        return listener == null ? Map.of() : listener.settings();
    }

    @Override
    public Map<String, Long> counters() {
        NfsServer counted;
        synchronized (this) {
            counted = server;
        }
        return counted == null ? Map.of() : counted.counters();
    }

    /** Stops listening and serving; waits until that is done. */
    @Override
    public void close() {
        NfsServer stopped;
        synchronized (this) {
            closed = true;
            transport = null;
            if (retry != null) {
                retry.cancel(false);
            }
            notifyAll();
        }
        executor.shutdown(); // what was handed to it, as the end of an old listener, is still done
        awaitExecutor();
        stopListening();
        synchronized (this) {
            stopped = server;
            server = null;
        }
        if (stopped != null) {
            stopped.close();
        }
    }

    private void awaitExecutor() {
        try {
            if (!executor.awaitTermination(RETRY_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("Export {} is still trying to listen", name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
