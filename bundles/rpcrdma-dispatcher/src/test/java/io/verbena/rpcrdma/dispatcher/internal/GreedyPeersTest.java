package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.IwarpPeer;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.ConnectionListener;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.PeerBounds;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.CallReceiver;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.endpoint.RpcServer;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Peers over sockets that ask for much and neither answer nor take, beside a client that behaves. */
final class GreedyPeersTest {
    private static final int MIB = 1 << 20;
    private static final int PEERS = 8;
    private static final int CALLS = 64;
    private static final int XID = 7;
    private static final String OTHER_HOST = "127.0.1.1";
    private static final String THIRD_HOST = "127.0.1.2";

    private final IwarpSettings defaults = IwarpSettings.DEFAULT;
    private final IwarpProvider provider = new IwarpProvider(
            defaults.withTimeouts(defaults.handshakeTimeout(), Duration.ofSeconds(1)),
            new SystemRuntime(),
            new DirectMemory());
    private final RdmaRpcTransport server = TransportPair.transport(TransportLimits.DEFAULT, provider);
    private final RdmaRpcTransport client = TransportPair.transport(TransportLimits.DEFAULT, provider);
    private final Semaphore changes = new Semaphore(0);
    private final List<IwarpPeer> peers = new ArrayList<>();
    private RpcListener listener;

    private RpcConnection start(PeerBounds bounds) throws Exception {
        server.configure(bounds);
        server.bindConnectionListener(new ConnectionListener() {
            @Override
            public void connectionsChanged() {
                changes.release();
            }
        });
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        listener = server.listen(new ListenOptions(any, CALLS, PEERS + 1, 2 * MIB, Map.of()), new EchoProgram());
        RpcConnection behaved = client.connect(
                TransportPair.options(listener.localAddress(), 8, io.verbena.rpc.ConnectionObserver.NONE, Map.of()));
        TransportPair.callNull(behaved);
        for (int i = 0; i < PEERS; i++) {
            peers.add(new IwarpPeer(listener.localAddress()));
        }
        return behaved;
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        server.close();
        provider.deactivate();
        for (IwarpPeer peer : peers) {
            peer.close();
        }
    }

    private List<Connection> present() {
        return ((RpcServer) listener).present();
    }

    private static long held(List<Connection> connections) {
        return connections.stream()
                .map(Connection::responder)
                .mapToLong(CallReceiver::held)
                .sum();
    }

    /** Only the client is left, and nothing is held for the others. */
    private void awaitEnd(List<Connection> all) throws Exception {
        while (present().size() > 1) {
            assertThat(changes.tryAcquire(30, TimeUnit.SECONDS))
                    .as("the end of %s", present())
                    .isTrue();
        }
        assertThat(held(all)).isZero();
    }

    private static Wire call() {
        return Wire.header(Version.ONE.number(), XID, CALLS, Wire.MSG);
    }

    private static Wire rpc(int procedure) {
        return new Wire().call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, procedure);
    }

    @Test
    @DisplayName("RDMA Reads that nobody answers hold 2 MiB a connection, and end with it")
    void shouldOutlivePeersThatAnswerNoRead() throws Exception {
        RpcConnection behaved = start(PeerBounds.DEFAULT.withTimeouts(Duration.ofSeconds(1), Duration.ofHours(1)));
        for (IwarpPeer peer : peers) {
            for (int i = 0; i < CALLS; i++) {
                peer.add(call().words(1, 52)
                        .segment(0xbad, MIB + 4, 0)
                        .words(0, 0, 0)
                        .bytes(ResponderFixture.bytes(rpc(EchoProgram.WRITE).words(1, 0, MIB + 4, 99)))
                        .done());
            }
            peer.flush();
        }
        TransportPair.callNull(behaved);
        List<Connection> all = present();
        assertThat(held(all)).isLessThanOrEqualTo(2L * MIB * PEERS);
        awaitEnd(all);
        TransportPair.callNull(behaved);
    }

    @Test
    @DisplayName("replies into a closed window hold little, and end with their connection")
    void shouldOutlivePeersThatTakeNothing() throws Exception {
        RpcConnection behaved = start(PeerBounds.DEFAULT.withReplies(MIB, 4 * MIB));
        for (IwarpPeer peer : peers) {
            for (int i = 0; i < CALLS; i++) {
                peer.add(call().words(0)
                        .words(1, 1)
                        .segment(0x600d, MIB, 0)
                        .words(0, 0)
                        .bytes(ResponderFixture.bytes(rpc(EchoProgram.READ).words(1, 0, MIB, 5)))
                        .done());
            }
            peer.flush();
        }
        TransportPair.callNull(behaved);
        List<Connection> all = present();
        assertThat(held(all)).isLessThanOrEqualTo(4L * MIB * PEERS);
        awaitEnd(all);
        TransportPair.callNull(behaved);
    }

    @Test
    @DisplayName("one host that has all connections, and work under way by each, locks out no other")
    void shouldLetAnotherHostIn() throws Exception {
        RpcConnection behaved = start(PeerBounds.DEFAULT);
        behaved.close();
        for (IwarpPeer peer : peers) {
            peer.add(call().words(1, 52)
                    .segment(0xbad, 64, 0)
                    .words(0, 0, 0)
                    .bytes(ResponderFixture.bytes(rpc(EchoProgram.WRITE).words(1, 0, 64, 99)))
                    .done());
            peer.flush();
        }
        InetSocketAddress there = listener.localAddress();
        IwarpPeer ninth = new IwarpPeer(InetAddress.getByName(OTHER_HOST), there);
        peers.add(ninth);
        IwarpPeer other = new IwarpPeer(InetAddress.getByName(THIRD_HOST), there); // where all connections are taken
        peers.add(other);
        assertThat(present()).hasSizeLessThanOrEqualTo(PEERS + 2);
    }

    @Test
    @DisplayName("silent connections that hold all memory make room for who comes behind them")
    void shouldLetInWhoComesBehindSilentPeers() throws Exception {
        DirectMemory memory = new DirectMemory(16 * MIB);
        IwarpProvider small = new IwarpProvider(new SystemRuntime(), memory);
        RdmaRpcTransport crowded = new RdmaRpcTransport(
                new SystemRuntime(),
                TransportLimits.DEFAULT,
                memory,
                small,
                List.of(new VersionOneFraming()),
                new PrivateDataNegotiator());
        crowded.configure(PeerBounds.DEFAULT.withIdleTime(Duration.ofMillis(1)));
        try (crowded) {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            RpcListener narrow =
                    crowded.listen(new ListenOptions(any, CALLS, 256, 2 * MIB, Map.of()), new EchoProgram());
            for (int host = 1; host <= 60; host++) { // three times as many as there is memory for
                peers.add(new IwarpPeer(InetAddress.getByName("127.0.1." + host), narrow.localAddress()));
            }
            assertThat(memory.leasedBytes()).isGreaterThan(8L * MIB);
            TransportPair.callNull(client.connect(
                    TransportPair.options(narrow.localAddress(), 8, io.verbena.rpc.ConnectionObserver.NONE, Map.of())));
        } finally {
            small.deactivate();
        }
        assertThat(memory.leasedBytes()).isZero();
    }
}
