package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opaque;
import io.verbena.rpc.ConnectionObserver;
import java.io.IOException;
import java.time.Duration;
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

    private final MountSettings settings;
    private final ScheduledThreadPoolExecutor worker;
    private final Root root;
    private final RpcLink link;
    private final Requester requester;
    private final SessionKeeper sessions;
    private final LeaseKeeper lease;
    private final Namespace namespace;
    private final OpenStates opens = new OpenStates();
    private final Delegations delegations;
    private final BufferPool pool = new BufferPool();
    private final LockWaiters lockWaiters = new LockWaiters();
    private final Opener opener;

    Engine(MountSettings settings, TransportSource transports) {
        this.settings = settings;
        this.worker = new ScheduledThreadPoolExecutor(THREADS, threads(settings.name()));
        worker.setRemoveOnCancelPolicy(true);
        worker.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        Opaque owner = NfsMount.ownerOf(settings.name());
        this.root = new Root(settings);
        LinkObserver observer = new LinkObserver();
        this.link = new RpcLink(settings, transports, observer, worker);
        this.requester = new Requester(settings, link, worker);
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
        this.namespace = new Namespace(requester, root, delegations);
        this.opener = new Opener(requester, root, namespace, opens, delegations, lockWaiters, pool, owner);
    }

    /** Passes on what the connection tells; it is needed before who listens can be made. */
    private static final class LinkObserver implements ConnectionObserver {
        private volatile ConnectionObserver target = ConnectionObserver.NONE;

        @Override
        public void reconnected(int attempt) {
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
        Futures.whenDone(sessions.session(), (session, thrown) -> {
            if (thrown == null) {
                LOG.info("mount {}: mounted {}", settings.name(), settings.source());
            }
        });
        lease.start();
    }

    /** There is a transport: an attempt that failed without one is made again. */
    void transportCame() {
        CompletableFuture<Session> unused = sessions.session();
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

    void dropConnection() {
        link.drop();
    }

    /** Closes files, gives up delegations, session and client, and ends the threads; waits no longer than the bound. */
    void close(Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        lease.stop();
        opener.closeAll(bound.toNanos() / 2);
        delegations.close(Math.max(1, (deadline - System.nanoTime()) / 2));
        sessions.close(Math.max(1, (deadline - System.nanoTime()) / 2));
        link.close();
        worker.shutdownNow();
        try {
            if (!worker.awaitTermination(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                LOG.warn("mount {}: a thread is still busy after {} s", settings.name(), bound.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pool.clear();
    }
}
