package io.verbena.nfs41.client.internal.mount;

import io.verbena.memory.MemoryBudget;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.client.internal.callback.CallbackCredentials;
import io.verbena.nfs41.client.internal.callback.CallbackOperations;
import io.verbena.nfs41.client.internal.callback.CallbackProgram;
import io.verbena.nfs41.client.internal.figures.Meters;
import io.verbena.nfs41.client.internal.figures.SwapRecorder;
import io.verbena.nfs41.client.internal.file.FileContext;
import io.verbena.nfs41.client.internal.file.Opener;
import io.verbena.nfs41.client.internal.file.SharedFileStates;
import io.verbena.nfs41.client.internal.file.WholeFiles;
import io.verbena.nfs41.client.internal.link.LinkConnection;
import io.verbena.nfs41.client.internal.link.RpcLink;
import io.verbena.nfs41.client.internal.link.TransportSource;
import io.verbena.nfs41.client.internal.names.DirectoryRequests;
import io.verbena.nfs41.client.internal.names.Namespace;
import io.verbena.nfs41.client.internal.names.SillyRenames;
import io.verbena.nfs41.client.internal.security.MountSecurity;
import io.verbena.nfs41.client.internal.security.SecuritySource;
import io.verbena.nfs41.client.internal.session.BackChannelBinding;
import io.verbena.nfs41.client.internal.session.ClientRegistration;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.ExportRoot;
import io.verbena.nfs41.client.internal.session.LeaseKeeper;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.session.SessionKeeper;
import io.verbena.nfs41.client.internal.session.TransferLimit;
import io.verbena.nfs41.client.internal.state.Delegations;
import io.verbena.nfs41.client.internal.state.LockWaiters;
import io.verbena.nfs41.client.internal.state.OpenStates;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountMemory;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.MountWorker;
import io.verbena.nfs41.client.internal.util.Uninterruptible;
import io.verbena.nfs41.client.internal.write.SteadyLooks;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.security.auth.Subject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes and connects the parts of a mount, and ends them in order. Thread safe. */
public final class MountAssembly {
    private static final Logger LOG = LoggerFactory.getLogger(MountAssembly.class);

    /** How often a mount that ends checks whether the server can still be reached. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final MountSettings settings;
    private final MountLifetime lifetime;
    private final SwapRecorder swaps;
    private final Runtime runtime;
    private final MountWorker worker;
    private final BorrowerThreads borrowers;
    private final ExportRoot root;
    private final RpcLink link;
    private final CompoundCaller caller;
    private final SessionKeeper sessions;
    private final LeaseKeeper lease;
    private final Namespace namespace;
    private final DirectoryRequests directories;
    private final OpenStates opens;
    private final Delegations delegations;
    private final MountMemory memory;
    private final Runnable endPressure;
    private final LockWaiters lockWaiters;
    private final Opener opener;
    private final WholeFiles wholeFiles;

    public MountAssembly(
            MountSettings settings,
            TransportSource transports,
            SecuritySource securities,
            Subject user,
            MemoryBudget budget,
            MountLifetime lifetime,
            Opaque owner,
            Runtime runtime) {
        this.settings = settings;
        this.runtime = runtime;
        this.opens = new OpenStates(runtime);
        this.memory = MountMemory.of(budget.share("mount " + settings.name()), settings, lifetime);
        this.lifetime = lifetime;
        this.swaps = new SwapRecorder(settings.name(), runtime);
        this.worker = new MountWorker(runtime, "verbena-nfs-" + settings.name());
        TransferLimit limit = new TransferLimit(settings.name(), runtime);
        this.root = new ExportRoot(settings, limit::of);
        LinkObserver observer = new LinkObserver();
        MountSecurity security = new MountSecurity(settings, securities, user, runtime);
        this.link = new RpcLink(settings, transports, security, observer, worker, swaps, runtime);
        this.caller = new CompoundCaller(settings, link, worker, lifetime, swaps, limit, runtime);
        this.lockWaiters = new LockWaiters(caller.waits(), runtime);
        this.delegations = new Delegations(caller, opens);
        opens.attach(delegations);
        CallbackCredentials callers = new CallbackCredentials(settings.credential());
        ClientRegistration registration =
                new ClientRegistration(caller, owner, runtime.random().nextLong(), callers);
        BackChannelBinding backChannel = new BackChannelBinding(caller, registration, runtime::nanoTime);
        this.sessions = new SessionKeeper(caller, worker, registration, root, opens, backChannel);
        delegations.attach(backChannel::isUp);
        CallbackOperations callbacks = new CallbackOperations(delegations, lockWaiters, sessions::renew);
        link.serve(new CallbackProgram(callers, callbacks, backChannel::session));
        observer.target = sessions;
        caller.attach(sessions);
        this.lease = new LeaseKeeper(sessions, root, runtime, "verbena-nfs-" + settings.name());
        SharedFileStates cores = new SharedFileStates(memory, root::wsize, new SteadyLooks(caller::patience));
        endPressure = memory.share().onPressure(cores::giveBack);
        opens.whenForgotten(cores::serverRestarted);
        this.namespace = new Namespace(caller, root, delegations, cores, new SillyRenames(caller, opens));
        this.directories = new DirectoryRequests(caller, namespace);
        this.borrowers = new BorrowerThreads(runtime, "verbena-nfs-borrowed-" + settings.name());
        FileContext context =
                new FileContext(settings, root, memory, delegations, lockWaiters, lifetime, borrowers, runtime);
        this.opener = new Opener(caller, namespace, opens, cores, context, owner);
        this.wholeFiles = new WholeFiles(namespace, cores, opener, context);
    }

    /**
     * Passes on the events of the connection. The link needs an observer before the keeper of the session can be made.
     */
    private final class LinkObserver implements ConnectionObserver {
        private volatile ConnectionObserver target = ConnectionObserver.NONE;

