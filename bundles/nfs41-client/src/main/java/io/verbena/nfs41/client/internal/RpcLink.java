package io.verbena.nfs41.client.internal;

import io.verbena.nfs.ServerUnavailableException;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransportLostException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The mount's connection. The transport makes a lost one again by itself; this class makes another where the transport
 * itself was replaced or has given up.
 */
final class RpcLink implements AutoCloseable {
    /** So long is a server that has gone expected to be back when the mount ends. */
    private static final long ABSENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The settings that tell of a connection's provider. */
    private static final Set<String> PROVIDER_SETTINGS = Set.of("provider", "providerChoice");

    private final MountSettings settings;
    private final TransportSource transports;
    private final ConnectionObserver observer;
    private final Executor worker;
    private final Swaps swaps;
    private final Object connecting = new Object();
    private CompletableFuture<Line> pending;
    private final AtomicReference<Line> connection = new AtomicReference<>();
    /** Not used any more, but not closed yet. */
    private final Set<Line> abandoned = ConcurrentHashMap.newKeySet();

    /** Which provider carried the first connection, and why: it carries the mount as long as that is there. */
    private volatile Map<String, String> provider = Map.of();

    /** The same as the transport wants to be told. */
    private volatile Map<String, String> choice = Map.of();

    private final AtomicInteger left = new AtomicInteger();
    private volatile String server;
    private volatile RpcProgram reverse;
    private volatile boolean closed;

    RpcLink(
            MountSettings settings,
            TransportSource transports,
            ConnectionObserver observer,
            Executor worker,
            Swaps swaps) {
        this.settings = settings;
        this.server = settings.server();
        this.transports = transports;
        this.observer = observer;
        this.worker = worker;
        this.swaps = swaps;
    }

    /** Connects to that server from now on; what connection there is, is closed. */
    void redirect(String host) {
        synchronized (connecting) {
            server = host;
            drop();
        }
    }

    /** The host name or address that it connects to. */
    String server() {
        return server;
    }

    /** Answers the server's calls, on every connection that is made from now on. */
    void serve(RpcProgram program) {
        reverse = program;
    }

    /** The connection if there is one that can be used, else null. */
    Line current() {
        Line present = connection.get();
        return present != null && present.isOpen() ? present : null;
    }

    /** The connection, made on a thread of the worker's where there is none, once for all who want it. */
    CompletableFuture<Line> connected() {
        Line present = current();
        if (present != null) {
            return CompletableFuture.completedFuture(present);
        }
        CompletableFuture<Line> made;
        synchronized (this) {
            if (pending != null && !pending.isDone()) {
                return pending;
            }
            made = new CompletableFuture<>();
            pending = made;
        }
        try {
            worker.execute(() -> connect(made));
        } catch (RejectedExecutionException e) {
            made.completeExceptionally(unmounted());
        }
        if (closed) { // meanwhile, so that the worker may not come to it any more
            made.completeExceptionally(unmounted());
        }
        return made;
    }

    private void connect(CompletableFuture<Line> made) {
        try {
            made.complete(connect());
        } catch (IOException | RuntimeException | Error e) { // an Error: a class that the class path lacks, for one
            made.completeExceptionally(e);
        }
        forget(made);
    }

    /** A failure that is kept would keep the classes of all bundles that it came through. */
    private synchronized void forget(CompletableFuture<Line> made) {
        if (pending == made) {
            pending = null;
        }
    }

    /** The connection, made on this thread where there is none. */
    Line connect() throws IOException {
        synchronized (connecting) {
            Line present = current();
            if (present != null) {
                return present;
            }
            if (closed) {
                throw unmounted();
            }
            drop();
            RpcTransport transport = transports.await(settings.swapTimeout());
            Line made = new Line(transport, observer);
            connect(made);
            keepProvider(made);
            connection.set(made);
            if (closed) { // meanwhile, so that close() did not see this connection
                drop();
                throw unmounted();
            }
            if (!transports.isPresent(transport)) { // nor did leave()
                drop();
                throw new TransportLostException("the transport was stopped as soon as a connection stood", null);
            }
            swaps.connected();
            observer.reconnected(0);
            return made;
        }
    }

    private void connect(Line made) throws IOException {
        try {
            made.connect(options(made));
        } catch (MissingServiceException e) {
            throw Blocking.asIOException(meaning(made, e));
        }
    }

