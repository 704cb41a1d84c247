package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** An accepting end that calls (RFC 8167), and a client that the test plays. */
abstract class ReverseRequesterFixture {
    static final int CREDITS = 5;
    static final int XID = 0x1234;

    final MemoryFabric fabric = new MemoryFabric();
    final RdmaRpcTransport transport = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);
    final CallingProgram program = new CallingProgram();
    Version version = Version.ONE;
    RpcListener listener;
    RawPeer client;
    RpcPeer peer;

    void connect(Version spoken) throws Exception {
        connect(spoken, RawPeer.NO_PRIVATE_DATA, Map.of());
    }

    void connect(Version spoken, byte[] privateData, Map<String, String> options) throws Exception {
        version = spoken;
        listener = transport.listen(new ListenOptions(MemoryFabric.address(0), CREDITS, 3, 100_000, options), program);
        connectClient(privateData);
    }

    /** Connects, and has the program know its peer. */
    void connectClient(byte[] privateData) throws Exception {
        client = RawPeer.connect(fabric, listener.localAddress(), privateData);
        client.send(forwardCall(XID));
        RpcRequest request = program.next();
        request.reply();
        peer = request.peer();
        assertThat(client.next().xid()).isEqualTo(XID);
    }

    @AfterEach
    void close() {
        transport.close();
        fabric.awaitAllEnded();
    }

    ByteBuffer forwardCall(int xid) {
        return version.call(xid, 4, Wire.MSG)
                .words(0, 0, 0)
                .call(xid, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.NULL)
                .done();
    }

    ByteBuffer reply(int xid, int credits) {
        return version.reply(xid, credits, Wire.MSG)
                .words(0, 0, 0)
                .accepted(xid)
                .done();
    }

    CompletableFuture<String> callBack() {
        return peer.call(TransportPair.call(EchoProgram.NULL), in -> "back");
    }

    void awaitBack(CompletableFuture<String> call) throws Exception {
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("back");
    }

    static Throwable failureOf(CompletableFuture<?> call) throws Exception {
        try {
            call.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return e.getCause();
        }
        throw new AssertionError("the call did not fail");
    }

    /** Has the client answer a first reverse call, so that further ones may be in flight. */
    void grant(int credits) throws Exception {
        CompletableFuture<String> first = callBack();
        client.send(reply(client.next().xid(), credits));
        awaitBack(first);
    }

    /** The forward direction is in order. */
    void expectForward() throws Exception {
        client.send(forwardCall(0x99));
        program.next().reply();
        assertThat(client.next().octets()).isEqualTo(reply(0x99, CREDITS));
    }

    long count(Counter counter) {
        return TransportPair.count(transport, counter.label());
    }
}
