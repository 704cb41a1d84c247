package io.verbena.nfs41.client.internal.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.client.internal.figures.SwapRecorder;
import io.verbena.nfs41.client.internal.security.MountSecurity;
import io.verbena.nfs41.client.internal.security.SecuritySource;
import io.verbena.nfs41.client.internal.util.BinarySemaphore;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.Uninterruptible;
import io.verbena.nfs41.client.internal.util.Worker;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpc.retry.RetryPolicy;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The connection of a mount. The transport restores a lost connection by itself; this class makes another connection
 * where the transport was replaced, or has given up. Thread safe.
 */
public final class RpcLink {
    /** How long a mount that ends expects a lost connection to come back. */
    private static final long ABSENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long a mount that ends waits until the server has forgotten a security context. */
    private static final Duration END = Duration.ofSeconds(1);

    /** The settings of a connection that describe its provider. */
    private static final Set<String> PROVIDER_SETTINGS = Set.of("provider", "providerChoice");

    private final MountSettings settings;
    private final TransportSource transports;
    private final MountSecurity security;
    private final ConnectionObserver observer;
    private final Worker worker;
    private final SwapRecorder swaps;
    private final Runtime runtime;
    /** The thread that has it connects, or changes the server. */
    private final BinarySemaphore connecting;

    @GuardedBy("this")
    private CompletableFuture<LinkConnection> pending;

    private final AtomicReference<LinkConnection> connection = new AtomicReference<>();
    /** The connections that are not used any more, but not closed yet. */
    private final Set<LinkConnection> abandoned = ConcurrentHashMap.newKeySet();

    private final ExtraConnections extras;

    /** Has a thread for each connection that ends with the mount. */
    private final ExecutorService ends;

    /** Which provider carried the first connection, and why. The mount stays with that provider. */
    private volatile Map<String, String> provider = Map.of();

    /** The choice of that provider, as settings for the transport. */
    private volatile Map<String, String> choice = Map.of();
    /** What transports have found out about the server, as settings for the next one. */
    private volatile Map<String, String> known = Map.of();

    /** The attempts to connect that requests wait for. The keeper of the session has pauses of its own. */
    private final RetryPolicy.Series connects;

    private volatile long notBeforeNanos;
    private final AtomicInteger left = new AtomicInteger();
    private volatile String server;
    private volatile RpcProgram reverse;
    private volatile boolean closed;

    /** The link of a mount that has no service for security contexts. */
    public RpcLink(
            MountSettings settings,
            TransportSource transports,
            ConnectionObserver observer,
            Worker worker,
            SwapRecorder swaps,
            Runtime runtime) {
        this(settings, transports, unprotected(settings, runtime), observer, worker, swaps, runtime);
    }

    private static MountSecurity unprotected(MountSettings settings, Runtime runtime) {
        return new MountSecurity(settings, new SecuritySource(null, runtime), null, runtime);
    }

    public RpcLink(
            MountSettings settings,
            TransportSource transports,
            MountSecurity security,
            ConnectionObserver observer,
            Worker worker,
            SwapRecorder swaps,
            Runtime runtime) {
        this.security = security;
        this.settings = settings;
        this.server = settings.server();
        this.transports = transports;
        this.observer = observer;
        this.worker = worker;
        this.swaps = swaps;
        this.runtime = runtime;
        this.connecting = new BinarySemaphore(runtime);
        this.ends = runtime.newExecutor("verbena-nfs-ends-" + settings.name(), Duration.ZERO);
        this.extras = new ExtraConnections(worker, this::endAlone);
        this.connects = MountSettings.RETRIES.start(runtime::nanoTime, runtime.random()::nextDouble);
        this.notBeforeNanos = runtime.nanoTime();
    }

    /** Connects to another server from now on. Closes the present connection. */
    public void redirect(String host) {
        connecting.acquireUninterruptibly();
        try {
            server = host;
            drop();
            extras.dropAll();
        } finally {
            connecting.release();
        }
    }

    /** The host name or address of the server. */
    public String server() {
        return server;
    }

    /** What protects the calls. */
    public MountSecurity security() {
        return security;
    }

    /** Serves the callback program on each connection that is made from now on. */
    public void serve(RpcProgram program) {
        reverse = program;
    }

    /** The present connection if it can be used, else null. */
    public LinkConnection current() {
        LinkConnection present = connection.get();
        return present != null && present.isOpen() ? present : null;
    }

