package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The memory that a connection holds for its calls: as many have been in flight at once, and no more. */
final class RequesterRoomTest {
    private static final int CREDITS = 64;
    private static final int CALLS = 20;

    /** For messages without a credit, and for reverse calls. */
    private static final int OTHERS =
            TransportLimits.DEFAULT.receiveMargin() + TransportLimits.DEFAULT.reverseCredits();

    private final MemoryFabric fabric = new MemoryFabric();
    private final DirectMemory memory = new DirectMemory();
    private final RdmaRpcTransport transport = new RdmaRpcTransport(
            new SystemRuntime(),
            TransportLimits.DEFAULT,
            memory,
            fabric,
            List.of(new VersionTwoFraming(), new VersionOneFraming()),
            new PrivateDataNegotiator());
    private final BlockingQueue<Throwable> losses = new LinkedBlockingQueue<>();
    private RawPeer.Listener listener;
    private RpcConnection connection;
    private RawPeer server;

    private void connect(Version version) throws Exception {
        listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA);
        ConnectionObserver observer = new ConnectionObserver() {
            @Override
            public void lost(Throwable cause) {
                losses.add(cause);
            }
        };
        connection = transport.connect(TransportPair.options(listener.address(), CREDITS, observer, version.options()));
        server = listener.next();
        CompletableFuture<String> first = call();
        server.send(version.nullReply(server.next().xid(), CREDITS));
        await(first);
    }

    @AfterEach
    void close() {
        transport.close();
        listener.close();
        fabric.awaitAllEnded();
        assertThat(memory.leasedBytes()).isZero();
        memory.close();
    }

    private CompletableFuture<String> call() {
        return connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
    }

    private List<CompletableFuture<String>> calls() {
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            calls.add(call());
        }
        return calls;
    }

    private static void await(CompletableFuture<String> call) throws Exception {
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    private MemoryConnection client() {
        return fabric.endTo(listener.address());
    }

    @ParameterizedTest
    @EnumSource
    @Proves("BI-4.3.1-1")
    @DisplayName("receives are posted for the calls in flight, before a call goes out")
    void shouldGrowWithTheCallsInFlight(Version version) throws Exception {
        connect(version);
        assertThat(client().postedReceives()).isEqualTo(2 + OTHERS);
        long idle = memory.leasedBytes();
        assertThat(idle).isLessThan((2 + 2 + OTHERS) * 5120 + 8192);
        List<CompletableFuture<String>> calls = calls();
        assertThat(client().receivesAtLastSend()).isGreaterThanOrEqualTo(CALLS + OTHERS);
        assertThat(memory.leasedBytes()).isGreaterThan(idle);
        for (int i = 0; i < CALLS; i++) {
            server.send(version.nullReply(server.next().xid(), CREDITS));
        }
        for (CompletableFuture<String> call : calls) {
            await(call);
        }
        assertThat(server.isQuiet()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("calls wait for those in flight where there is no memory for more at once")
    void shouldGoOnWithoutMoreMemory(Version version) throws Exception {
        connect(version);
        memory.limit(memory.leasedBytes());
        List<CompletableFuture<String>> calls = calls();
        for (int i = 0; i < CALLS; i += 2) {
            int first = server.next().xid();
            int second = server.next().xid();
            assertThat(server.isQuiet()).isTrue();
            server.send(version.nullReply(first, CREDITS));
            server.send(version.nullReply(second, CREDITS));
        }
        for (CompletableFuture<String> call : calls) {
            await(call);
        }
        assertThat(client().postedReceives()).isEqualTo(2 + OTHERS);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("without memory for more, a connection whose room is all held by calls given up is made again")
    void shouldReplaceAConnectionWithoutRoomForFurtherCalls(Version version) throws Exception {
        connect(version);
        long limit = memory.limitBytes();
        memory.limit(memory.leasedBytes());
        List<CompletableFuture<String>> lost = List.of(call(), call());
        CompletableFuture<String> waits = call();
        for (CompletableFuture<String> call : lost) {
            assertThat(server.next()).isNotNull();
            assertThat(call.cancel(false)).isTrue();
        }
        server.awaitEnd();
        memory.limit(limit);
        server = listener.next();
        server.send(version.nullReply(server.next().xid(), CREDITS));
        await(waits);
    }

    @ParameterizedTest
    @EnumSource
    @Proves("V1-5.5-6")
    @DisplayName("a new connection has room for all calls that were in flight by the one before")
    void shouldHaveRoomForCallsThatAreSentAgain(Version version) throws Exception {
        connect(version);
        List<CompletableFuture<String>> calls = calls();
        List<Integer> xids = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            xids.add(server.next().xid());
        }
        server.rdma().close();
        server = listener.next();
        assertThat(server.next().xid()).isEqualTo(xids.get(0));
        assertThat(client().postedReceives()).isEqualTo(CALLS + OTHERS);
        server.send(version.nullReply(xids.get(0), CREDITS));
        List<Integer> again = new ArrayList<>();
        for (int i = 1; i < CALLS; i++) { // several threads send them: the order of the Sends is not theirs
            int xid = server.next().xid();
            again.add(xid);
            server.send(version.nullReply(xid, CREDITS));
        }
        assertThat(again).containsExactlyInAnyOrderElementsOf(xids.subList(1, CALLS));
        for (CompletableFuture<String> call : calls) {
            await(call);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a connection that ends while it gets room for more calls was lost, and nothing failed at this end")
    void shouldGoOnByTheNextConnectionWhereOneEndsAsItGrows(Version version) throws Exception {
        connect(version);
        client().breakOffAtReceive();
        PrintStream before = System.err;
        ByteArrayOutputStream logged = new ByteArrayOutputStream();
        System.setErr(new PrintStream(logged, true, StandardCharsets.UTF_8));
        List<CompletableFuture<String>> calls;
        try {
            calls = calls();
            assertThat(losses.poll(10, TimeUnit.SECONDS)).hasMessageContaining("broken off");
        } finally {
            System.setErr(before);
        }
        assertThat(logged.toString(StandardCharsets.UTF_8)).doesNotContain("ERROR");
        server = listener.next();
        for (int i = 0; i < CALLS; i++) { // several threads send them: the order of the Sends is not theirs
            server.send(version.nullReply(server.next().xid(), CREDITS));
        }
        for (CompletableFuture<String> call : calls) {
            await(call);
        }
    }
}
