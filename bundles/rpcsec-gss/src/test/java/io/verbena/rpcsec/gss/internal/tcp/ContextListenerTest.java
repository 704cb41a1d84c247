package io.verbena.rpcsec.gss.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.runtime.SystemRuntime;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What peers over TCP can do, and what not. */
@Timeout(60)
final class ContextListenerTest {
    private static final int PROGRAM = 100_003;
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private volatile boolean admits = true;
    private ContextListener listener;

    /** The procedure decides what happens. */
    private final class Many implements RpcProgram {
        @Override
        public int program() {
            return PROGRAM;
        }

        @Override
        public int lowVersion() {
            return 4;
        }

        @Override
        public int highVersion() {
            return 4;
        }

        @Override
        public boolean admits(SocketAddress peer) {
            return admits;
        }

        @Override
        public void handle(RpcRequest request) throws Exception {
            switch (request.procedure()) {
                case 0 -> request.reply();
                case 1 -> request.drop();
                case 2 -> throw new XdrException("arguments", 0);
                case 3 -> throw new StackOverflowError("for the test");
                case 4 -> {
                    request.results().putOpaque(request.arguments().getOpaque(1 << 16));
                    request.reply();
                }
                case 5 -> request.peer().disconnect();
                case 7 -> {
                    reached.countDown();
                    goOn.await();
                }
                default -> request.fail(AcceptStatus.PROC_UNAVAIL);
            }
        }
    }

    @BeforeEach
    void listen() throws IOException {
        listener = new ContextListener(ANY, new Many(), new SystemRuntime());
    }

    @AfterEach
    void close() {
        listener.close();
    }

    private TcpCaller caller() throws IOException {
        return new TcpCaller(listener.localAddress());
    }

    private static String outcome(TcpCaller by, int program, int version, int procedure) throws Exception {
        try {
            return by.call(new RpcCall(program, version, procedure, Credential.none()), in -> "done")
                    .get();
        } catch (ExecutionException e) {
            return e.getCause().getMessage();
        }
    }

    private static byte[] call(int rpcVersion, int procedure) {
        XdrWriter out = new XdrWriter();
        RpcMessages.writeCall(out, 7, PROGRAM, 4, procedure);
        out.setInt(8, rpcVersion);
        return out.putInt(0).putInt(0).putInt(0).putInt(0).toByteArray();
    }

    @Test
    void shouldAnswerCallsOneAfterAnother() throws Exception {
        try (TcpCaller caller = caller()) {
            assertThat(outcome(caller, PROGRAM, 4, 0)).isEqualTo("done");
            assertThat(outcome(caller, PROGRAM, 4, 6)).contains("does not have this procedure");
            assertThat(outcome(caller, PROGRAM, 3, 0)).contains("versions 4 to 4");
            assertThat(outcome(caller, PROGRAM + 1, 4, 0)).contains("does not have this RPC program");
            assertThat(outcome(caller, PROGRAM, 4, 2)).contains("could not decode");
            assertThat(outcome(caller, PROGRAM, 4, 3)).contains("error of its own");
            caller.send(call(3, 0));
            assertThat(new XdrReader(ByteBuffer.wrap(caller.receive())).getInt())
                    .isEqualTo(7);
            caller.send(call(RpcMessages.RPC_VERSION, 1)); // no reply
            assertThat(outcome(caller, PROGRAM, 4, 0)).isEqualTo("done");
        }
    }

    @Test
    void shouldCarryTheGreatestToken() throws Exception {
        byte[] token = new byte[1 << 16];
        token[token.length - 1] = 7;
        try (TcpCaller caller = caller()) {
            RpcCall call = new RpcCall(PROGRAM, 4, 4, Credential.none());
            call.arguments().putOpaque(token);
            assertThat(caller.call(call, in -> in.getOpaque(1 << 16)).get()).isEqualTo(token);
        }
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatSendsNoCall() throws Exception {
        try (TcpCaller large = caller();
                TcpCaller sum = caller();
                TcpCaller empty = caller();
                TcpCaller nothing = caller();
                TcpCaller reply = caller();
                TcpCaller ended = caller()) {
            large.mark(ContextConnection.MOST_OCTETS + 1, true);
            sum.mark(8, false);
            sum.send(new byte[4]);
            sum.send(new byte[4]);
            empty.mark(0, false);
            nothing.mark(0, true);
            reply.send(new XdrWriter().putInt(1).putInt(RpcMessages.REPLY).toByteArray());
            ended.send(call(RpcMessages.RPC_VERSION, 5));
            for (TcpCaller each : List.of(large, empty, nothing, reply, ended)) {
                assertThat(each.isClosedByServer()).isTrue();
            }
            try (TcpCaller good = caller()) {
                assertThat(outcome(good, PROGRAM, 4, 0)).isEqualTo("done");
            }
        }
    }

    @Test
    void shouldCloseTheOldestConnectionWhereThereAreTooMany() throws Exception {
        List<TcpCaller> all = new ArrayList<>();
        try {
            for (int i = 0; i < ContextListener.MOST_CONNECTIONS; i++) {
                all.add(caller());
                assertThat(outcome(all.get(i), PROGRAM, 4, 0)).isEqualTo("done");
            }
            all.add(caller());
            assertThat(outcome(all.get(all.size() - 1), PROGRAM, 4, 0)).isEqualTo("done");
            assertThat(all.get(0).isClosedByServer()).isTrue();
            assertThat(outcome(all.get(1), PROGRAM, 4, 0)).isEqualTo("done");
        } finally {
            all.forEach(TcpCaller::close);
        }
    }

    @Test
    void shouldCloseAConnectionThatBringsNothing() throws Exception {
        try (TcpCaller slow = caller()) {
            slow.mark(100, true);
            assertThat(slow.isClosedByServer()).isTrue();
        }
    }

    @Test
    void shouldTakeNoConnectionOfAPeerThatIsNotAdmitted() throws Exception {
        admits = false;
        try (TcpCaller caller = caller()) {
            assertThat(caller.isClosedByServer()).isTrue();
        }
    }

    @Test
    void shouldWaitForItsThreadThoughInterrupted() throws Exception {
        try (TcpCaller caller = caller()) {
            caller.send(call(RpcMessages.RPC_VERSION, 7));
            reached.await();
            Thread closing = new Thread(() -> {
                Thread.currentThread().interrupt();
                listener.close();
            });
            closing.start();
            while (closing.getState() != Thread.State.TIMED_WAITING && closing.getState() != Thread.State.TERMINATED) {
                Thread.onSpinWait();
            }
            assertThat(closing.isAlive()).isTrue();
            goOn.countDown();
            closing.join();
            assertThat(caller.isClosedByServer()).isTrue();
        }
    }

    @Test
    void shouldFreeThePort() throws Exception {
        InetSocketAddress at = listener.localAddress();
        try (TcpCaller caller = caller()) {
            assertThat(outcome(caller, PROGRAM, 4, 0)).isEqualTo("done");
            assertThatThrownBy(() -> new ContextListener(at, new Many(), new SystemRuntime()))
                    .isInstanceOf(BindException.class);
            listener.close();
            assertThat(caller.isClosedByServer()).isTrue();
        }
        listener = new ContextListener(at, new Many(), new SystemRuntime());
    }
}
