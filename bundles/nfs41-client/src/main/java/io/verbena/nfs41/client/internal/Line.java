package io.verbena.nfs41.client.internal;

import io.verbena.rpc.CallShape;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransferPlan;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One connection of the mount's and the calls on it, so that it can be left without breaking off any; it hears of the
 * connection's ups and downs first, and passes them on. Thread safe.
 */
final class Line implements ConnectionObserver {
    private final RpcTransport transport;
    private final ConnectionObserver mount;
    private volatile RpcConnection connection;
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile boolean leaving;
    // guarded by this
    private boolean lost;
    private long lostNanos;

    Line(RpcTransport transport, ConnectionObserver mount) {
        this.transport = transport;
        this.mount = mount;
    }

    /** Connects, before anything else; {@code options} name this as the observer. */
    void connect(ConnectOptions options) throws IOException {
        connection = transport.connect(options);
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
     * As {@link RpcConnection#call}. Whoever gets a reply, or the call's failure, says so by {@link #answered}.
     *
     * @return null where the line is being left, and nothing was sent
     */
    <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        return call(call, decoder, () -> {});
    }

    /**
     * As above.
     *
     * @param sending run right before it is sent, if it is
     */
    <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder, Runnable sending) {
        underWay.incrementAndGet();
        if (leaving) { // looked at only now, so that who has passed is waited for
            answered();
            return null;
        }
        try {
            sending.run();
            return connection.call(call, decoder);
        } catch (RuntimeException | Error e) {
            answered();
            throw e;
        }
    }

    /** A call is done. */
    void answered() {
        if (underWay.decrementAndGet() == 0 && leaving) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    private synchronized void lost(boolean isLost) {
        lostNanos = isLost && !lost ? System.nanoTime() : lostNanos;
        lost = isLost;
        notifyAll();
    }

    /** Whether the transport has had no connection for longer than that. */
    synchronized boolean isLost(long longerThanNanos) {
        return lost && System.nanoTime() - lostNanos > longerThanNanos;
    }

    /**
     * Takes no more calls, and waits until those under way are answered, or none will be because the connection is lost.
     *
     * @return how many are not
     */
    synchronized int leave(long timeoutNanos) {
        leaving = true;
        long deadline = System.nanoTime() + timeoutNanos;
        try {
            for (long left = timeoutNanos;
                    underWay.get() > 0 && left > 0 && !lost && connection.isOpen();
                    left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return underWay.get();
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    Map<String, String> settings() {
        return connection.settings();
    }

    /** As {@link RpcConnection#explain}. */
    Optional<TransferPlan> explain(CallShape shape) {
        return connection.explain(shape);
    }

    Map<String, String> choice() {
        return connection.choice();
    }

    void reconnect(Duration timeout) throws IOException {
        connection.reconnect(timeout);
    }

    void close() {
        connection.close();
    }
}
