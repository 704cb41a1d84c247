package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.dispatcher.internal.Services.Chosen;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Makes the RDMA connections of one client, one at a time. */
final class Connector implements AutoCloseable {
    private static final int INBOUND_READS = 32;
    private static final int OUTBOUND_READS = 1;

    private final long id;
    private final Environment environment;
    private final ConnectOptions options;
    private final TransportOptions transport;
    private final ProviderChoice choice;
    private final Requester requester;
    private final Connection.Owner owner;
    private final Counters counters;
    private Connection underWay;
    private boolean closed;

    /**
     * @param connection which stands
     * @param chosen what it is made of
     */
    record Made(Connection connection, Chosen chosen) {}

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
     * Connects with the services that are there, or come within that time. Blocks.
     *
     * @throws RpcException saying what failed and what to do
     */
    Made connect(Duration timeout) throws RpcException {
        InetSocketAddress remote = resolve();
        int highest = environment.versions().highest(remote);
        Chosen chosen = environment
                .services()
                .awaitForConnecting(transport, choice, remote, highest, Nanos.of(timeout), this::isClosed);
        Connection fresh = new Connection(id, environment, chosen.provider(), transport, owner, counters);
        try {
            RdmaConnection rdma = chosen.provider().open(remote, limits(), fresh, timeout);
            begin(fresh, rdma);
            establish(fresh, rdma, chosen, timeout);
            return new Made(fresh, chosen);
        } catch (RdmaException e) {
            fresh.close();
            throw ConnectErrors.explain(options.remote(), chosen, timeout, e);
        } catch (RuntimeException e) {
            fresh.close();
            throw e;
        } finally {
            end();
        }
    }

    private void establish(Connection fresh, RdmaConnection rdma, Chosen chosen, Duration timeout)
            throws RdmaException {
        fresh.postReceives(requester.requested() + margin());
        Services services = environment.services();
        LocalSettings local = transport.local(rdma);
        byte[] privateData = services.privateData(local, rdma.maxPrivateData());
        byte[] answer = rdma.connect(privateData, timeout);
        fresh.established();
        // a peer to whom we told nothing takes us to be able to do nothing
        ConnectionSettings settled =
                privateData.length == 0 ? ConnectionSettings.DEFAULT : services.settle(local, answer);
        fresh.readyToCall(settled, chosen.framing(), requester, reverse(fresh));
    }

    /** A connection is taken into use: what it is made of is what the next ones are made of. */
    void settle(Made made) {
        choice.settle(made.chosen.provider(), made.connection.rdma(), made.chosen.finding());
    }

    /** The provider that carries the connections. */
    ProviderChoice choice() {
        return choice;
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

    private void begin(Connection fresh, RdmaConnection rdma) throws RdmaException {
        synchronized (this) {
            if (!closed) {
                underWay = fresh;
                fresh.verbs(rdma);
                return;
            }
        }
        rdma.close();
        throw new RdmaException(RdmaException.Kind.DISCONNECTED, "closed while connecting");
    }

    private synchronized void end() {
        underWay = null;
    }

    /** Breaks off a connection attempt that is under way on another thread, and refuses further ones. */
    @Override
    public void close() {
        Connection present;
        synchronized (this) {
            closed = true;
            present = underWay;
        }
        environment.services().changed();
        if (present != null) {
            present.close();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }
}