    /** The connections beside the first one. */
    public ExtraConnections extras() {
        return extras;
    }

    /** The connection for a request that any connection of the session may carry, or null. */
    public LinkConnection leastBusy() {
        return extras.leastBusy(current());
    }

    /**
     * Makes a connection beside the first one. Callbacks do not come by it. Blocks.
     *
     * @param number of the connection among those of the mount, from 2
     * @param lost told when it is lost; it is of no use any more then
     */
    public LinkConnection connectExtra(int number, ConnectionObserver lost) throws IOException {
        RpcTransport transport = transports.await(settings.swapTimeout());
        LinkConnection made = new LinkConnection(transport, lost, runtime, number, security, server);
        // another takes the place of a lost one: it would be broken off while it is made again
        made.connect(options(made, settings.name() + "#" + number, Duration.ZERO, Optional.empty()));
        if (closed || !transports.isPresent(transport)) { // close() or leave() did not see it
            made.close();
            throw new TransportLostException("the transport was stopped as soon as a connection stood", null);
        }
        return made;
    }

    /**
     * The connection. Where there is none, a worker thread makes one for all callers, after a pause if the last attempt
     * failed or the last connection brought no reply.
     */
    public CompletableFuture<LinkConnection> connected() {
        LinkConnection present = current();
        if (present != null) {
            return CompletableFuture.completedFuture(present);
        }
        CompletableFuture<LinkConnection> made;
        synchronized (this) {
            if (pending != null && !pending.isDone()) {
                return pending;
            }
            made = new CompletableFuture<>();
            pending = made;
        }
        long pause = notBeforeNanos - runtime.nanoTime();
        try {
            if (pause > 0) {
                Future<?> unused = worker.schedule(() -> connect(made), pause, TimeUnit.NANOSECONDS);
            } else {
                worker.execute(() -> connect(made));
            }
        } catch (Throwable e) {
            refuse(made, e);
        }
        if (closed) { // meanwhile: the worker may not run the task any more
            made.completeExceptionally(unmounted());
        }
        return made;
    }

    /**
     * No thread will make the connection.
     *
     * @param why for example the worker has ended, or no thread could be made
     */
    private void refuse(CompletableFuture<LinkConnection> made, Throwable why) {
        made.completeExceptionally(why instanceof RejectedExecutionException ? unmounted() : why);
        forget(made);
    }

    /** Makes the next attempt without a pause. */
    public void retryAtOnce() {
        connects.restart();
        notBeforeNanos = runtime.nanoTime();
    }

    private void backOff() {
        notBeforeNanos = runtime.nanoTime() + connects.nextPauseNanos();
    }

    private void connect(CompletableFuture<LinkConnection> made) {
        try {
            made.complete(connect());
        } catch (Throwable e) { // even an Error, as of a missing class
            if (!(e instanceof MissingServiceException)) { // connect() has waited for it already
                backOff();
            }
            made.completeExceptionally(e);
        }
        forget(made);
    }

    /** Drops a completed attempt: a failure that is kept would keep the classes of all bundles in its stack trace. */
    private synchronized void forget(CompletableFuture<LinkConnection> made) {
        if (pending == made) {
            pending = null;
        }
    }

    /** The connection. Where there is none, this thread makes one. Blocks. */
    public LinkConnection connect() throws IOException {
        connecting.acquireUninterruptibly();
        try {
            LinkConnection present = current();
            if (present != null) {
                return present;
            }
            if (closed) {
                throw unmounted();
            }
            drop();
            LinkConnection made = connectByPresentTransport();
            keepProvider(made);
            connection.set(made);
            if (closed) { // meanwhile: close() did not see this connection
                drop();
                throw unmounted();
            }
            if (!transports.isPresent(made.transport())) { // leave() did not see it either
                drop();
                throw new TransportLostException("the transport was stopped as soon as a connection stood", null);
            }
            swaps.connected();
            observer.reconnected(0);
            return made;
        } finally {
            connecting.release();
        }
    }

