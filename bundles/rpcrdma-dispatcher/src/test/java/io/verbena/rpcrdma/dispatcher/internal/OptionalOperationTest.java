package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.OptionalConnection;
import io.verbena.rpcrdma.OptionalOperation;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.BufferSizes;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Optional operations of Version Two (draft-cel-nfsv4-rpcrdma-version-two-01 section 3), and the one that there is. */
final class OptionalOperationTest {
    private static final int XID = 0x4711;
    private static final int CALL = 0;
    private static final int REPLY = 1;
    private static final int OPTIONAL = 5;
    private static final int ERR_BAD_HEADER = 2;
    private static final int ERR_INVAL_OPTION = 3;
    private static final int BUFFER_SIZES = 0x56420001;
    private static final Map<String, String> LARGE = Map.of("inline", "16384");

    private final MemoryFabric fabric = new MemoryFabric();
    private RdmaRpcTransport client = transport(List.of(new BufferSizes()));
    private RdmaRpcTransport server = transport(List.of(new BufferSizes()));
    private RpcConnection calling;

    /** Without private data, so that both ends begin with the version's thresholds. */
    private RdmaRpcTransport transport(List<OptionalOperation> operations) {
        return new RdmaRpcTransport(
                new SystemRuntime(),
                new DirectMemory(),
                fabric,
                List.of(new VersionTwoFraming(), new VersionOneFraming()),
                null,
                operations);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
        fabric.awaitAllEnded();
    }

    private RpcListener listen(Map<String, String> options) throws Exception {
        return server.listen(TransportPair.listenOptions(8, options), new EchoProgram());
    }

    private RpcConnection connect(RpcListener listener, Map<String, String> options) throws Exception {
        return client.connect(TransportPair.options(listener.localAddress(), 8, ConnectionObserver.NONE, options));
    }

    /** Sends and brings back that many octets outside of any chunk that could be avoided. */
    private static void echo(RpcConnection connection, int octets) throws Exception {
        byte[] stream = new byte[octets];
        RpcCall call = TransportPair.call(EchoProgram.ECHO);
        call.arguments().putInt(XID).putOpaque(stream).putOpaque(new byte[0]);
        String done = connection
                .call(call.maxReplySize(octets + 100), in -> in.getOpaque(octets).length == octets ? "done" : "other")
                .get(10, TimeUnit.SECONDS);
        assertThat(done).isEqualTo("done");
    }

    private long chunkedCalls() {
        return TransportPair.count(client, Counter.CHUNKED_CALLS.label());
    }

    @Test
    @Proves({"V2-2.3-1", "V2-3.1-2"})
    @DisplayName("RDMA2_OPT_BUFFER_SIZES: the thresholds grow beyond 4096 without private data")
    void shouldGrowThresholds() throws Exception {
        RpcConnection connection = connect(listen(LARGE), LARGE);
        TransportPair.callNull(connection);
        TransportPair.callNull(connection); // the answer came before this one's
        assertThat(connection.settings())
                .containsEntry("version", "2")
                .containsEntry("callThreshold", "16384")
                .containsEntry("replyThreshold", "16384");
        assertThat(server.connections().get(0).settings())
                .containsEntry("callThreshold", "16384")
                .containsEntry("replyThreshold", "16384");
        long before = chunkedCalls();
        echo(connection, 15_000);
        assertThat(chunkedCalls()).as("calls with chunks").isEqualTo(before);
        echo(connection, 17_000);
        assertThat(chunkedCalls()).isEqualTo(before + 1);
    }

    @Test
    void shouldGrowToWhatBothEndsCanDo() throws Exception {
        RpcConnection connection = connect(listen(Map.of("inline", "8192")), LARGE);
        TransportPair.callNull(connection);
        TransportPair.callNull(connection);
        assertThat(connection.settings())
                .containsEntry("callThreshold", "8192")
                .containsEntry("replyThreshold", "8192");
        echo(connection, 8_000);
        echo(connection, 12_000);
    }

