package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.BindConnToSession.Wish;
import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbRecall;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.Credential;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callbacks by the connection that the client has made, over RPC-over-RDMA and software iWARP. */
@Timeout(60)
class RecallOverRdmaTest extends DelegationFixture {
    private static final Duration BOUND = Duration.ofSeconds(20);

    private RdmaRpcTransport transport;
    private RpcListener listener;

    @BeforeEach
    void listen() throws Exception {
        transport = new RdmaRpcTransport(
                new SystemRuntime(),
                new DirectMemory(),
                new IwarpProvider(new SystemRuntime(), new DirectMemory()),
                List.of(new VersionOneFraming()),
                new PrivateDataNegotiator());
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        listener = transport.listen(ListenOptions.on(any), server);
    }

    @AfterEach
    void endTransport() {
        listener.close();
        transport.close();
    }

    /** The client's callback program: says yes, and leaves it to the test to give the delegation back. */
    private static final class Callbacks implements RpcProgram {
        private final BlockingQueue<CbRecall.Args> recalls = new LinkedBlockingQueue<>();

        @Override
        public int program() {
            return FakePeer.PROGRAM;
        }

        @Override
        public int lowVersion() {
            return CbCompound.VERSION;
        }

        @Override
        public int highVersion() {
            return CbCompound.VERSION;
        }

        @Override
        public void handle(RpcRequest request) throws Exception {
            XdrReader in = request.arguments();
            CbCompound.decodeArgs(in);
            assertThat(in.getInt()).isEqualTo(Opcode.CB_SEQUENCE);
            CbSequence.Args sequence = CbSequence.decodeArgs(in);
            assertThat(in.getInt()).isEqualTo(Opcode.CB_RECALL);
            CbRecall.Args recall = CbRecall.decodeArgs(in);
            int at = Compound.encodeResult(request.results(), "");
            CbSequence.encodeResult(
                    request.results(),
                    new CbSequence.Result(sequence.sessionId(), sequence.sequenceId(), sequence.slotId(), 7, 7));
            CbRecall.encodeResult(request.results());
            Compound.finishResult(request.results(), at, "", Status.NFS4_OK, 2);
            request.reply();
            recalls.add(recall);
        }

        CbRecall.Args take() throws InterruptedException {
            CbRecall.Args recall = recalls.poll(BOUND.toSeconds(), TimeUnit.SECONDS);
            assertThat(recall).as("a CB_RECALL").isNotNull();
            return recall;
        }
    }

    private RpcConnection connect(Callbacks callbacks) throws Exception {
        return transport.connect(new ConnectOptions(
                listener.localAddress(),
                BOUND,
                BOUND,
                BOUND,
                8,
                ConnectionObserver.NONE,
                Optional.of(callbacks),
                Map.of()));
    }

    private static final class Remote extends TestClient {
        private RpcConnection connection;

        Remote(RpcConnection connection, String owner) {
            super(null, owner);
            this.connection = connection;
        }

        @Override
        XdrReader exchange(Credential as, XdrWriter arguments, long[] capacities) throws Exception {
            RpcCall call = new RpcCall(Compound.PROGRAM, Compound.VERSION, Compound.PROC_COMPOUND, as);
            call.arguments().putFixedOpaque(arguments.toByteArray());
            byte[] results = connection
                    .call(call.maxReplySize(2048), in -> in.getFixedOpaque(in.remaining()))
                    .get(BOUND.toSeconds(), TimeUnit.SECONDS);
            return new XdrReader(ByteBuffer.wrap(results));
        }
    }

    @Test
    @Proves("ULB-5.5.2-1")
    void shouldRecallByTheConnectionOfTheHolder() throws Exception {
        Callbacks callbacks = new Callbacks();
        try (RpcConnection connection = connect(callbacks)) {
            TestClient remote = new Remote(connection, "remote").callable().begun();
            Granted written = open(remote, "file", BOTH);
            assertThat(other.statusOfOpen("file", READ, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
            CbRecall.Args recall = callbacks.take();
            assertThat(recall).isEqualTo(new CbRecall.Args(written.delegated(), false, written.handle()));
            assertThat(giveBack(remote, written)).isEqualTo(Status.NFS4_OK);
            assertThat(other.statusOfOpen("file", READ, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
        }
    }

    @Test
    void shouldRecallByTheNextConnectionWhereTheFirstHasGone() throws Exception {
        Callbacks callbacks = new Callbacks();
        RpcConnection first = connect(callbacks);
        Remote remote = new Remote(first, "remote");
        remote.callable().begun();
        Granted written = open(remote, "file", BOTH);
        first.close();
        assertThat(other.statusOfOpen("file", READ, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        try (RpcConnection second = connect(callbacks)) {
            remote.connection = second;
            long start = System.nanoTime();
            do {
                // the server learns of the lost connection in its own time
                remote.inSession(TestClient.root());
                assertThat(System.nanoTime() - start).isLessThan(BOUND.toNanos());
            } while ((remote.statusFlags() & Sequence.CB_PATH_DOWN) == 0);
            BackChannelTest.bind(remote, remote.peer(), Wish.FORE_OR_BOTH);
            assertThat(callbacks.take().stateId()).isEqualTo(written.delegated());
            assertThat(giveBack(remote, written)).isEqualTo(Status.NFS4_OK);
            assertThat(other.statusOfOpen("file", READ, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
        }
    }
}
