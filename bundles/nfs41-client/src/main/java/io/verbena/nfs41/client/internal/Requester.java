package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Compound;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.TransportLostException;
import io.verbena.xdr.XdrWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Makes requests in the mount's session. Thread safe. */
final class Requester {
    private final MountSettings settings;
    private final RpcLink link;
    private final ScheduledExecutorService worker;
    private volatile SessionKeeper sessions;
    private volatile boolean closed;

    Requester(MountSettings settings, RpcLink link, ScheduledExecutorService worker) {
        this.settings = settings;
        this.link = link;
        this.worker = worker;
    }

    /** The two need one another. */
    void attach(SessionKeeper keeper) {
        sessions = keeper;
    }

    /** Sends a request in the present session, or the next one. */
    <T> CompletableFuture<T> call(Request<T> request) {
        return new Exchange<>(this, request, null).start();
    }

    /** Sends a request in this session or not at all. */
    <T> CompletableFuture<T> call(Request<T> request, Session session) {
        return new Exchange<>(this, request, session).start();
    }

    MountSettings settings() {
        return settings;
    }

    RpcLink link() {
        return link;
    }

    SessionKeeper sessions() {
        return sessions;
    }

    RpcCall newCall(XdrWriter writer) {
        RpcCall call =
                new RpcCall(writer, Compound.PROGRAM, Compound.VERSION, Compound.PROC_COMPOUND, settings.credential());
        return call.timeout(settings.callTimeout());
    }

    /** Runs something after a while, or tells why it cannot. */
    void later(Runnable task, long delayMillis, Consumer<Throwable> refused) {
        try {
            ScheduledFuture<?> unused =
                    worker.schedule(() -> guarded(task, refused), delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            refused.accept(new TransportLostException("the file system has been unmounted", e));
        }
    }

    /** A task that fails must not leave somebody waiting. */
    private static void guarded(Runnable task, Consumer<Throwable> failed) {
        try {
            task.run();
        } catch (RuntimeException e) {
            failed.accept(e);
        }
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
    }
}