    @Test
    void shouldGoOnWithAPeerThatDoesNotKnowTheOperation() throws Exception {
        server.close();
        server = transport(List.of());
        RpcConnection connection = connect(listen(LARGE), LARGE);
        TransportPair.callNull(connection);
        echo(connection, 15_000);
        assertThat(connection.settings()).containsEntry("callThreshold", "4096");
        assertThat(connection.settings()).containsEntry("credits", "8");
    }

    @Test
    void shouldAskNothingInVersionOne() throws Exception {
        RpcConnection connection = connect(listen(LARGE), Map.of("inline", "16384", "rpcrdma", "1"));
        TransportPair.callNull(connection);
        echo(connection, 15_000);
        assertThat(connection.settings()).containsEntry("version", "1").containsEntry("callThreshold", "1024");
    }

    /** A server that a test plays, which has answered a first call. */
    private RawPeer serverThatGranted(RawPeer.Listener listener, int credits) throws Exception {
        calling = client.connect(TransportPair.options(listener.address(), 8, ConnectionObserver.NONE, LARGE));
        RawPeer peer = listener.next();
        exchange(peer, credits);
        return peer;
    }

    /** One call and its reply: whatever was sent before has been taken then. */
    private void exchange(RawPeer peer, int credits) throws Exception {
        CompletableFuture<String> call =
                calling.call(TransportPair.call(EchoProgram.NULL).maxReplySize(100), in -> "done");
        peer.send(reply(peer.next().xid(), credits));
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    @Test
    void shouldAskWithACreditAndAnXidOfItsOwn() throws Exception {
        try (RawPeer.Listener listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA)) {
            RawPeer peer = serverThatGranted(listener, 4);
            Message question = peer.next();
            assertThat(question.words()).isEqualTo(9);
            assertThat(question.word(1)).as("rdma_vers").isEqualTo(2);
            assertThat(question.word(2)).as("rdma_credit").isEqualTo(8);
            assertThat(question.word(3)).as("rdma_proc").isEqualTo(OPTIONAL);
            assertThat(question.word(4)).as("rdma_optdir").isEqualTo(CALL);
            assertThat(question.word(5)).as("rdma_opttype").isEqualTo(BUFFER_SIZES);
            assertThat(question.word(6)).as("octets of rdma_optinfo").isEqualTo(8);
            assertThat(question.word(7)).as("rdma_send_size").isEqualTo(16384);
            assertThat(question.word(8)).as("rdma_receive_size").isEqualTo(16384);

            // refused: the credit is there again, and used
            peer.send(Wire.header(2, question.xid(), 4, Wire.ERROR)
                    .words(ERR_INVAL_OPTION)
                    .done());
            exchange(peer, 4);
            assertThat(calling.settings()).containsEntry("callThreshold", "4096");
        }
    }

