package io.verbena.nfs41.client.internal.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcTransport;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The present RPC transport of a mount, or the next one: a transport service may come, go and be replaced. Thread safe.
 */
public final class TransportSource {
    private final Runtime runtime;
    private final Lock lock = new ReentrantLock();
    /** A transport has come. */
    private final Condition came;

    @GuardedBy("lock")
    private RpcTransport transport;

    /** When the last transport went. */
    @GuardedBy("lock")
    private long missingSinceNanos;

    /** @param transport null where there is none yet */
    public TransportSource(RpcTransport transport, Runtime runtime) {
        this.transport = transport;
        this.runtime = runtime;
        this.came = runtime.newCondition(lock);
        this.missingSinceNanos = runtime.nanoTime();
    }

    /** A transport has come. */
    public void set(RpcTransport newTransport) {
        lock.lock();
        try {
            transport = newTransport;
            came.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The transport has gone. Without effect where another one has come already. */
    public void unset(RpcTransport oldTransport) {
        lock.lock();
        try {
            if (transport == oldTransport) {
                transport = null;
                missingSinceNanos = runtime.nanoTime();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isPresent(RpcTransport candidate) {
        return present() == candidate;
    }

    boolean isMissing() {
        return present() == null;
    }

    private RpcTransport present() {
        lock.lock();
        try {
            return transport;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The transport. Blocks until one comes, or none has been there for the timeout.
     *
     * @throws MissingServiceException where none comes in time
     */
    RpcTransport await(Duration timeout) throws IOException {
        lock.lock();
        try {
            long left = missingSinceNanos + timeout.toNanos() - runtime.nanoTime();
            while (transport == null) {
                if (left <= 0) {
                    throw new MissingServiceException("no RPC transport for rdma has been there for "
                            + timeout.toSeconds()
                            + " s (swapTimeout): install feature verbena-rpcrdma, or start bundle"
                            + " io.verbena.rpcrdma.dispatcher");
                }
                left = came.awaitNanos(left);
            }
            return transport;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a transport");
        } finally {
            lock.unlock();
        }
    }
}