    /**
     * Connects by the transport that is there. Where it goes meanwhile, its failure tells nothing about the next, which
     * connects then. The attempts end once all of them have taken as long as a call, or, with the waits for the next
     * transports, longer by the time that a transport may be missing. The caller, whose patience may be over, comes to
     * decide then.
     */
    private LinkConnection connectByPresentTransport() throws IOException {
        long leftNanos = settings.callTimeout().toNanos();
        long mostNanos = leftNanos + settings.swapTimeout().toNanos();
        RpcTransport transport = transports.await(settings.swapTimeout());
        long firstNanos = runtime.nanoTime();
        while (true) {
            LinkConnection made = new LinkConnection(transport, observer, runtime, 1, security, server);
            long begunNanos = runtime.nanoTime();
            try {
                connect(made);
                return made;
            } catch (IOException e) {
                if (closed || transports.isPresent(transport)) {
                    throw e;
                }
                leftNanos -= runtime.nanoTime() - begunNanos;
                if (leftNanos <= 0 || runtime.nanoTime() - firstNanos > mostNanos) {
                    left.incrementAndGet(); // which tells that the peer need not be the reason
                    throw new TransportLostException(
                            "the transport was replaced again and again while it connected to " + server, e);
                }
            }
            transport = transports.await(settings.swapTimeout());
        }
    }

    private void connect(LinkConnection made) throws IOException {
        try {
            made.connect(options(made, settings.name(), settings.callTimeout(), Optional.ofNullable(reverse)));
        } catch (MissingServiceException e) {
            throw Blocking.asIOException(meaning(made, e));
        }
    }

    /**
     * What the failure of a call or of connecting means. A stopped transport lacks all services below it; that tells
     * nothing about the next transport.
     */
    public Throwable meaning(LinkConnection by, Throwable thrown) {
        return thrown instanceof MissingServiceException && !transports.isPresent(by.transport())
                ? new TransportLostException("the transport was stopped", thrown)
                : thrown;
    }

    /**
     * Replaces the present connections, or makes one where there is none, by as many attempts as the time allows.
     * Blocks until the first connection stands.
     */
    public void reconnect(Duration timeout) throws IOException {
        long deadline = runtime.nanoTime() + timeout.toNanos();
        LinkConnection present = current();
        if (present != null) {
            present.reconnect(timeout);
            extras.replace(deadline, runtime::nanoTime);
            return;
        }
        retryAtOnce();
        TransportLostException last = null;
        long left = timeout.toNanos();
        while (last == null || left > 0) {
            try {
                Blocking.await(runtime, connected(), left);
                return;
            } catch (TransportLostException e) {
                if (closed) {
                    throw e;
                }
                last = e;
            } catch (ServerUnavailableException e) {
                throw last == null ? e : last; // the last attempt tells more than the time-out
            }
            left = deadline - runtime.nanoTime();
        }
        throw last;
    }

    private void keepProvider(LinkConnection made) {
        if (provider.isEmpty()) {
            Map<String, String> kept = new HashMap<>(made.settings());
            kept.keySet().retainAll(PROVIDER_SETTINGS);
            provider = Map.copyOf(kept);
            choice = Map.copyOf(made.choice());
        }
    }

    /** Which provider carries the mount, and why, as users see it; empty before the first connection. */
    public Map<String, String> provider() {
        return provider;
    }