        @Override
        public void reconnected(int attempt) {
            caller.meters().connected();
            target.reconnected(attempt);
        }

        @Override
        public void lost(Throwable cause) {
            caller.transferLimit().lost();
            target.lost(cause);
        }
    }

    /** Begins to connect, on a worker thread. */
    public void start() {
        Futures.whenDoneLogged(
                sessions.mounted(),
                (done, thrown) -> LOG.info("mount {}: mounted {}", settings.name(), settings.source()));
        CompletableFuture<Session> unused = sessions.session();
        lease.start();
    }

    /** Takes the place of an earlier mount, and reports that once it is mounted. */
    void takeOver(MountHandover.Predecessor before) {
        link.know(before.known());
        sessions.takeOver();
        swaps.takeOver(before.past());
        Futures.whenDoneLogged(sessions.mounted(), (done, thrown) -> {
            long pause = Math.max(0, runtime.now().toEpochMilli() - before.wentMillis());
            String how = "took the place of the one before, which went " + pause + " ms ago";
            swaps.replaced(how);
            String message = "mount " + settings.name() + ": " + how + "; files have to be opened again";
            swaps.tell("mount", message, pause);
        });
    }

    /** A transport has come: connects at once, and goes on with the session. */
    void transportCame() {
        link.retryAtOnce();
        CompletableFuture<Session> unused = sessions.session();
        sessions.renew();
    }

    /** A service for security contexts goes. */
    void securityGone(RpcSecurity security) {
        link.security().serviceGone(security);
    }

    /** A transport will be stopped, and still works. */
    void transportGone(RpcTransport transport, Duration bound) {
        link.leave(transport, bound.toNanos());
    }

    public void connect(Duration timeout) throws IOException {
        Blocking.await(runtime, sessions.session(), timeout.toNanos());
    }

    MountSettings settings() {
        return settings;
    }

    public SessionKeeper sessions() {
        return sessions;
    }

    public CompoundCaller caller() {
        return caller;
    }

    public Namespace namespace() {
        return namespace;
    }

    DirectoryRequests directories() {
        return directories;
    }

    MountMemory memory() {
        return memory;
    }

    public Opener opener() {
        return opener;
    }

    WholeFiles wholeFiles() {
        return wholeFiles;
    }

    ExportRoot root() {
        return root;
    }

    RpcLink link() {
        return link;
    }

    OpenStates opens() {
        return opens;
    }

    public Delegations delegations() {
        return delegations;
    }

    Meters meters() {
        return caller.meters();
    }

    /** The replacements under the mount so far. */
    SwapRecorder.Past past() {
        LinkConnection line = link().current();
        return swaps().total(line == null ? Map.of() : line.settings());
    }

    SwapRecorder swaps() {
        return swaps;
    }

    /**
     * Ends the mount: awaits the operations under way, closes files, returns delegations, ends session and client id,
     * and stops the threads. Waits at most for the bound, and not for the server where it cannot be reached. An
     * interrupt does not shorten that.
     */
    public void close(Duration bound) {
        long deadline = runtime.nanoTime() + bound.toNanos();
        lifetime.end(MountLifetime.End.UNMOUNTED); // without effect where the end was declared before
        lockWaiters.wake();
        drain(share(deadline));
        lease.stop();
        opener.closeAll(share(deadline));
        delegations.close(share(deadline));
        sessions.close(share(deadline));
        worker.shutdownNow();
        borrowers.shutdown();
        boolean ended = link.close(left(deadline));
        ended &= Uninterruptible.await(runtime, left(deadline), lease::awaitEnd);
        ended &= Uninterruptible.await(runtime, left(deadline), worker::awaitEnd);
        ended &= Uninterruptible.await(runtime, left(deadline), nanos -> borrowers.awaitEnd(runtime, nanos));
        if (!ended) {
            LOG.warn("mount {}: a thread is still busy after {} s", settings.name(), bound.toSeconds());
        }
        endPressure.run();
        memory.share().close();
    }

    private long left(long deadline) {
        return Math.max(1, deadline - runtime.nanoTime());
    }

    /** How long the next step may take. */
    private long share(long deadline) {
        return link.isUsable() ? Math.max(1, (deadline - runtime.nanoTime()) / 2) : 1;
    }

    private void drain(long timeoutNanos) {
        long deadline = runtime.nanoTime() + timeoutNanos;
        boolean idle = awaitIdle(Math.min(timeoutNanos, LOOK_NANOS));
        while (!idle && link.isUsable() && deadline - runtime.nanoTime() > 0) {
            idle = awaitIdle(LOOK_NANOS);
        }
        if (!idle) {
            LOG.info("mount {}: operations are broken off that have not come to their end", settings.name());
        }
    }

    private boolean awaitIdle(long nanos) {
        return Uninterruptible.await(runtime, nanos, lifetime::awaitIdle);
    }
}
