package io.verbena.nfs41.server.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.Export;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An export that listens while there is a transport, and tries again periodically after a failure to listen. The server
 * is kept when the transport goes: clients find their state again once another transport has come. Thread safe.
 */
public final class ExportService implements Export, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExportService.class);
    private static final long RETRY_SECONDS = 10;
    /** How long closing takes at most: the thread that listens, the listener, the threads of Kerberos, the server. */
    private static final long CLOSE_SECONDS = 120;

    private final ExportOptions options;
    private final Path state;
    private final ServerMemory memory;
    private final Runtime runtime;
    private final ScheduledExecutorService executor;
    private final Closing closing;
    private final Lock lock = new ReentrantLock();

    /** Signalled when the export listens, has failed to listen, or is closed. */
    private final Condition changed;

    /** Null without Kerberos. */
    private final ExportKerberos kerberos;

    private ExportOptions resolved; // used by the executor's thread only
    private String contextFailure; // the same

    @GuardedBy("lock")
    private RpcTransport transport;

    @GuardedBy("lock")
    private NfsServer server;

    @GuardedBy("lock")
    private RpcListener listener;

    @GuardedBy("lock")
    private IOException failure;

    @GuardedBy("lock")
    private ScheduledFuture<?> retry;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * @param state a folder for the state that the export keeps over restarts
     * @param memory the part of the heap that this export may take, shared with other exports
     */
    public ExportService(ExportOptions options, Path state, ServerMemory memory, Runtime runtime) {
        this.options = options;
        this.state = state;
        this.memory = memory;
        this.runtime = runtime;
        kerberos = options.kerberos() == null ? null : new ExportKerberos(options.kerberos());
        changed = runtime.newCondition(lock);
        executor = runtime.newScheduler("verbena-export-" + options.name(), 1);
        closing = new Closing(runtime);
    }

    /** Uses another transport from now on. Returns at once; the export no longer listens with the former transport. */
    public void useTransport(RpcTransport newTransport) {
        exchange(newTransport);
    }

    /** Stops using a transport, unless another one has replaced it already. Returns at once. */
    public void dropTransport(RpcTransport gone) {
        boolean isInUse;
        lock.lock();
        try {
            isInUse = transport == gone;
        } finally {
            lock.unlock();
        }
        if (isInUse) {
            exchange(null);
        }
    }

    /** Uses a flavor's service from now on, in place of another one; of no use without Kerberos. Returns at once. */
    public void useSecurity(RpcSecurity service) {
        if (kerberos != null) {
            kerberos.use(service);
            run(this::renewSecurity);
        }
    }

    /** Stops using a flavor's service, unless another one has replaced it already. Returns at once. */
    public void dropSecurity(RpcSecurity gone) {
        if (kerberos != null) {
            kerberos.drop(gone);
            run(this::renewSecurity);
        }
    }

    /** Listens, or has the listener go on with the present service; without one, AUTH_SYS goes on. */
    private void renewSecurity() {
        boolean listens;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            listens = listener != null;
        } finally {
            lock.unlock();
        }
        if (!listens) {
            listen();
            return;
        }
        try {
            kerberos.renew();
            LOG.info("Export {} takes calls with Kerberos", name());
            takeContexts(resolved);
        } catch (Throwable e) { // it is tried again after any failure, or when another service comes
            LOG.warn("Export {} takes no calls with Kerberos now: {}", name(), e.getMessage());
            if (kerberos.isPresent()) {
                retryLater(this::renewSecurity);
            }
        }
    }

    /** An export that has listened before goes on by what else it allows, while the service is away. */
    private void renewOrGoOn() throws IOException {
        try {
            kerberos.renew();
        } catch (IOException e) {
            if (!kerberos.isGuarding()) {
                throw e;
            }
            LOG.warn("Export {} takes no calls with Kerberos now: {}", name(), e.getMessage());
            if (kerberos.isPresent()) {
                retryLater(this::renewSecurity);
            }
        }
    }

    /** Linux's clients make their contexts over TCP. The export goes on without them. */
    private void takeContexts(ExportOptions found) {
        try {
            kerberos.listen(found.listenOptions().local().getAddress());
            contextFailure = null;
        } catch (Throwable e) { // it is tried again after any failure
            String why = String.valueOf(e.getMessage());
            if (!why.equals(contextFailure)) {
                contextFailure = why;
                LOG.warn(
                        "Export {}: Linux's clients cannot mount with Kerberos, since their contexts are made at TCP"
                                + " port {}: {}; it is tried again every {} s",
                        name(),
                        kerberos.gssPort(),
                        why,
                        RETRY_SECONDS);
            }
            retryLater(() -> takeContexts(found));
        }
    }

    private void exchange(RpcTransport newTransport) {
        RpcListener old;
        lock.lock();
        try {
            if (closed) {
                return; // close() ends the listener
            }
            transport = newTransport;
            old = listener;
            listener = null;
            failure = null;
        } finally {
            lock.unlock();
        }
        run(() -> {
            try {
                if (old != null) {
                    old.close();
                }
            } finally {
                listen();
            }
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
        lock.lock();
        try {
            with = transport;
            if (with == null || closed || listener != null) {
                return;
            }
        } finally {
            lock.unlock();
        }
        try {
            ExportOptions found = resolved();
            if (kerberos != null) {
                renewOrGoOn();
            }
            NfsServer program = server(found);
            RpcProgram guarded = program;
            if (kerberos != null) {
                guarded = kerberos.guard(program);
                takeContexts(found);
            }
            RpcListener made = with.listen(found.listenOptions(), guarded);
            listening(made, with);
        } catch (IOException e) {
            failed(ListenFailures.explain(options, e), e);
        } catch (Throwable e) { // the executor tries again after any failure
            // the message of an IllegalArgumentException names the invalid option
            String why = e instanceof RuntimeException ? e.getMessage() : e.toString();
            failed("cannot export " + options.settings().directory() + ": " + why, e);
        }
    }

    /**
     * The options with the address looked up. Kept after the first success: the address may decide which hosts may
     * connect.
     */
    private ExportOptions resolved() throws IOException {
        options.validate();
        if (resolved == null) {
            resolved = options.resolved();
        }
        return resolved;
    }

    private NfsServer server(ExportOptions found) throws IOException {
        lock.lock();
        try {
            if (server != null) {
                return server;
            }
        } finally {
            lock.unlock();
        }
        NfsServer started = new NfsServer(found.settings(), state, memory, runtime);
        lock.lock();
        try {
            if (!closed) {
                server = started;
                return started;
            }
        } finally {
            lock.unlock();
        }
        started.close(); // close() did not wait for this thread any longer
        throw new IOException("export " + name() + " has been withdrawn");
    }

    private void listening(RpcListener made, RpcTransport with) {
        boolean wanted;
        lock.lock();
        try {
            wanted = !closed && transport == with;
            if (wanted) {
                listener = made;
                failure = null;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
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
            notice().ifPresent(text -> LOG.info("Export {}: {}", name(), text));
        } else {
            made.close();
        }
    }

    private void failed(String reason, Throwable cause) {
        lock.lock();
        try {
            failure = new IOException(reason, cause);
            changed.signalAll();
            if (closed) {
                return;
            }
        } finally {
            lock.unlock();
        }
        retryLater(this::listen);
        LOG.warn("Export {}: {}; it is tried again in {} s", name(), reason, RETRY_SECONDS);
    }

    private void retryLater(Runnable task) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (retry != null) {
                retry.cancel(false);
            }
            retry = executor.schedule(task, RETRY_SECONDS, TimeUnit.SECONDS);
        } finally {
            lock.unlock();
        }
    }

    private void stopListening() {
        RpcListener stopped;
        lock.lock();
        try {
            stopped = listener;
            listener = null;
        } finally {
            lock.unlock();
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
    public Optional<InetSocketAddress> localAddress() {
        lock.lock();
        try {
            return Optional.ofNullable(listener).map(RpcListener::localAddress);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<IOException> failure() {
        lock.lock();
        try {
            return Optional.ofNullable(failure);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void awaitListening(Duration timeout) throws IOException {
        long left = timeout.toNanos();
        lock.lock();
        try {
            while (listener == null) {
                if (failure != null) {
                    throw new IOException(failure.getMessage(), failure);
                }
                if (closed || left <= 0) {
                    throw new IOException(unheardOf(timeout));
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for export " + name() + " to listen", e);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private String unheardOf(Duration timeout) {
        if (closed) {
            return "export " + name() + " has been withdrawn";
        }
        return transport == null
                ? "export " + name() + " has no transport to listen with: start verbena-rpcrdma-dispatcher"
                : "export " + name() + " does not listen after " + timeout.toSeconds() + " s";
    }

    @Override
    public Optional<String> notice() {
        NfsServer asked;
        lock.lock();
        try {
            asked = server;
        } finally {
            lock.unlock();
        }
        boolean servesAsRoot = asked != null && asked.isRootProcess();
        return servesAsRoot ? Optional.of(options.settings().squash().asRoot()) : Optional.empty();
    }

    @Override
    public Map<String, String> settings() {
        lock.lock();
        try {
            return listener == null ? Map.of() : listener.settings();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Map<String, Long> counters() {
        NfsServer counted;
        lock.lock();
        try {
            counted = server;
        } finally {
            lock.unlock();
        }
        return counted == null ? Map.of() : counted.counters();
    }

    /** Stops listening and serving, and waits for the end of both, also where another thread has begun to. */
    @Override
    public void close() {
        if (!closing.run(this::end, () -> false, runtime.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS))) {
            LOG.warn("Export {} was not closed in time by {}", name(), closing.closer());
        }
    }

    private void end() {
        NfsServer stopped;
        lock.lock();
        try {
            closed = true;
            transport = null;
            if (retry != null) {
                retry.cancel(false);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        executor.shutdown(); // submitted tasks, such as closing a former listener, are still executed
        awaitExecutor();
        stopListening();
        if (kerberos != null) {
            kerberos.close();
        }
        lock.lock();
        try {
            stopped = server;
            server = null;
        } finally {
            lock.unlock();
        }
        if (stopped != null) {
            stopped.close();
        }
    }

    private void awaitExecutor() {
        if (!Closing.awaitEnd(runtime, executor, runtime.nanoTime() + TimeUnit.SECONDS.toNanos(RETRY_SECONDS))) {
            LOG.warn("Export {} is still trying to listen", name());
        }
    }
}
