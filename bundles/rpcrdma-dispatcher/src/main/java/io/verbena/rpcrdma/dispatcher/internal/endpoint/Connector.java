package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.DurationConverter;
import io.verbena.rpcrdma.dispatcher.internal.base.StateSignal;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.PostedReceives;
import io.verbena.rpcrdma.dispatcher.internal.connection.PrivateDataExchange;
import io.verbena.rpcrdma.dispatcher.internal.requester.ConnectionCalls;
import io.verbena.rpcrdma.dispatcher.internal.requester.Requester;
import io.verbena.rpcrdma.dispatcher.internal.responder.Responder;
import io.verbena.rpcrdma.dispatcher.internal.services.KnownVersions.VersionLimit;
import io.verbena.rpcrdma.dispatcher.internal.services.ProviderChoice;
import io.verbena.rpcrdma.dispatcher.internal.services.Services;
import io.verbena.rpcrdma.dispatcher.internal.services.Services.ChosenServices;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportOptions;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the RDMA connections of one client, of the services that are present. When a service of an attempt goes, the
 * attempt starts again with other services, and the thread that removes the service can wait for that.
 */
final class Connector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Connector.class);
    private static final int INBOUND_READS = 32;
    private static final int OUTBOUND_READS = 1;
    private static final long BREAK_OFF_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final long id;
    private final TransportContext context;
    private final ConnectOptions options;
    private final TransportOptions transport;
    private final ProviderChoice choice;
    private final Requester requester;
    private final Connection.Owner owner;
    private final Counters counters;
    private final StateSignal ended;

    @GuardedBy("this")
    private final Set<Attempt> underWay = new HashSet<>();

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param connection stands
     * @param chosen the services that it is made of
     */
    record EstablishedConnection(Connection connection, ChosenServices chosen) {}

    /**
     * One attempt, from the choice of its services until its connection is in use or has ended. Guarded by the lock of
     * the connector.
     */
    private static final class Attempt {
        private final ChosenServices chosen;
        private final Thread thread = Thread.currentThread();
        private Connection connection;
        private boolean broken;

        private Attempt(ChosenServices chosen) {
            this.chosen = chosen;
        }
    }

    Connector(
            long id,
            TransportContext context,
            ConnectOptions options,
            Requester requester,
            Connection.Owner owner,
            Counters counters) {
        this.id = id;
        this.context = context;
        this.options = options;
        this.transport = TransportOptions.parse(options.transport());
        this.choice = new ProviderChoice(transport);
        this.requester = requester;
        this.owner = owner;
        this.counters = counters;
        ended = new StateSignal(context.runtime());
    }

    /**
     * Connects with the services that are present, or come in time. Blocks.
     *
     * @param timeout bounds an attempt, without the wait for services. An attempt whose services go is begun anew, and
     *     has what is left of the time, until all attempts together have taken so long, or, with the waits for the next
     *     services, longer by the time that a service may be missing
     * @param use takes a new connection into use, if it can be used
     * @return whether the connection is in use; false where the peer ended it at once
     * @throws RpcException naming the failure, and what to do about it
     */
    boolean connect(Duration timeout, Predicate<EstablishedConnection> use) throws RpcException {
        InetSocketAddress remote = resolve();
        long timeoutNanos = DurationConverter.of(timeout);
        long leftNanos = timeoutNanos;
        Attempt attempt = begin(remote);
        long firstNanos = context.runtime().nanoTime();
        while (true) {
            long begunNanos = context.runtime().nanoTime();
            try {
                if (use(make(attempt, remote, begunNanos + leftNanos), use)) {
                    return true;
                }
                if (isThere(attempt.chosen)) {
                    return false;
                }
            } catch (RdmaException e) {
                if (isThere(attempt.chosen) || isClosed()) {
                    throw ConnectErrors.explain(options.remote(), attempt.chosen, timeout, e);
                }
            } finally {
                end(attempt);
            }
            long endedNanos = context.runtime().nanoTime();
            leftNanos -= endedNanos - begunNanos;
            if (leftNanos <= 0 || endedNanos - firstNanos > timeoutNanos + serviceNanos()) {
                throw TransportErrors.lost(
                        options.remote(), "services of this host were replaced again and again meanwhile", null);
            }
            attempt = begin(remote);
        }
    }

    private static boolean use(EstablishedConnection made, Predicate<EstablishedConnection> use) {
        try {
            return use.test(made);
        } catch (Throwable e) {
            made.connection.close(); // no owner has it
            throw e;
        }
    }

    /**
     * Waits for the services to connect with.
     *
     * @return how long that took, in nanoseconds
     * @throws MissingServiceException naming the service that did not come in time
     */
    long awaitServices() throws MissingServiceException {
        long begun = context.runtime().nanoTime();
        if (missing() != null) {
            var unused = choose(options.remote());
        }
        return context.runtime().nanoTime() - begun;
    }

    private ChosenServices choose(InetSocketAddress remote) throws MissingServiceException {
        VersionLimit limit = context.versions().limit(remote);
        return context.services().awaitForConnecting(transport, choice, remote, limit, serviceNanos(), this::isClosed);
    }

    /** How long a service may be missing. */
    private long serviceNanos() {
        return DurationConverter.of(options.serviceTimeout());
    }

    private Attempt begin(InetSocketAddress remote) throws RpcException {
        while (true) {
            Attempt attempt = new Attempt(choose(remote));
            synchronized (this) {
                if (closed) {
                    throw new TransportLostException("closed while connecting", null);
                }
                underWay.add(attempt);
            }
            // a thread that removes a service after this check finds the attempt
            if (isThere(attempt.chosen)) {
                return attempt;
            }
            end(attempt);
        }
    }

    private boolean isThere(ChosenServices chosen) {
        Services services = context.services();
        return services.has(chosen.provider()) && services.has(chosen.framing());
    }

    private EstablishedConnection make(Attempt attempt, InetSocketAddress remote, long deadline) throws RdmaException {
        ChosenServices chosen = attempt.chosen;
        Connection fresh = new Connection(id, context, chosen.provider(), transport, owner, counters);
        try {
            RdmaConnection rdma = chosen.provider().open(remote, limits(), fresh, left(deadline));
            opened(attempt, fresh, rdma);
            establish(fresh, rdma, chosen, deadline);
            return new EstablishedConnection(fresh, chosen);
        } catch (IllegalArgumentException e) {
            fresh.close();
            throw ConnectErrors.refused(chosen, e);
        } catch (Throwable e) {
            fresh.close();
            throw e;
        }
    }

    private Duration left(long deadline) {
        return Duration.ofNanos(Math.max(1, deadline - context.runtime().nanoTime()));
    }

    private void opened(Attempt attempt, Connection fresh, RdmaConnection rdma) throws RdmaException {
        fresh.opened(rdma);
        synchronized (this) {
            if (!attempt.broken) {
                attempt.connection = fresh;
                return;
            }
        }
        throw new RdmaException(RdmaException.Kind.DISCONNECTED, "closed while connecting");
    }

    private void establish(Connection fresh, RdmaConnection rdma, ChosenServices chosen, long deadline)
            throws RdmaException {
        int room = requester.firstRoom();
        fresh.postReceives(PostedReceives.of(room, context.limits()), receives());
        PrivateDataExchange negotiation = fresh.negotiation();
        byte[] answer = rdma.connect(negotiation.privateData(), left(deadline));
        fresh.activity().established();
        fresh.offer(negotiation.settle(answer), chosen.framing(), reverse(fresh));
        fresh.readyToCall(new ConnectionCalls(fresh, requester, room, true, fresh.counters()));
    }

    /** A connection is taken into use: the next ones are made of the same provider. */
    void settle(EstablishedConnection made) {
        choice.settle(made.chosen.provider(), made.connection.rdma(), made.chosen.finding());
    }

    /** What the connections are for, for people to read. */
    String label() {
        return transport.label();
    }

    /** The provider that carries the connections. */
    ProviderChoice choice() {
        return choice;
    }

    /** The message that names the missing service that connecting has to wait for now, or null. */
    String missing() {
        InetSocketAddress remote = options.remote();
        VersionLimit limit = context.versions().limit(remote);
        return context.services().missingForConnecting(transport, choice, remote, limit);
    }

    /** Why another connection would be better than the present one; null where it would not. */
    String betterThan(Connection present) {
        Framing spoken = present.framing();
        VersionLimit limit = context.versions().limit(present.rdma().remoteAddress());
        Framing best = context.services().framing(transport, limit);
        if (spoken != null && best != null && best.version() > spoken.version()) {
            return "Version " + best.version() + " came";
        }
        boolean negotiates = context.services().negotiator() != null;
        return negotiates && !present.isNegotiated() ? "the negotiator came" : null;
    }

    /** The responder of the reverse direction. */
    private Responder reverse(Connection fresh) {
        RpcProgram program = options.reverse().orElse(null);
        return new Responder(
                fresh,
                program,
                RdmaPeer.accepting(fresh, fresh.rdma().remoteAddress()),
                program != null && transport.reverseChunks(),
                context.limits().reverseCredits(),
                context.limits().maxReverseCall(),
                counters.reverse());
    }

    private int receives() {
        return PostedReceives.of(requester.requested(), context.limits());
    }

    private ConnectionOptions limits() {
        // calls are posted without a completion, so that a provider may free their room late: twice the room
        int sends = 2 * requester.requested() + context.limits().workQueueDepth();
        return new ConnectionOptions(sends, receives(), OUTBOUND_READS, INBOUND_READS, transport.providerOptions());
    }

    /** The address. A host name is looked up each time. */
    private InetSocketAddress resolve() throws TransportLostException {
        InetSocketAddress remote = options.remote();
        if (remote.isUnresolved()) {
            remote = new InetSocketAddress(remote.getHostString(), remote.getPort());
        }
        if (remote.isUnresolved()) {
            throw ConnectErrors.noSuchHost(remote);
        }
        return remote;
    }

    private void end(Attempt attempt) {
        synchronized (this) {
            underWay.remove(attempt);
        }
        ended.signalAll();
    }

    /**
     * Breaks off the attempts whose services have gone; they start again. When this returns, those services are not in
     * use any more.
     */
    void breakOffAbandoned() {
        List<Attempt> abandoned =
                attempts().stream().filter(attempt -> !isThere(attempt.chosen)).toList();
        List<Attempt> awaited = ofOthers(abandoned);
        abandoned.stream().filter(attempt -> !hasChangedVersion(attempt)).forEach(this::breakOff);
        awaitEnd(awaited);
    }

    /**
     * Whether the connection of an attempt already speaks another version than the one that it was made with, whose
     * framing is present. Then it is in use, and calls are under way: the thread that makes it is about to end the
     * attempt.
     */
    private boolean hasChangedVersion(Attempt attempt) {
        Connection made;
        synchronized (this) {
            made = attempt.connection;
        }
        Services services = context.services();
        return made != null
                && made.framing() != null
                && services.has(attempt.chosen.provider())
                && services.has(made.framing());
    }

    private synchronized List<Attempt> attempts() {
        return List.copyOf(underWay);
    }

    private void breakOff(Attempt attempt) {
        Connection present;
        synchronized (this) {
            attempt.broken = true;
            present = attempt.connection;
        }
        if (present != null) {
            present.close();
        }
    }

    /**
     * The attempts that are not of this thread, and do not wait for this thread. Asked before they are broken off: the
     * thread that closes a connection which does not stand may become its receive thread by that.
     */
    private List<Attempt> ofOthers(List<Attempt> all) {
        return all.stream().filter(attempt -> !isOwnThread(attempt)).toList();
    }

    private void awaitEnd(List<Attempt> broken) {
        long deadline = context.runtime().nanoTime() + BREAK_OFF_NANOS;
        for (Attempt attempt : broken) {
            if (!ended.awaitEnd(() -> hasEnded(attempt), deadline)) {
                LOG.warn("connecting to {} was not broken off in time in {}", options.remote(), attempt.thread);
            }
        }
    }

    /** Whether the caller is on a thread that connects, or on one that such a thread may wait for. */
    boolean isOwnThread() {
        return attempts().stream().anyMatch(this::isOwnThread);
    }

    private boolean isOwnThread(Attempt attempt) {
        Connection made;
        synchronized (this) {
            made = attempt.connection;
        }
        return attempt.thread == Thread.currentThread() || (made != null && made.isReceiveThread());
    }

    private synchronized boolean hasEnded(Attempt attempt) {
        return !underWay.contains(attempt);
    }

    /** Breaks off the attempts, refuses further ones, and waits for the threads that made them. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        context.services().changed();
        List<Attempt> broken = attempts();
        List<Attempt> awaited = ofOthers(broken);
        broken.forEach(this::breakOff);
        awaitEnd(awaited);
    }

    private synchronized boolean isClosed() {
        return closed;
    }
}
