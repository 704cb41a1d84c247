package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** A responder, of either version and over either kind of fabric, and a client that the test plays. */
@ParameterizedClass
@CsvSource({"ONE, false", "TWO, false", "ONE, true", "TWO, true"})
abstract class ResponderFixture {
    static final int CREDITS = 5;
    static final int MAX_CALL = 100_000;
    static final int XID = 0x1234;

    final Version version;
    final MemoryFabric fabric;
    final RdmaRpcTransport transport;
    final Handler program = new Handler();
    RpcListener listener;
    RawPeer client;

    /** Answers as a test says, or leaves requests for the test to answer. */
    static final class Handler implements RpcProgram {
        final BlockingQueue<RpcRequest> requests = new LinkedBlockingQueue<>();
        RpcProgram behaviour = new EchoProgram();

        @Override
        public int program() {
            return EchoProgram.PROGRAM;
        }

        @Override
        public int lowVersion() {
            return EchoProgram.VERSION;
        }

        @Override
        public int highVersion() {
            return EchoProgram.VERSION + 1;
        }

        @Override
        public void handle(RpcRequest request) throws Exception {
            if (behaviour == null) {
                requests.add(request);
            } else {
                behaviour.handle(request);
            }
        }

        RpcRequest next() throws InterruptedException {
            RpcRequest request = requests.poll(10, TimeUnit.SECONDS);
            if (request == null) {
                throw new AssertionError("no request came");
            }
            return request;
        }
    }

    /** In Version One with an end that knows no other. */
    ResponderFixture(Version version, boolean device) {
        this.version = version;
        fabric = device ? MemoryFabric.ofDevices() : new MemoryFabric();
        transport = version == Version.ONE
                ? TransportPair.transport(TransportLimits.DEFAULT, fabric)
                : TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);
    }

    @BeforeEach
    void connect() throws Exception {
        connect(RawPeer.NO_PRIVATE_DATA, Map.of());
    }

    void connect(byte[] privateData, Map<String, String> options) throws Exception {
        listener = transport.listen(new ListenOptions(MemoryFabric.address(0), CREDITS, 3, MAX_CALL, options), program);
        client = RawPeer.connect(fabric, listener.localAddress(), privateData);
    }

    @AfterEach
    void close() {
        transport.close();
        fabric.awaitAllEnded();
    }

    static Wire call(int procedure) {
        return new Wire().call(XID, EchoProgram.PROGRAM, EchoProgram.VERSION, procedure);
    }

    Wire replyHead() {
        return version.reply(XID, CREDITS, Wire.MSG).words(0, 0, 0);
    }

    ByteBuffer errChunk() {
        return version.badHeader(XID, CREDITS);
    }

    void expect(ByteBuffer reply) throws InterruptedException {
        assertThat(client.next().octets()).isEqualTo(reply);
    }

    MemoryRegion expose(byte[] data) throws Exception {
        return client.rdma().register(RawPeer.direct(ByteBuffer.wrap(data)), Access.REMOTE_READ);
    }

    MemoryRegion offer(ByteBuffer memory) throws Exception {
        return client.rdma().register(memory, Access.REMOTE_WRITE);
    }

    /** The connection still carries calls. */
    void expectAlive() throws Exception {
        client.send(version.nullCall(0x99, 4));
        expect(version.nullReply(0x99, CREDITS));
    }

    static byte[] bytes(Wire wire) {
        ByteBuffer done = wire.done();
        byte[] all = new byte[done.remaining()];
        done.get(all);
        return all;
    }
}
