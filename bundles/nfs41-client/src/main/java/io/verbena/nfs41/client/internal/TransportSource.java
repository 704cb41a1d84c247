package io.verbena.nfs41.client.internal;

import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcTransport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The transport that there is now, or the next one: it may come, go and be replaced. */
final class TransportSource {
    private RpcTransport transport;
    /** Since when there is none. */
    private long missingSinceNanos = System.nanoTime();

    TransportSource(RpcTransport transport) {
        this.transport = transport;
    }

    synchronized void set(RpcTransport newTransport) {
        transport = newTransport;
        notifyAll();
    }

    /** Without effect where another one has come already. */
    synchronized void unset(RpcTransport oldTransport) {
        if (transport == oldTransport) {
            transport = null;
            missingSinceNanos = System.nanoTime();
        }
    }

    synchronized boolean isPresent(RpcTransport candidate) {
        return transport == candidate;
    }

    synchronized boolean isMissing() {
        return transport == null;
    }

    /**
     * The transport, waited for until none has been there for that long.
     *
     * @throws MissingServiceException where none comes in time
     */
    synchronized RpcTransport await(Duration timeout) throws IOException {
        long deadline = missingSinceNanos + timeout.toNanos();
        while (transport == null) {
            if (deadline - System.nanoTime() <= 0) {
                throw new MissingServiceException("no RPC transport for rdma has been there for " + timeout.toSeconds()
                        + " s (swapTimeout): install feature verbena-rpcrdma, or start bundle"
                        + " io.verbena.rpcrdma.dispatcher");
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, deadline - System.nanoTime());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for a transport");
            }
        }
        return transport;
    }
}
