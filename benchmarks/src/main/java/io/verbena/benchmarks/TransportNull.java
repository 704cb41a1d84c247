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
import java.time.Duration;

/** NULL calls through the whole transport in both directions: RPC header, framing, credits, verbs, provider. */
final class TransportNull implements Case {
    private static final int PROGRAM = 0x20000099;

    private final int outstanding;
    private final RpcListener listener;
    private final RpcConnection connection;
    private final Outstanding calls;

    TransportNull(RpcTransport transport, int outstanding) throws IOException {
        this.outstanding = outstanding;
        listener = transport.listen(
                ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), new NullProgram());
        connection = transport.connect(ConnectOptions.to(listener.localAddress()));
        calls = new Outstanding((lane, number) ->
                connection.call(new RpcCall(PROGRAM, 1, 0, Credential.none()), results -> Boolean.TRUE));
    }

    @Override
    public String name() {
        return "RPC NULL, " + outstanding + " outstanding";
    }

    @Override
    public boolean inOctets() {
        return false;
    }

    @Override
    public double run(Duration time) {
        return calls.run(outstanding, time);
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
