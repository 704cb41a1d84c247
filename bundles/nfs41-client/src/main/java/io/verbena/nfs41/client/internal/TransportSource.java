package io.verbena.nfs41.client.internal;

import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcTransport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The transport that there is now, or the next one: it may come, go and be replaced. */
final class TransportSource {
    private RpcTransport transport;

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
        }
    }

    /** @throws MissingServiceException where none comes in time */
    synchronized RpcTransport await(Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        LongSupplier leftMillis = () -> TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        while (transport == null) {
            long left = leftMillis.getAsLong();
            if (left <= 0) {
                throw new MissingServiceException(
                        "no RPC transport for rdma is there: install feature verbena-rpcrdma or start its bundles");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for a transport");
            }
        }
        return transport;
    }
}
