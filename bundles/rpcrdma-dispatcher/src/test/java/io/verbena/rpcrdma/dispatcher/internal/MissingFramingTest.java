package io.verbena.rpcrdma.dispatcher.internal;

import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.assertVersion;
import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.awaitDone;
import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.call;
import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.reply;
import static io.verbena.rpcrdma.dispatcher.internal.VersionMessages.versionError;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A framing is missing on one end for a while, as where its bundle is replaced. */
final class MissingFramingTest {
    private final MemoryFabric fabric = new MemoryFabric();
    private final RdmaRpcTransport transport = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);
    private RawPeer.Listener listener;

    @BeforeEach
    void listen() throws Exception {
        listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA);
    }

    @AfterEach
    void close() {
        transport.close();
        listener.close();
        fabric.awaitAllEnded();
    }

    private RpcConnection connect(RdmaRpcTransport by, Map<String, String> options) throws Exception {
        return by.connect(TransportPair.options(listener.address(), 4, ConnectionObserver.NONE, options));
    }

    /** Has the server answer a call in Version Two. */
    private void speakTwo(RpcConnection connection) throws Exception {
        CompletableFuture<String> call = call(connection, 0);
        RawPeer server = listener.next();
        server.send(reply(2, server.next().xid(), 4));
        awaitDone(call);
    }

    /** Has the server refuse Version One, for Version Two. */
    private void refuseOne(CompletableFuture<String> call) throws Exception {
        RawPeer server = listener.next();
        Message inOne = server.next();
        assertVersion(inOne, 1);
        server.send(versionError(1, inOne.xid(), 2, 2));
        server.awaitEnd();
        assertThat(call).isNotDone();
    }

    @Test
    void shouldWaitForALowerVersionThatIsNotThereYet() throws Exception {
        try (RdmaRpcTransport two = new RdmaRpcTransport(
                new SystemRuntime(),
                TransportLimits.DEFAULT,
                new DirectMemory(),
                fabric,
                List.of(new VersionTwoFraming()),
                new PrivateDataNegotiator())) {
            RpcConnection connection = connect(two, Map.of());
            CompletableFuture<String> call = call(connection, 0);
            RawPeer server = listener.next();
            server.send(versionError(2, server.next().xid(), 1, 1));
            server.awaitEnd();
            assertThat(call).isNotDone();

            two.bindFraming(new VersionOneFraming());
            RawPeer another = listener.next();
            Message first = another.next();
            if (first.word(1) == 2) { // offered again: another version may have come to the server too
                another.send(versionError(2, first.xid(), 1, 1));
                first = another.next();
            }
            assertVersion(first, 1);
            another.send(reply(1, first.xid(), 4));
            awaitDone(call);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("a server whose framing is being replaced refuses the version for a while")
    void shouldWaitForAVersionThatTheServerHasSpokenBefore(int version) throws Exception {
        RpcConnection connection = connect(transport, Map.of("rpcrdma", String.valueOf(version)));
        CompletableFuture<String> before = call(connection, 0);
        RawPeer server = listener.next();
        server.send(reply(version, server.next().xid(), 4));
        awaitDone(before);

        CompletableFuture<String> call = call(connection, 0);
        server.send(versionError(version, server.next().xid(), 3 - version, 3 - version));
        server.awaitEnd();
        RawPeer another = listener.next();
        another.send(versionError(version, another.next().xid(), 3 - version, 3 - version));
        another.awaitEnd();
        assertThat(call).isNotDone();

        RawPeer third = listener.next();
        Message again = third.next();
        assertVersion(again, version);
        third.send(reply(version, again.xid(), 4));
        awaitDone(call);
    }

    @Test
    @DisplayName("each end has a framing of one version for a while, but not of the same one")
    void shouldWaitForAFramingThatIsBeingReplacedHere() throws Exception {
        Framing two = new VersionTwoFraming();
        try (RdmaRpcTransport both = TransportPair.transport(TransportLimits.DEFAULT, fabric)) {
            both.bindFraming(two);
            RpcConnection connection = connect(both, Map.of());
            speakTwo(connection);

            both.unbindFraming(two);
            CompletableFuture<String> call = call(connection, 0);
            refuseOne(call);

            both.bindFraming(new VersionTwoFraming());
            answerInTwo(call);
        }
    }

    @Test
    @DisplayName("a connection whose buffers were made for Version One goes on in Version Two with short messages")
    void shouldKeepToItsBuffersInAHigherVersion() throws Exception {
        try (RdmaRpcTransport both = TransportPair.transport(TransportLimits.DEFAULT, fabric)) {
            RpcConnection connection = connect(both, Map.of());
            CompletableFuture<String> first = call(connection, 0);
            RawPeer server = listener.next();
            Message inOne = server.next();
            assertVersion(inOne, 1);
            both.bindFraming(new VersionTwoFraming());
            server.send(versionError(1, inOne.xid(), 2, 2));
            Message inTwo = server.next();
            assertVersion(inTwo, 2);
            server.send(reply(2, inTwo.xid(), 4));
            awaitDone(first);

            CompletableFuture<String> second = call(connection, 3000);
            Message again = server.next();
            assertThat(again.octets().capacity()).isLessThanOrEqualTo(1024);
            assertThat(again.word(3)).as("rdma_proc").isEqualTo(Wire.NOMSG);
            server.send(reply(2, again.xid(), 4));
            awaitDone(second);
        }
    }

    @Test
    @DisplayName("the next transport knows from the last connection what the server has spoken")
    void shouldWaitForAFramingThatAnEarlierTransportHad() throws Exception {
        RpcConnection last = connect(transport, Map.of());
        speakTwo(last);
        Map<String, String> known = last.learned();
        last.close();

        try (RdmaRpcTransport next = TransportPair.transport(TransportLimits.DEFAULT, fabric)) {
            CompletableFuture<String> call = call(connect(next, known), 0);
            refuseOne(call);

            next.bindFraming(new VersionTwoFraming());
            answerInTwo(call);
        }
    }

    /** Connections that were begun before the framing came are in Version One still. */
    private void answerInTwo(CompletableFuture<String> call) throws Exception {
        RawPeer server = listener.next();
        Message again = server.next();
        while (again.word(1) != 2) {
            server.send(versionError(1, again.xid(), 2, 2));
            server.awaitEnd();
            server = listener.next();
            again = server.next();
        }
        server.send(reply(2, again.xid(), 4));
        awaitDone(call);
    }
}
