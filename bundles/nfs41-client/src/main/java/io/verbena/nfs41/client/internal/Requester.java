package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Compound;
import io.verbena.rpc.RpcCall;
import io.verbena.xdr.XdrWriter;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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
    private final Lifetime lifetime;
    private final Swaps swaps;
    private final Meters meters = new Meters();
    private final Waits waits = new Waits();
    private final Set<Later> waiting = ConcurrentHashMap.newKeySet();
    private volatile SessionKeeper sessions;
    private volatile boolean closed;

    Requester(MountSettings settings, RpcLink link, ScheduledExecutorService worker, Lifetime lifetime, Swaps swaps) {
        this.settings = settings;
        this.link = link;
        this.worker = worker;
        this.lifetime = lifetime;
        this.swaps = swaps;
    }

    /** The two need one another. */
    void attach(SessionKeeper keeper) {
        sessions = keeper;
    }

    /** Sends a request in the present session, or the next one. */
    <T> CompletableFuture<T> call(Request<T> request) {
        return new Exchange<>(this, request, null, null).start();
    }

    /** As {@link #call(Request)}; not to be sent any more once one of these locks is lost. */
    <T> CompletableFuture<T> call(Request<T> request, HeldLocks reliedOn) {
        return new Exchange<>(this, request, null, reliedOn).start();
    }

    /** Sends a request in this session or not at all. */
    <T> CompletableFuture<T> call(Request<T> request, Session session) {
        return new Exchange<>(this, request, session, null).start();
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

    Lifetime lifetime() {
        return lifetime;
    }

    Swaps swaps() {
        return swaps;
    }

    Waits waits() {
        return waits;
    }

    Meters meters() {
        return meters;
    }

    RpcCall newCall(XdrWriter writer) {
        RpcCall call =
                new RpcCall(writer, Compound.PROGRAM, Compound.VERSION, Compound.PROC_COMPOUND, settings.credential());
        return call.timeout(settings.callTimeout());
    }

    /** Runs something after a while, or tells why it cannot. */
    void later(Runnable task, long delayMillis, Consumer<Throwable> refused) {
        Later later = new Later(task, refused);
        waiting.add(later);
        try {
            ScheduledFuture<?> unused = worker.schedule(later, delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            later.refuse(lifetime.refusal(false));
        }
        if (closed) {
            later.refuse(lifetime.refusal(false));
        }
    }

    /** Something to do later, or to be told that it will not be done: one of the two, once. */
    private final class Later implements Runnable {
        private final Runnable task;
        private final Consumer<Throwable> refused;

        Later(Runnable task, Consumer<Throwable> refused) {
            this.task = task;
            this.refused = refused;
        }

        @Override
        public void run() {
            if (waiting.remove(this)) {
                try {
                    task.run();
                } catch (RuntimeException | Error e) { // an Error: a class that the class path lacks, for one
                    refused.accept(e); // a task that fails must not leave somebody waiting
                }
            }
        }

        void refuse(Throwable why) {
            if (waiting.remove(this)) {
                refused.accept(why);
            }
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Tells those who wait for their time that it will not come. */
    void close() {
        closed = true;
        waiting.forEach(later -> later.refuse(lifetime.refusal(false)));
    }
}