    /**
     * What the failure of a call or of connecting means: a transport that is stopped lacks all that it was built on, which
     * says nothing of the next one.
     */
    Throwable meaning(Line by, Throwable thrown) {
        return thrown instanceof MissingServiceException && !transports.isPresent(by.transport())
                ? new TransportLostException("the transport was stopped", thrown)
                : thrown;
    }

    /** Another connection in the place of the present one; where there is none it is made. */
    void reconnect(Duration timeout) throws IOException {
        Line present = current();
        if (present == null) {
            Blocking.await(connected(), timeout.toNanos());
        } else {
            present.reconnect(timeout);
        }
    }

    private void keepProvider(Line made) {
        if (provider.isEmpty()) {
            Map<String, String> kept = new HashMap<>(made.settings());
            kept.keySet().retainAll(PROVIDER_SETTINGS);
            provider = Map.copyOf(kept);
            choice = Map.copyOf(made.choice());
        }
    }

    /** Which provider carries the mount, and why, for people to read; empty before the first connection. */
    Map<String, String> provider() {
        return provider;
    }

    private ConnectOptions options(Line line) throws IOException {
        InetSocketAddress address = new InetSocketAddress(server, settings.port());
        if (address.isUnresolved()) {
            throw new ServerUnavailableException("no host '" + server + "' is known: check the server's name", null);
        }
        Duration limit = settings.callTimeout();
        Map<String, String> transport = new HashMap<>(settings.transport());
        transport.putAll(choice);
        transport.put("label", settings.name());
        return new ConnectOptions(
                address,
                min(Duration.ofSeconds(10), limit),
                limit,
                settings.swapTimeout(),
                settings.slots(),
                line,
                Optional.ofNullable(reverse),
                transport);
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** Closes what connection there is: calls fail now, and are made again on what comes next. */
    private void drop() {
        Line old = connection.getAndSet(null);
        if (old != null) {
            swaps.ended(old.settings());
            old.close();
        }
    }

    /**
     * The transport goes away, but works still: no more is sent by it, what is under way is waited for within a bound,
     * and sent again on what comes next where it has no answer by then.
     */
    void leave(RpcTransport transport, long drainNanos) {
        Line old = connection.get();
        if (old != null && old.isBy(transport)) {
            Swaps.Swap swap = swaps.transportLeft();
            if (connection.compareAndSet(old, null)) {
                swaps.ended(old.settings());
            }
            left.incrementAndGet();
            observer.lost(null);
            int unanswered = old.leave(drainNanos);
            old.close();
            swaps.transportDrained(swap, unanswered);
        }
        abandoned.forEach(this::closeAbandoned);
    }

    /** How many transports were left, for who wants to know whether one was meanwhile. */
    int timesLeft() {
        return left.get();
    }

    /** Whether there is no transport now. */
    boolean lacksTransport() {
        return transports.isMissing();
    }

    /** Whether it is worth the while of who is about to end to wait for answers: not of a server that stays away. */
    boolean isUsable() {
        Line present = current();
        return present == null ? !transports.isMissing() : !present.isLost(ABSENCE_NANOS);
    }

    /** Why something could not be done at the end of the mount, for people. */
    String why(IOException failure) {
        return isUsable() ? failure.getMessage() : "there is no connection to the server now";
    }

    /**
     * A call by that connection has failed. One that was sent and not answered in time may be sent again by another
     * connection only (RFC 8881 section 2.9.2); and where the peer has gone without a word, nothing else tells.
     *
     * @param thrown how, or null where it has not
     */
    void failed(Line by, Throwable thrown) {
        if (thrown instanceof CallTimedOutException late && late.wasSent()) {
            abandon(by);
        }
    }

    private void abandon(Line silent) {
        if (!connection.compareAndSet(silent, null)) {
            return;
        }
        swaps.ended(silent.settings());
        abandoned.add(silent);
        try {
            worker.execute(() -> closeAbandoned(silent)); // which may take a while
        } catch (RejectedExecutionException e) {
            closeAbandoned(silent);
        }
        if (closed) { // meanwhile, so that the worker may not come to it any more
            closeAbandoned(silent);
        }
    }

    private void closeAbandoned(Line silent) {
        if (abandoned.remove(silent)) {
            silent.close();
        }
    }

    private static IOException unmounted() {
        return new TransportLostException("the file system has been unmounted", null);
    }

    @Override
    public void close() {
        closed = true;
        drop();
        CompletableFuture<Line> waited;
        synchronized (this) {
            waited = pending;
        }
        if (waited != null) {
            waited.completeExceptionally(unmounted());
        }
        abandoned.forEach(this::closeAbandoned);
    }
}
