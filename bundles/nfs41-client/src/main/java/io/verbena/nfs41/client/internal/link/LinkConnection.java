package io.verbena.nfs41.client.internal.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.client.internal.security.MountSecurity;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.rpc.CallShape;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransferSizes;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One connection of a mount. It counts the calls under way, so that the mount can leave the connection without breaking
 * off calls. It observes losses and reconnects, and passes them on to the mount's observer. Thread safe.
 */
public final class LinkConnection implements ConnectionObserver {
    private final RpcTransport transport;
    private final ConnectionObserver mount;
    private final Runtime runtime;
    private final int number;
    private final MountSecurity security;
    private final String host;
    private final Lock lock = new ReentrantLock();
    /** The connection is being left and all calls are answered, or it was lost or restored. */
    private final Condition changed;

    private volatile RpcConnection connection;
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile boolean leaving;
    private volatile boolean away;
    private volatile long connectedNanos;
    private volatile boolean replied;

    @GuardedBy("lock")
    private boolean lost;

    @GuardedBy("lock")
    private long lostNanos;

    /**
     * @param number of the connection among those of the mount, 1 for the first
     * @param security protects the calls
     * @param host the server's name or address
     */
    LinkConnection(
            RpcTransport transport,
            ConnectionObserver mount,
            Runtime runtime,
            int number,
            MountSecurity security,
            String host) {
        this.security = security;
        this.host = host;
        this.transport = transport;
        this.mount = mount;
        this.runtime = runtime;
        this.number = number;
        this.changed = runtime.newCondition(lock);
    }

    /** Connects; called once, before all other methods. The {@code options} name this object as the observer. */
    void connect(ConnectOptions options) throws IOException {
        connection = transport.connect(options);
        connectedNanos = runtime.nanoTime();
    }

    @Override
    public void lost(Throwable cause) {
        lost(true);
        mount.lost(cause);
    }

    @Override
    public void reconnected(int attempt) {
        lost(false);
        mount.reconnected(attempt);
    }

    boolean isBy(RpcTransport candidate) {
        return transport == candidate;
    }

    RpcTransport transport() {
        return transport;
    }

    /**
     * As {@link RpcConnection#call}. The caller calls {@link #answered} once it has the reply or the failure.
     *
     * @return null where the connection is being left; nothing was sent then
     */
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        return call(call, decoder, () -> {});
    }

    /**
     * As above.
     *
     * @param sending run right before the call is sent
     */
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder, Runnable sending) {
        underWay.incrementAndGet();
        if (leaving) { // checked after counting: leave() awaits every call that has passed this check
            answered();
            return null;
        }
        try {
            if (security.isReady(host)) {
                sending.run();
                return connection.call(call, decoder);
            }
            return callOnceReady(call, decoder, sending);
        } catch (Throwable e) {
            answered();
            throw e;
        }
    }

    /** Sends a call as soon as there are security contexts, within the time of the call. */
    private <T> CompletableFuture<T> callOnceReady(RpcCall call, ReplyDecoder<T> decoder, Runnable sending) {
        DeferredCall<T> result = new DeferredCall<>();
        Future<?> end = runtime.runLater(
                () -> {
                    if (result.decide()) {
                        result.completeExceptionally(SecurityUnavailableException.passing(
                                "no security context with " + host + " was made within "
                                        + call.timeout().toSeconds() + " s",
                                null));
                    }
                },
                call.timeout().toNanos());
        Futures.whenDoneElse(
                security.ready(host, connection),
                (ready, thrown) -> {
                    end.cancel(false);
                    if (!result.decide()) {
                        return;
                    }
                    if (thrown != null) {
                        result.completeExceptionally(thrown);
                        return;
                    }
                    sending.run();
                    CompletableFuture<T> sent = connection.call(call, decoder);
                    result.sent(sent);
                    Futures.whenDoneElse(
                            sent,
                            (value, failure) -> {
                                if (failure == null) {
                                    result.complete(value);
                                } else {
                                    result.completeExceptionally(failure);
                                }
                            },
                            result::completeExceptionally);
                },
                result::completeExceptionally);
        return result;
    }

    /**
     * A call that waits for security contexts. A call that is cancelled before it is sent ends at once; later, the call
     * under way is cancelled, and ends once the peer cannot reach its memory any more.
     */
    private static final class DeferredCall<T> extends CompletableFuture<T> {
        private final AtomicBoolean isDecided = new AtomicBoolean();
        private volatile CompletableFuture<T> underWay;
        private volatile boolean isWanted = true;

        /** Decides what becomes of the call: it is sent, or fails. Returns false where that is decided. */
        boolean decide() {
            return isDecided.compareAndSet(false, true);
        }

        void sent(CompletableFuture<T> call) {
            underWay = call;
            if (!isWanted) { // checked after the call is there for cancel()
                call.cancel(false);
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            isWanted = false;
            if (decide()) {
                return super.cancel(mayInterruptIfRunning);
            }
            CompletableFuture<T> call = underWay;
            return call != null && call.cancel(mayInterruptIfRunning);
        }
    }

    /** The connection has brought a reply. */
    void replied() {
        if (!replied) {
            replied = true;
        }
    }

    /** The age of the connection in nanoseconds if it has brought a reply, else 0. */
    long usefulNanos() {
        return replied ? runtime.nanoTime() - connectedNanos : 0;
    }

    /** A call has its reply or its failure. */
    public void answered() {
        if (underWay.decrementAndGet() == 0 && leaving) {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private void lost(boolean isLost) {
        lock.lock();
        try {
            lostNanos = isLost && !lost ? runtime.nanoTime() : lostNanos;
            lost = isLost;
            away = isLost;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the connection is lost now. Does not wait for a lock. */
    boolean isAway() {
        return away;
    }

    int number() {
        return number;
    }

    /** How many calls are under way. */
    int underWay() {
        return underWay.get();
    }

    /** Whether the connection takes no more calls. */
    public boolean isLeft() {
        return leaving || !connection.isOpen();
    }

    /** Whether the connection has been lost for longer than that. */
    boolean isLost(long longerThanNanos) {
        lock.lock();
        try {
            return lost && runtime.nanoTime() - lostNanos > longerThanNanos;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes no more calls. Waits until the calls under way are answered, or the connection is lost, or the time is
     * over.
     *
     * @return the number of calls without an answer
     */
    int leave(long timeoutNanos) {
        lock.lock();
        try {
            leaving = true;
            long left = timeoutNanos;
            while (underWay.get() > 0 && left > 0 && !lost && connection.isOpen()) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
        return underWay.get();
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    public Map<String, String> settings() {
        return connection.settings();
    }

    /** As {@link RpcConnection#explain}. */
    public Optional<TransferSizes> explain(CallShape shape) {
        return connection.explain(shape);
    }

    Map<String, String> learned() {
        return connection.learned();
    }

    Map<String, String> choice() {
        return connection.choice();
    }

    void reconnect(Duration timeout) throws IOException {
        connection.reconnect(timeout);
    }

    /** Ends the security contexts of the mount. Blocks. */
    void endSecurity(Duration timeout) {
        security.end(connection, timeout);
    }

    /** Ends the connection; its calls fail. */
    public void close() {
        connection.close();
    }
}
