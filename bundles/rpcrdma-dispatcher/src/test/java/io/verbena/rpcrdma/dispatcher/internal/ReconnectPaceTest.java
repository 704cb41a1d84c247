package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpc.retry.RetryPolicy;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that takes each connection only to break it is asked again after a pause, not at once and for ever. */
@Timeout(60)
final class ReconnectPaceTest {
    /** Each pause is longer than any call waits. */
    private static final RetryPolicy RARE = RetryPolicy.doubling(Duration.ofHours(1), Duration.ofHours(1));

    private final MemoryFabric fabric = new MemoryFabric();
    private RdmaRpcTransport transport;
    private RawPeer.Listener listener;
    private RpcConnection connection;

    @BeforeEach
    void listen() throws Exception {
        listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA);
    }

    private void connect(RetryPolicy reconnects) throws Exception {
        connect(reconnects, Duration.ofHours(9));
    }

    private void connect(RetryPolicy reconnects, Duration recovery) throws Exception {
        TransportLimits plain = TransportLimits.DEFAULT;
        TransportLimits limits = new TransportLimits(
                plain.receiveMargin(),
                plain.reverseCredits(),
                plain.maxReverseCall(),
                plain.workQueueDepth(),
                plain.maxSegment(),
                plain.maxRead(),
                plain.pullBudget(),
                plain.poolIdle(),
                plain.versionsKept(),
                reconnects);
        transport = TransportPair.transport(limits, fabric);
        connection = transport.connect(new ConnectOptions(
                listener.address(),
                Duration.ofSeconds(10),
                recovery,
                Duration.ofSeconds(10),
                4,
                ConnectionObserver.NONE,
                Optional.empty(),
                Version.ONE.options()));
    }

    @AfterEach
    void close() {
        transport.close();
        listener.close();
        fabric.awaitAllEnded();
    }

    private CompletableFuture<String> callNull() {
        return connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
    }

    private CompletableFuture<String> callBriefly() {
        return connection.call(TransportPair.call(EchoProgram.NULL).timeout(Duration.ofMillis(100)), in -> "done");
    }

    private void answer(RawPeer server) throws Exception {
        CompletableFuture<String> call = callNull();
        server.send(Version.ONE.nullReply(server.next().xid(), 4));
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    /** Each connection brings a reply, and is gone. */
    private void answerByShortConnections() throws Exception {
        for (int i = 0; i < 3; i++) {
            RawPeer server = listener.next();
            answer(server);
            server.rdma().close();
            CompletableFuture<String> call = callNull();
            RawPeer next = listener.next();
            next.send(Version.ONE.nullReply(next.next().xid(), 4));
            assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
            next.rdma().close();
            connection.reconnect(Duration.ofSeconds(10));
        }
    }

    @Test
    @DisplayName("after a connection that brought a reply the next one is made at once")
    void shouldReconnectAtOnceAfterProgress() throws Exception {
        connect(RARE);
        answerByShortConnections();
    }

    @Test
    @DisplayName("after a connection that brought none there is a pause first")
    void shouldPauseAfterAConnectionOfNoUse() throws Exception {
        connect(RARE);
        RawPeer server = listener.next();
        CompletableFuture<String> call = callNull();
        server.next();
        server.rdma().close();
        assertThat(RequesterFixture.failureOf(callBriefly())).isInstanceOf(CallTimedOutException.class);
        assertThat(listener.isIdle()).isTrue();
        connection.reconnect(Duration.ofSeconds(10)); // whoever asks for it does not wait
        RawPeer next = listener.next();
        next.send(Version.ONE.nullReply(next.next().xid(), 4));
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    @Test
    @DisplayName("after a connection that brought a reply and did not last there is a brief pause")
    void shouldPauseBrieflyAfterAConnectionThatDidNotLast() throws Exception {
        connect(RARE.withSettled(Duration.ofHours(2)));
        answerByShortConnections();
    }

    @Test
    @DisplayName("a peer that breaks each connection is asked again after longer and longer pauses")
    void shouldGoOnAfterPauses() throws Exception {
        connect(RetryPolicy.doubling(Duration.ofMillis(1), Duration.ofMillis(8)).withSettled(Duration.ofHours(2)));
        CompletableFuture<String> call = callNull();
        for (int i = 0; i < 6; i++) {
            RawPeer server = listener.next();
            server.next();
            server.rdma().close();
        }
        RawPeer server = listener.next();
        server.send(Version.ONE.nullReply(server.next().xid(), 4));
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    @Test
    @DisplayName("without time to recover a lost connection is not made again, and its calls fail")
    void shouldNotMakeALostConnectionAgain() throws Exception {
        connect(RARE, Duration.ZERO);
        RawPeer server = listener.next();
        answer(server);
        CompletableFuture<String> call = callNull();
        CompletableFuture<String> meanwhile = call.exceptionallyCompose(failure -> callNull());
        server.next();
        server.rdma().close();
        assertThat(RequesterFixture.failureOf(call)).isInstanceOf(TransportLostException.class);
        assertThat(RequesterFixture.failureOf(meanwhile)).hasRootCauseInstanceOf(TransportLostException.class);
        assertThat(RequesterFixture.failureOf(callNull())).isInstanceOf(TransportLostException.class);
        assertThat(listener.isIdle()).isTrue();
    }
}
