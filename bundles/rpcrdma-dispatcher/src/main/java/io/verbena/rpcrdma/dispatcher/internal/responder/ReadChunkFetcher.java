package io.verbena.rpcrdma.dispatcher.internal.responder;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Futures;
import io.verbena.rpcrdma.dispatcher.internal.base.PeerBounds;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.ProgressWatchdog;
import io.verbena.rpcrdma.dispatcher.internal.memory.RegisteredPool;
import io.verbena.rpcrdma.dispatcher.internal.memory.RegisteredPool.RegisteredBuffer;
import io.verbena.rpcrdma.dispatcher.internal.memory.SizeClass;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Pulls the Read chunks of calls by RDMA Read into pooled memory (RFC 8166 section 3.4.5). However many calls a peer
 * sends, the memory that they hold at once stays within an {@link OctetWindow}; further calls wait, without memory. A
 * peer that answers no RDMA Read loses its connection. Thread safe.
 */
final class ReadChunkFetcher {
    /** How long a call waits for memory before its connection ends. */
    private static final Duration MEMORY_TIMEOUT = Duration.ofSeconds(30);

    private final Connection connection;
    private final RegisteredPool pool;
    private final SendQueueSpace queue;
    private final BiConsumer<ReceivedCall, Throwable> failed;
    private final ProgressWatchdog watch;

    @GuardedBy("this")
    private final OctetWindow window;

    private final int maxRead;

    @GuardedBy("this")
    private final ArrayDeque<ReceivedCall> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private final Map<ReceivedCall, CompletableFuture<BufferLease>> awaited = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param failed gets a request whose arguments cannot be pulled, and the reason
     */
    ReadChunkFetcher(
            Connection connection,
            RegisteredPool pool,
            SendQueueSpace queue,
            BiConsumer<ReceivedCall, Throwable> failed) {
        this.failed = failed;
        this.connection = connection;
        this.pool = pool;
        this.queue = queue;
        PeerBounds bounds = connection.context().bounds().get();
        TransportLimits limits = connection.context().limits();
        watch = new ProgressWatchdog(
                connection, bounds.pullTimeout(), "has answered none of %d RDMA Reads for %d ms (pullTimeout)");
        window = new OctetWindow(bounds.firstOctets(), limits.pullBudget());
        maxRead = limits.maxRead();
    }

    /** Plans the RDMA Reads of a call's Read list; false for a list that must not be pulled. */
    boolean plan(ReceivedCall request, long maxOctets) {
        return request.plan.make(request.header, maxOctets, maxRead, queue.maxCost());
    }

    /** Pulls the Read list of a request, now or when others have given back their memory. */
    void pull(ReceivedCall request) {
        synchronized (this) {
            if (!waiting.isEmpty() || !window.take(held(request))) {
                waiting.add(request);
                return;
            }
        }
        start(request);
    }

    /** The memory that the arguments of a request take: pooled buffers come in size classes. */
    private static long held(ReceivedCall request) {
        return SizeClass.roundUp(request.plan.total());
    }

    private void start(ReceivedCall request) {
        try {
            RegisteredBuffer piece = pool.tryTake(request.plan.total());
            if (piece == null) {
                awaitMemory(request);
            } else {
                start(request, piece);
            }
        } catch (RdmaException e) {
            connection.end(e);
        } catch (Throwable e) { // no memory: only this call fails, and others may pull
            if (request.pulled == null) {
                released(request);
            }
            failed.accept(request, e);
        }
    }

    private void start(ReceivedCall request, RegisteredBuffer piece) {
        synchronized (this) {
            if (!closed) {
                request.pulled = piece;
            }
        }
        if (request.pulled != piece) {
            pool.give(piece);
            return;
        }
        watch.begun(request.plan.reads());
        request.readsLeft = request.plan.reads();
        queue.submit(request, request.plan.reads());
    }

    /** The budget has no memory for a call now: the call waits for a lease. */
    private void awaitMemory(ReceivedCall request) {
        int bytes = request.plan.total();
        CompletableFuture<BufferLease> lease =
                connection.memory().share().request(SizeClass.roundUp(bytes), MEMORY_TIMEOUT);
        synchronized (this) {
            if (!closed) {
                awaited.put(request, lease);
            }
        }
        Futures.whenDone(lease, (granted, thrown) -> memoryCame(request, granted, thrown), this::endWithout);
        if (isClosed()) {
            lease.cancel(false);
        }
    }

    private void memoryCame(ReceivedCall request, BufferLease granted, Throwable thrown) {
        synchronized (this) {
            awaited.remove(request);
        }
        if (thrown != null) {
            endWithout(thrown);
            return;
        }
        try {
            start(request, pool.register(granted, request.plan.total()));
        } catch (RdmaException e) {
            connection.end(e);
        }
    }

    private void endWithout(Throwable why) {
        connection.end(new IOException("a call's arguments cannot be pulled: " + why.getMessage(), why));
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Posts the RDMA Reads of a request's Read list. */
    void post(ReceivedCall request, RdmaConnection rdma) throws RdmaException {
        request.plan.post(request.header.readList(), rdma, request.index, request.pulled.region(), maxRead);
    }

    /**
     * An RDMA Read of a request is complete. Receive thread.
     *
     * @return whether it was the last of the request
     */
    boolean completed(ReceivedCall request) {
        watch.done();
        request.readsLeft--;
        if (request.readsLeft > 0) {
            return false;
        }
        queue.completed(request.plan.reads());
        acknowledged(request);
        connection.counters().add(Counter.RDMA_READ_BYTES, request.plan.total());
        connection.counters().add(Counter.READ_CHUNK_BYTES, request.plan.total());
        return true;
    }

    /** The peer has answered all RDMA Reads of a request: more octets may be pulled at once. */
    private void acknowledged(ReceivedCall request) {
        synchronized (this) {
            window.acknowledged(held(request));
        }
        startWaiting();
    }

    /** A request has given back its pulled memory: others may start. */
    void released(ReceivedCall request) {
        synchronized (this) {
            window.give(held(request));
        }
        startWaiting();
    }

    private void startWaiting() {
        for (ReceivedCall next = next(); next != null; next = next()) {
            start(next);
        }
    }

    private synchronized ReceivedCall next() {
        ReceivedCall next = waiting.peek();
        return next != null && window.take(held(next)) ? waiting.poll() : null;
    }

    /** The octets that calls have pulled or are pulling. */
    synchronized long held() {
        return window.held();
    }

    /** The connection has ended: nothing more is pulled. */
    void close() {
        List<CompletableFuture<BufferLease>> left;
        synchronized (this) {
            closed = true;
            watch.close();
            waiting.clear();
            left = List.copyOf(awaited.values());
        }
        left.forEach(lease -> lease.cancel(false));
    }
}
