package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.dispatcher.internal.KnownVersions.Limit;
import io.verbena.rpcrdma.dispatcher.internal.Services.Chosen;
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

/**
 * Makes the RDMA connections of one client of the services that are there. An attempt whose services go begins anew with
 * others, and whoever takes them away can wait for that.
 */
final class Connector implements AutoCloseable {
    private static final int INBOUND_READS = 32;
    private static final int OUTBOUND_READS = 1;
    private static final long BREAK_OFF_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final long id;
    private final Environment environment;
    private final ConnectOptions options;
    private final TransportOptions transport;
    private final ProviderChoice choice;
    private final Requester requester;
    private final Connection.Owner owner;
    private final Counters counters;
    private final Set<Attempt> underWay = new HashSet<>();
    private boolean closed;

    /**
     * @param connection which stands
     * @param chosen what it is made of
     */
    record Made(Connection connection, Chosen chosen) {}

    /** One attempt, from the choice of its services until its connection is in use or gone. Guarded by the connector. */
    private static final class Attempt {
        private final Chosen chosen;
        private final Thread thread = Thread.currentThread();
        private Connection connection;
        private boolean broken;

        private Attempt(Chosen chosen) {
            this.chosen = chosen;
        }
    }

    Connector(
            long id,
            Environment environment,
            ConnectOptions options,
            Requester requester,
            Connection.Owner owner,
            Counters counters) {
        this.id = id;
        this.environment = environment;
        this.options = options;
        this.transport = TransportOptions.parse(options.transport());
        this.choice = new ProviderChoice(transport);
        this.requester = requester;
        this.owner = owner;
        this.counters = counters;
    }

