package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.figures.CurrentWaits;
import io.verbena.nfs41.client.internal.figures.Meters;
import io.verbena.nfs41.client.internal.figures.SwapRecorder;
import io.verbena.nfs41.client.internal.link.RpcLink;
import io.verbena.nfs41.client.internal.link.ServerSilence;
import io.verbena.nfs41.client.internal.util.BoundedWaits;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.Worker;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.retry.RetryPolicy;
import io.verbena.runtime.Runtime;
import io.verbena.xdr.XdrWriter;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/** Sends COMPOUND requests in the mount's session, and holds what all of them share. Thread safe. */
public final class CompoundCaller {
    private final MountSettings settings;
    private final RpcLink link;
    private final Worker worker;
    private final MountLifetime lifetime;
    private final SwapRecorder swaps;
    private final Runtime runtime;
    private final LongSupplier clock;
    private final DoubleSupplier random;
    private final Meters meters;
    private final CurrentWaits waits;
    private final BoundedWaits boundedWaits = new BoundedWaits();
    private final RetryPolicy boundedRetries;
    private final ServerSilence silence;
    private final TransferLimit transferLimit;
    private final Set<Later> waiting = ConcurrentHashMap.newKeySet();
    private volatile SessionKeeper sessions;
    private volatile boolean closed;

    public CompoundCaller(
            MountSettings settings,
            RpcLink link,
            Worker worker,
            MountLifetime lifetime,
            SwapRecorder swaps,
            TransferLimit transferLimit,
            Runtime runtime) {
        this.settings = settings;
        this.boundedRetries = MountSettings.RETRIES.withLimit(settings.majorTimeout());
        this.silence = new ServerSilence(settings, runtime);
        this.transferLimit = transferLimit;
        this.link = link;
        this.worker = worker;
        this.lifetime = lifetime;
        this.swaps = swaps;
        this.runtime = runtime;
        this.clock = runtime::nanoTime;
        this.random = runtime.random()::nextDouble;
        this.meters = new Meters(runtime);
        this.waits = new CurrentWaits(runtime);
    }

    /** Sets the keeper of the session; called once, before the first request. The two objects need one another. */
    public void attach(SessionKeeper keeper) {
        sessions = keeper;
    }

    /** Sends a request in the present session, or in the next one. */
    public <T> CompletableFuture<T> call(CompoundRequest<T> request) {
        return new RequestExecution<>(this, request, null, null).start();
    }

    /** As {@link #call(Request)}; sent only as long as the guard has no objection. */
    public <T> CompletableFuture<T> call(CompoundRequest<T> request, SendPrecondition guard) {
        return new RequestExecution<>(this, request, null, guard).start();
    }

    /** Sends a request in this session or not at all. */
    public <T> CompletableFuture<T> call(CompoundRequest<T> request, Session session) {
        return new RequestExecution<>(this, request, session, null).start();
    }

    /**
     * The session, as {@link SessionKeeper#session}. On a soft mount the future fails where the server is silent for
     * longer than a request would wait that begins now.
     */
    public CompletableFuture<Session> session() {
        RequestRetry retry = new RequestRetry(this, false, 0);
        CompletableFuture<Session> pending = sessions.session();
        return retry.isBounded() ? boundedWaits.of(pending, retry::withoutSession) : pending;
    }

    public MountSettings settings() {
        return settings;
    }

    public Runtime runtime() {
        return runtime;
    }

    /** Begins a series of retries by a policy. */
    RetryPolicy.Series start(RetryPolicy policy) {
        return policy.start(clock, random);
    }

    /** The time of an operation of several requests, which begins now: the major timeout on a soft mount. */
    public RetryPolicy.Series patience() {
        return start(settings.isSoft() ? boundedRetries : MountSettings.RETRIES);
    }

    public RpcLink link() {
        return link;
    }

    public SessionKeeper sessions() {
        return sessions;
    }

    public MountLifetime lifetime() {
        return lifetime;
    }

    SwapRecorder swaps() {
        return swaps;
    }

    public CurrentWaits waits() {
        return waits;
    }

    /** The bounded waits for a session or a connection. */
    BoundedWaits boundedWaits() {
        return boundedWaits;
    }

    /** The retries of a request that is bounded by the major timeout. */
    RetryPolicy boundedRetries() {
        return boundedRetries;
    }

    /** How long the server has not answered. */
    public ServerSilence silence() {
        return silence;
    }

    /** How large READs and WRITEs may be on the path to the server. */
    public TransferLimit transferLimit() {
        return transferLimit;
    }

    public Meters meters() {
        return meters;
    }

    public RpcCall newCall(XdrWriter writer) {
        return link.security().newCall(writer).timeout(settings.callTimeout());
    }

    /** As {@link #newCall}, of a request that makes or ends a session. */
    RpcCall newStateCall(XdrWriter writer) {
        return link.security().newStateCall(writer).timeout(settings.callTimeout());
    }

    /** Runs a task on a worker thread after a delay, or tells why the task will not run. */
    public void later(Runnable task, long delayMillis, Consumer<Throwable> refused) {
        Later later = new Later(task, refused);
        waiting.add(later);
        try {
            Future<?> unused = worker.schedule(later, delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            later.refuse(lifetime.refusal(false));
        } catch (Throwable e) { // for example no thread could be made
            later.refuse(e);
        }
        if (closed) {
            later.refuse(lifetime.refusal(false));
        }
    }

    /** A delayed task: it runs or is refused, one of the two, once. */
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
                } catch (Throwable e) { // an Error: a class that the class path lacks, for one
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

    /** Refuses the delayed tasks, those that wait and those that come. */
    void close() {
        closed = true;
        waiting.forEach(later -> later.refuse(lifetime.refusal(false)));
    }
}
