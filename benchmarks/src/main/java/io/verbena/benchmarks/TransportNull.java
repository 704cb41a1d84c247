package io.verbena.benchmarks;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpc.RpcTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** NULL calls through the whole transport in both directions: RPC header, framing, credits, verbs, provider. */
final class TransportNull extends Calls {
    private static final int PROGRAM = 0x20000099;

    private final RpcListener listener;
    private final RpcConnection connection;

    private TransportNull(RpcListener listener, RpcConnection connection, int outstanding) {
        super(
                "RPC NULL",
                outstanding,
                (lane, number) ->
                        connection.call(new RpcCall(PROGRAM, 1, 0, Credential.none()), results -> Boolean.TRUE));
        this.listener = listener;
        this.connection = connection;
    }

    static TransportNull of(RpcTransport transport, int outstanding) throws IOException {
        RpcListener listener = transport.listen(
                ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), new NullProgram());
        return new TransportNull(listener, transport.connect(ConnectOptions.to(listener.localAddress())), outstanding);
    }

    @Override
    public void close() {
        connection.close();
        listener.close();
    }

    private static final class NullProgram implements RpcProgram {
        @Override
        public int program() {
            return PROGRAM;
        }

        @Override
        public int lowVersion() {
            return 1;
        }

        @Override
        public int highVersion() {
            return 1;
        }

        @Override
        public void handle(RpcRequest request) {
            request.reply();
        }
    }
}