    @Test
    void shouldLeaveTheOnlyCreditToCalls() throws Exception {
        try (RawPeer.Listener listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA)) {
            RawPeer peer = serverThatGranted(listener, 1);
            assertThat(peer.isQuiet()).isTrue(); // sends arrive at once here, and before the call's end is told
        }
    }

    @Test
    void shouldIgnoreAnAnswerThatIsMalformedOrToNoQuestion() throws Exception {
        try (RawPeer.Listener listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA)) {
            RawPeer peer = serverThatGranted(listener, 4);
            Message question = peer.next();
            peer.send(Wire.header(2, question.xid() + 1, 4, OPTIONAL)
                    .words(REPLY, BUFFER_SIZES, 8, 8192, 8192)
                    .done());
            peer.send(Wire.header(2, question.xid(), 4, OPTIONAL)
                    .words(REPLY, BUFFER_SIZES, 4, 8192)
                    .done());
            exchange(peer, 4);
            assertThat(calling.settings())
                    .containsEntry("callThreshold", "4096")
                    .containsEntry("replyThreshold", "4096");
            assertThat(peer.isConnected()).isTrue();
        }
    }

    @Test
    void shouldRefuseAQuestionThatIsMalformed() throws Exception {
        RpcListener listener = listen(LARGE);
        RawPeer peer = RawPeer.connect(fabric, listener.localAddress(), RawPeer.NO_PRIVATE_DATA);
        for (int[] info : new int[][] {{4, 8192}, {8, 8192, 4095}, {8, 0, 8192}, {12, 8192, 8192, 8192}}) {
            peer.send(Wire.header(2, XID, 4, OPTIONAL)
                    .words(CALL, BUFFER_SIZES)
                    .words(info)
                    .done());
            Message refusal = peer.next();
            assertThat(refusal.xid()).isEqualTo(XID);
            assertThat(refusal.word(3)).isEqualTo(Wire.ERROR);
            assertThat(refusal.word(4)).isEqualTo(ERR_BAD_HEADER);
        }
        assertThat(server.connections().get(0).settings()).containsEntry("replyThreshold", "4096");
    }

    @Test
    void shouldTakeSizesBeyondItsOwnForItsOwn() throws Exception {
        RpcListener listener = listen(LARGE);
        RawPeer peer = RawPeer.connect(fabric, listener.localAddress(), RawPeer.NO_PRIVATE_DATA);
        peer.send(Wire.header(2, XID, 4, OPTIONAL)
                .words(CALL, BUFFER_SIZES, 8, -1, -1)
                .done());
        Message answer = peer.next();
        assertThat(answer.words()).isEqualTo(9);
        assertThat(answer.word(3)).isEqualTo(OPTIONAL);
        assertThat(answer.word(4)).as("rdma_optdir").isEqualTo(REPLY);
        assertThat(answer.word(5)).isEqualTo(BUFFER_SIZES);
        assertThat(answer.word(7)).isEqualTo(16384);
        assertThat(answer.word(8)).isEqualTo(16384);
        assertThat(server.connections().get(0).settings())
                .containsEntry("callThreshold", "16384")
                .containsEntry("replyThreshold", "16384");
    }

    /** Fails in one way or another. */
    private static final class Failing implements OptionalOperation {
        private final Optional<ByteBuffer> question;
        private final ByteBuffer answer;

        Failing(Optional<ByteBuffer> question, ByteBuffer answer) {
            this.question = question;
            this.answer = answer;
        }

        @Override
        public int type() {
            return 0x77;
        }

        @Override
        public Optional<ByteBuffer> ask(OptionalConnection connection) {
            return question.or(() -> {
                throw new IllegalStateException("cannot ask");
            });
        }

        @Override
        public ByteBuffer answer(OptionalConnection connection, ByteBuffer info) {
            if (answer == null) {
                throw new IllegalStateException("cannot answer");
            }
            return answer;
        }

        @Override
        public void answered(OptionalConnection connection, ByteBuffer info) {
            throw new IllegalStateException("cannot take the answer");
        }
    }

    static List<Failing> failures() {
        Optional<ByteBuffer> word = Optional.of(ByteBuffer.allocate(4));
        ByteBuffer tooLong = ByteBuffer.allocate(OptionalOperation.MAX_INFO + 1);
        return List.of(
                new Failing(Optional.empty(), null),
                new Failing(Optional.of(tooLong), null),
                new Failing(word, null),
                new Failing(word, tooLong),
                new Failing(word, ByteBuffer.allocate(4)));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void shouldGoOnWhereAnOperationFails(Failing operation) throws Exception {
        client.bindOptionalOperation(operation);
        server.bindOptionalOperation(operation);
        RpcConnection connection = connect(listen(LARGE), LARGE);
        for (int i = 0; i < 10; i++) {
            TransportPair.callNull(connection);
        }
        echo(connection, 15_000);
        assertThat(connection.settings())
                .as("the other operation has had its turn")
                .containsEntry("callThreshold", "16384")
                .containsEntry("reconnects", "0");
    }

    @Test
    void shouldNotTakeAnAnswerForThatOfAnotherOperation() throws Exception {
        Mirror mirror = new Mirror();
        client.bindOptionalOperation(mirror);
        try (RawPeer.Listener listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA)) {
            RawPeer peer = serverThatGranted(listener, 4);
            Message one = peer.next();
            Message other = peer.next();
            Message sizes = one.word(5) == BUFFER_SIZES ? one : other;
            peer.send(Wire.header(2, sizes.xid(), 4, OPTIONAL)
                    .words(REPLY, mirror.type(), 4, 1)
                    .done());
            exchange(peer, 4);
            assertThat(mirror.answers).isEmpty();
            peer.send(Wire.header(2, sizes.xid(), 4, OPTIONAL)
                    .words(REPLY, BUFFER_SIZES, 8, 8192, 8192)
                    .done());
            exchange(peer, 4);
            assertThat(calling.settings()).containsEntry("callThreshold", "8192");
        }
    }

    @Test
    @DisplayName("a question that is not answered holds a credit, and is no reason to end the connection")
    void shouldNotTakeAQuestionForACallThatWasGivenUp() throws Exception {
        try (RawPeer.Listener listener = new RawPeer.Listener(fabric, RawPeer.NO_PRIVATE_DATA)) {
            RpcConnection connection =
                    client.connect(TransportPair.options(listener.address(), 8, ConnectionObserver.NONE, LARGE));
            RawPeer peer = listener.next();
            List<CompletableFuture<String>> calls = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                calls.add(connection.call(TransportPair.call(EchoProgram.NULL).maxReplySize(100), in -> "done"));
            }
            peer.send(reply(peer.next().xid(), 8));
            Message question = peer.next();
            assertThat(question.word(3)).isEqualTo(OPTIONAL);
            peer.send(reply(peer.next().xid(), 8));
            peer.send(reply(peer.next().xid(), 1)); // which the question holds
            for (CompletableFuture<String> call : calls) {
                assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
            }
            CompletableFuture<String> waiting =
                    connection.call(TransportPair.call(EchoProgram.NULL).maxReplySize(100), in -> "done");
            assertThat(peer.isConnected()).isTrue();
            assertThat(peer.isQuiet()).isTrue();
            peer.send(Wire.header(2, question.xid(), 4, Wire.ERROR)
                    .words(ERR_INVAL_OPTION)
                    .done());
            peer.send(reply(peer.next().xid(), 8));
            assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo("done");
        }
    }

    private static ByteBuffer reply(int xid, int credits) {
        return Wire.header(2, xid, credits, Wire.MSG)
                .words(REPLY, 0, 0, 0)
                .accepted(xid)
                .done();
    }

    /** Asks with one word, is answered with the same. */
    private static final class Mirror implements OptionalOperation {
        private final BlockingQueue<Integer> answers = new LinkedBlockingQueue<>();

        @Override
        public int type() {
            return 0x77;
        }

        @Override
        public Optional<ByteBuffer> ask(OptionalConnection connection) {
            return Optional.of(ByteBuffer.allocate(4).putInt(0, connection.receiveSize()));
        }

        @Override
        public ByteBuffer answer(OptionalConnection connection, ByteBuffer info) {
            return ByteBuffer.allocate(4).putInt(0, info.getInt(info.position()) + 1);
        }

        @Override
        public void answered(OptionalConnection connection, ByteBuffer info) {
            answers.add(info.getInt(info.position()));
        }
    }

    @Test
    @Proves("V2-3.1-2")
    @DisplayName("another operation is carried without a change to the codec, as long as it is registered")
    void shouldCarryWhatOperationIsRegistered() throws Exception {
        Mirror mirror = new Mirror();
        client.bindOptionalOperation(mirror);
        server.bindOptionalOperation(mirror);
        RpcListener listener = listen(Map.of());
        try (RpcConnection connection = connect(listener, Map.of())) {
            TransportPair.callNull(connection);
            assertThat(mirror.answers.poll(10, TimeUnit.SECONDS)).isEqualTo(5121);
        }
        server.unbindOptionalOperation(mirror);
        try (RpcConnection connection = connect(listener, Map.of())) {
            TransportPair.callNull(connection);
            TransportPair.callNull(connection);
            assertThat(mirror.answers).isEmpty();
        }
    }
}