    private ConnectOptions options(LinkConnection line, String label, Duration recovery, Optional<RpcProgram> callbacks)
            throws IOException {
        InetSocketAddress address = new InetSocketAddress(server, settings.port());
        if (address.isUnresolved()) {
            throw new ServerUnavailableException("no host '" + server + "' is known: check the server's name", null);
        }
        Map<String, String> transport = new HashMap<>(settings.transport());
        transport.putAll(choice);
        transport.putAll(known);
        transport.put("label", label);
        return new ConnectOptions(
                address,
                min(Duration.ofSeconds(10), settings.callTimeout()),
                recovery,
                settings.swapTimeout(),
                settings.slots(),
                line,
                callbacks,
                transport);
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** Closes the present connection: its calls fail and are sent again on the next one. */
    private void drop() {
        LinkConnection old = connection.getAndSet(null);
        if (old != null) {
            ended(old);
            old.close();
        }
    }

    private void ended(LinkConnection old) {
        swaps.ended(old.settings());
        know(old.learned());
    }

    /** Takes what an earlier transport has found out about the server. */
    public synchronized void know(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(known);
        all.putAll(more);
        known = Map.copyOf(all);
    }

    /** What the next connection of the mount, or of the mount that takes its place, is to know of the server. */
    public Map<String, String> known() {
        LinkConnection present = connection.get();
        if (present != null) {
            know(present.learned());
        }
        return known;
    }

    /**
     * Leaves a transport that still works but will be stopped. No further call is sent by it. Calls under way are
     * awaited within the bound; those without a reply by then are sent again on the next connection. Blocks.
     */
    public void leave(RpcTransport transport, long drainNanos) {
        long deadline = runtime.nanoTime() + drainNanos;
        LinkConnection old = connection.get();
        if (old != null && old.isBy(transport)) {
            SwapRecorder.Swap swap = swaps.transportLeft();
            if (connection.compareAndSet(old, null)) {
                ended(old);
            }
            left.incrementAndGet();
            retryAtOnce(); // a stopped transport tells nothing about the server
            observer.lost(null);
            int unanswered = old.leave(drainNanos);
            old.close();
            swaps.transportDrained(swap, unanswered);
        }
        extras.leave(transport, deadline, runtime::nanoTime);
        abandoned.forEach(this::closeAbandoned);
    }

    /** How many transports were left so far. Callers compare two values to learn whether one was left in between. */
    public int timesLeft() {
        return left.get();
    }

    /** Whether there is no transport now. */
    public boolean lacksTransport() {
        return transports.isMissing();
    }

    /** Whether a mount that ends should wait for answers: false where the connection has been lost for a while. */
    public boolean isUsable() {
        LinkConnection present = current();
        return present == null ? !transports.isMissing() : !present.isLost(ABSENCE_NANOS);
    }

    /** Why a step at the end of the mount failed, as users read it. */
    public String why(IOException failure) {
        return isUsable() ? failure.getMessage() : "there is no connection to the server now";
    }

    /**
     * A call by that connection has ended. After a time-out of a sent call the connection is abandoned: such a call may
     * be sent again by another connection only (RFC 8881 section 2.9.2), and a time-out may be the only sign of a dead
     * peer.
     *
     * @param thrown the failure, or null where the call succeeded
     */
    public void failed(LinkConnection by, Throwable thrown) {
        if (thrown instanceof CallTimedOutException late && late.wasSent() && !extras.drop(by)) {
            abandon(by);
        }
    }

    private void abandon(LinkConnection silent) {
        if (!connection.compareAndSet(silent, null)) {
            return;
        }
        long useful = silent.usefulNanos();
        if (useful == 0 || !connects.succeeded(useful)) {
            backOff();
        }
        ended(silent);
        abandoned.add(silent);
        try {
            worker.execute(() -> closeAbandoned(silent)); // closing may take a while
        } catch (Throwable e) { // for example the worker has ended
            closeAbandoned(silent);
        }
        if (closed) { // meanwhile: the worker may not run the task any more
            closeAbandoned(silent);
        }
    }

    private void closeAbandoned(LinkConnection silent) {
        if (abandoned.remove(silent)) {
            silent.close();
        }
    }

    private static IOException unmounted() {
        return new TransportLostException("the file system has been unmounted", null);
    }

    private void endAlone(Runnable end) {
        try {
            ends.execute(end);
        } catch (Throwable e) { // for example no thread could be made
            end.run();
        }
    }

    /**
     * Ends the connections, all at the same time, and the security contexts. Blocks; an interrupt does not shorten
     * that.
     *
     * @param timeoutNanos how long at most; what has not ended by then goes on to its end
     * @return whether all have ended
     */
    public boolean close(long timeoutNanos) {
        long deadline = runtime.nanoTime() + timeoutNanos;
        closed = true;
        LinkConnection present = current();
        if (present != null && !present.isAway()) {
            present.endSecurity(min(END, Duration.ofNanos(timeoutNanos)));
        }
        security.close();
        LinkConnection last = connection.getAndSet(null);
        if (last != null) {
            ended(last);
            endAlone(last::close);
        }
        extras.closeAll();
        CompletableFuture<LinkConnection> waited;
        synchronized (this) {
            waited = pending;
        }
        if (waited != null) {
            waited.completeExceptionally(unmounted());
        }
        abandoned.forEach(each -> endAlone(() -> closeAbandoned(each)));
        ends.shutdown();
        return Uninterruptible.await(runtime, deadline - runtime.nanoTime(), left -> runtime.awaitEnd(ends, left))
                && security.awaitEnd(deadline - runtime.nanoTime());
    }
}