    /**
     * Connects with the services that are there, or come within their time. Blocks.
     *
     * @param timeout bounds an attempt, without the wait for services
     * @param use takes what was made into use, if it can be
     * @return whether it is in use; false where the peer has ended it at once
     * @throws RpcException saying what failed and what to do
     */
    boolean connect(Duration timeout, Predicate<Made> use) throws RpcException {
        InetSocketAddress remote = resolve();
        while (true) {
            Attempt attempt = begin(remote);
            try {
                if (use.test(make(attempt, remote, timeout))) {
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
        }
    }

    /**
     * Waits for the services to connect with.
     *
     * @return how long that was, in nanoseconds
     * @throws MissingServiceException naming what did not come in time
     */
    long awaitServices() throws MissingServiceException {
        long begun = System.nanoTime();
        if (missing() != null) {
            var unused = choose(options.remote());
        }
        return System.nanoTime() - begun;
    }

    private Chosen choose(InetSocketAddress remote) throws MissingServiceException {
        Limit limit = environment.versions().limit(remote);
        long patience = Nanos.of(options.serviceTimeout());
        return environment.services().awaitForConnecting(transport, choice, remote, limit, patience, this::isClosed);
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
            // what goes after this look finds the attempt
            if (isThere(attempt.chosen)) {
                return attempt;
            }
            end(attempt);
        }
    }

    private boolean isThere(Chosen chosen) {
        Services services = environment.services();
        return services.has(chosen.provider()) && services.has(chosen.framing());
    }

    private Made make(Attempt attempt, InetSocketAddress remote, Duration timeout) throws RdmaException {
        Chosen chosen = attempt.chosen;
        Connection fresh = new Connection(id, environment, chosen.provider(), transport, owner, counters);
        try {
            RdmaConnection rdma = chosen.provider().open(remote, limits(), fresh, timeout);
            opened(attempt, fresh, rdma);
            establish(fresh, rdma, chosen, timeout);
            return new Made(fresh, chosen);
        } catch (IllegalArgumentException e) {
            fresh.close();
            throw ConnectErrors.refused(chosen, e);
        } catch (RdmaException | RuntimeException e) {
            fresh.close();
            throw e;
        }
    }

    private void opened(Attempt attempt, Connection fresh, RdmaConnection rdma) throws RdmaException {
        fresh.verbs(rdma);
        synchronized (this) {
            if (!attempt.broken) {
                attempt.connection = fresh;
                return;
            }
        }
        throw new RdmaException(RdmaException.Kind.DISCONNECTED, "closed while connecting");
    }

    private void establish(Connection fresh, RdmaConnection rdma, Chosen chosen, Duration timeout)
            throws RdmaException {
        fresh.postReceives(requester.requested() + margin());
        Negotiation negotiation = fresh.negotiation();
        byte[] answer = rdma.connect(negotiation.privateData(), timeout);
        fresh.established();
        fresh.readyToCall(negotiation.settle(answer), chosen.framing(), requester, reverse(fresh));
    }

    /** A connection is taken into use: what it is made of is what the next ones are made of. */
    void settle(Made made) {
        choice.settle(made.chosen.provider(), made.connection.rdma(), made.chosen.finding());
    }

    /** What the connections are for. */
    String label() {
        return transport.label();
    }

    /** The provider that carries the connections. */
    ProviderChoice choice() {
        return choice;
    }

    /** The message that names the service that connecting has to wait for now, or null. */
    String missing() {
        InetSocketAddress remote = options.remote();
        Limit limit = environment.versions().limit(remote);
        return environment.services().missingForConnecting(transport, choice, remote, limit);
    }

    /** Why another connection would be better than that one, which is present; null where it would not. */
    String betterThan(Connection present) {
        Framing spoken = present.framing();
        Limit limit = environment.versions().limit(present.rdma().remoteAddress());
        Framing best = environment.services().framing(transport, limit);
        if (spoken != null && best != null && best.version() > spoken.version()) {
            return "Version " + best.version() + " came";
        }
        boolean negotiates = environment.services().negotiator() != null;
        return negotiates && !present.isNegotiated() ? "the negotiator came" : null;
    }

    /** Who answers the calls of the other end. */
    private Responder reverse(Connection fresh) {
        RpcProgram program = options.reverse().orElse(null);
        return new Responder(
                fresh,
                program,
                Peer.accepting(fresh, fresh.rdma().remoteAddress()),
                program != null && transport.reverseChunks(),
                environment.tuning().reverseCredits(),
                environment.tuning().maxReverseCall(),
                counters.reverse());
    }

    /** What is received on top of a reply to each call: calls in the reverse direction (RFC 8167 section 4.3.1). */
    private int margin() {
        return environment.tuning().receiveMargin() + environment.tuning().reverseCredits();
    }

    private ConnectionOptions limits() {
        // calls are posted without a completion, which a provider may notice late: twice the room
        int sends = 2 * requester.requested() + environment.tuning().workQueueDepth();
        return new ConnectionOptions(
                sends, requester.requested() + margin(), OUTBOUND_READS, INBOUND_READS, transport.providerOptions());
    }

    /** The address, looked up anew each time where it is a name. */
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

    private synchronized void end(Attempt attempt) {
        underWay.remove(attempt);
        notifyAll();
    }

    /** Breaks off the attempts that use services that have gone; they are begun anew. Returns when they have let go. */
    void breakOffAbandoned() {
        for (Attempt attempt : attempts()) {
            if (!isThere(attempt.chosen)) {
                if (!hasChangedVersion(attempt)) {
                    breakOff(attempt);
                }
                awaitEnd(attempt);
            }
        }
    }

    /**
     * Whether its connection speaks another version already, which is there, than the one that it was made with. It is
     * in use then, and calls are under way by it: whoever makes it is about to end the attempt.
     */
    private boolean hasChangedVersion(Attempt attempt) {
        Connection made;
        synchronized (this) {
            made = attempt.connection;
        }
        Services services = environment.services();
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

    private synchronized void awaitEnd(Attempt attempt) {
        long deadline = System.nanoTime() + BREAK_OFF_NANOS;
        try {
            for (long left = BREAK_OFF_NANOS;
                    underWay.contains(attempt) && attempt.thread != Thread.currentThread() && left > 0;
                    left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Breaks off what is under way on another thread, and refuses further attempts. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        environment.services().changed();
        attempts().forEach(this::breakOff);
    }

    private synchronized boolean isClosed() {
        return closed;
    }
}
