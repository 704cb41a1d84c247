package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opaque;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of a mount and how they hang together. */
final class Engine {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final int THREADS = 3;

    /** How often the end of a mount looks whether there still is a server to wait for. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final MountSettings settings;
    private final Lifetime lifetime;
    private final Swaps swaps;
    private final ScheduledThreadPoolExecutor worker;
    private final Root root;
    private final RpcLink link;
    private final Requester requester;
    private final SessionKeeper sessions;
    private final LeaseKeeper lease;
    private final Namespace namespace;
    private final Directories directories;
    private final OpenStates opens = new OpenStates();
    private final Delegations delegations;
    private final BufferPool pool = new BufferPool();
    private final LockWaiters lockWaiters;
    private final Opener opener;

    Engine(MountSettings settings, TransportSource transports, Lifetime lifetime, Opaque owner) {
        this.settings = settings;
        this.lifetime = lifetime;
        this.swaps = new Swaps(settings.name());
        this.worker = new ScheduledThreadPoolExecutor(THREADS, threads(settings.name()));
        worker.setRemoveOnCancelPolicy(true);
        worker.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.root = new Root(settings);
        LinkObserver observer = new LinkObserver();
        this.link = new RpcLink(settings, transports, observer, worker, swaps);
        this.requester = new Requester(settings, link, worker, lifetime, swaps);
        this.lockWaiters = new LockWaiters(requester.waits());
        this.delegations = new Delegations(requester, opens);
        opens.attach(delegations);
        CallbackCredentials callers = new CallbackCredentials(settings.credential());
        Registration registration =
                new Registration(requester, owner, ThreadLocalRandom.current().nextLong(), callers);
        BackChannel backChannel = new BackChannel(requester, registration, System::nanoTime);
        this.sessions = new SessionKeeper(requester, worker, registration, root, opens, backChannel);
        delegations.attach(backChannel::isUp);
        CallbackOperations callbacks = new CallbackOperations(delegations, lockWaiters, sessions::renew);
        link.serve(new CallbackProgram(callers, callbacks, backChannel::session));
        observer.target = sessions;
        requester.attach(sessions);
        this.lease = new LeaseKeeper(sessions, root, worker);
        FileCores cores = new FileCores(pool, root::wsize);
        opens.whenForgotten(cores::doubt);
        this.namespace = new Namespace(requester, root, delegations, cores, new RemovedFiles(requester, opens));
        this.directories = new Directories(requester, namespace);
        FileContext context = new FileContext(settings, root, pool, delegations, lockWaiters, lifetime);
        this.opener = new Opener(requester, namespace, opens, cores, context, owner);
    }

    /** Passes on what the connection tells; it is needed before who listens can be made. */
    private final class LinkObserver implements ConnectionObserver {
        private volatile ConnectionObserver target = ConnectionObserver.NONE;

        @Override
        public void reconnected(int attempt) {
            requester.meters().connected();
            target.reconnected(attempt);
        }

        @Override
        public void lost(Throwable cause) {
            target.lost(cause);
        }
    }

    private static ThreadFactory threads(String mountName) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, "verbena-nfs-" + mountName + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Begins to connect in the background. */
    void start() {
        Futures.whenDone(
                sessions.mounted(),
                (done, thrown) -> LOG.info("mount {}: mounted {}", settings.name(), settings.source()));
        CompletableFuture<Session> unused = sessions.session();
        lease.start();
    }

    /** Tells, once it is mounted, that it has taken the place of one that has gone. */
    void succeed(Handover.Predecessor before) {
        sessions.succeed();
        swaps.succeed(before.past());
        Futures.whenDone(sessions.mounted(), (done, thrown) -> {
            long pause = Math.max(0, System.currentTimeMillis() - before.wentMillis());
            String how = "took the place of the one before, which went " + pause + " ms ago";
            swaps.replaced(how);
            String message = "mount " + settings.name() + ": " + how + "; files have to be opened again";
            swaps.tell("mount", message, pause);
        });
    }

    /** There is a transport: what failed without one is tried again, and the session goes on by it. */
    void transportCame() {
        CompletableFuture<Session> unused = sessions.session();
        sessions.renew();
    }

    /** A transport goes that works still. */
    void transportGone(RpcTransport transport, Duration bound) {
        link.leave(transport, bound.toNanos());
    }

    void connect(Duration timeout) throws IOException {
        Blocking.await(sessions.session(), timeout.toNanos());
    }

    MountSettings settings() {
        return settings;
    }

    SessionKeeper sessions() {
        return sessions;
    }

    Requester requester() {
        return requester;
    }

    Namespace namespace() {
        return namespace;
    }

    Directories directories() {
        return directories;
    }

    Opener opener() {
        return opener;
    }

    Root root() {
        return root;
    }

    RpcLink link() {
        return link;
    }

    OpenStates opens() {
        return opens;
    }

    Delegations delegations() {
        return delegations;
    }

    Meters meters() {
        return requester.meters();
    }

    /** What was replaced under the mount until now. */
    Swaps.Past past() {
        Line line = link().current();
        return swaps().total(line == null ? Map.of() : line.settings());
    }

    Swaps swaps() {
        return swaps;
    }

    /**
     * Lets operations under way come to their end, closes files, gives up delegations, session and client, and ends the
     * threads; waits no longer than the bound, and for no answer where nothing can be sent.
     */
    void close(Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        lifetime.end(Lifetime.End.UNMOUNTED); // if nobody has said so, or why, before
        lockWaiters.wake();
        drain(share(deadline));
        lease.stop();
        opener.closeAll(share(deadline));
        delegations.close(share(deadline));
        sessions.close(share(deadline));
        link.close();
        worker.shutdownNow();
        try {
            if (!worker.awaitTermination(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                LOG.warn("mount {}: a thread is still busy after {} s", settings.name(), bound.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pool.close();
    }

    /** How long the next step may take. */
    private long share(long deadline) {
        return link.isUsable() ? Math.max(1, (deadline - System.nanoTime()) / 2) : 1;
    }

    private void drain(long timeoutNanos) {
        try {
            long deadline = System.nanoTime() + timeoutNanos;
            boolean idle = lifetime.awaitIdle(Math.min(timeoutNanos, LOOK_NANOS));
            while (!idle && link.isUsable() && deadline - System.nanoTime() > 0) {
                idle = lifetime.awaitIdle(LOOK_NANOS);
            }
            if (!idle) {
                LOG.info("mount {}: operations are broken off that have not come to their end", settings.name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
