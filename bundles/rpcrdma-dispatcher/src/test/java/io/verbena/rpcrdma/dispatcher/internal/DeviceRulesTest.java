package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What devices are particular about: who may invalidate, what private data looks like, when memory may be opened. */
final class DeviceRulesTest {
    private static final int REMOTE_INVALIDATION = 1;

    private static RpcCall echo(ByteBuffer data, ByteBuffer sink) {
        RpcCall call = TransportPair.call(EchoProgram.ECHO);
        call.arguments().putInt(1).putOpaque(new byte[0]).putData(data);
        return call.expectData(sink);
    }

    private static void bringBack(RpcConnection connection) throws Exception {
        byte[] octets = EchoProgram.bytes(3, 50_000);
        ByteBuffer sink = ByteBuffer.allocate(octets.length);
        assertThat(connection
                        .call(echo(ByteBuffer.wrap(octets), sink), in -> {
                            in.getOpaque(1);
                            return in.getDataInto(sink);
                        })
                        .get(20, TimeUnit.SECONDS))
                .isEqualTo(octets.length);
        assertThat(sink.array()).isEqualTo(octets);
    }

    @ParameterizedTest
    @CsvSource({"true, on", "false, off"})
    @Proves({"CM-4.1-1", "CM-4.1-2"})
    @DisplayName("remote invalidation is offered, and used, only where the provider's connections can")
    void shouldOfferRemoteInvalidationWhereItWorks(boolean able, String settled) throws Exception {
        MemoryFabric fabric = able ? new MemoryFabric() : new MemoryFabric().withoutRemoteInvalidation();
        try (TransportPair rig = new TransportPair(fabric)) {
            RpcConnection connection = rig.connect(rig.listen(new EchoProgram()));
            bringBack(connection);
            assertThat(connection.settings()).containsEntry("remoteInvalidation", settled);
            assertThat(rig.clientCount(Counter.RECONNECTS)).isZero();
            rig.assertFenced();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 1", "false, 0"})
    @Proves("CM-4.1-1")
    @DisplayName("the R flag tells whether the provider's connections can invalidate remotely, on either end")
    void shouldTellInPrivateData(boolean able, int flag) throws Exception {
        MemoryFabric fabric = able ? new MemoryFabric() : new MemoryFabric().withoutRemoteInvalidation();
        byte[] able4k = new PrivateDataNegotiator().privateData(new LocalSettings(4096, 4096, true));
        try (TransportPair rig = new TransportPair(fabric)) {
            RawPeer.Listener listener = new RawPeer.Listener(fabric, able4k);
            RpcConnection connection = rig.client.connect(
                    TransportPair.options(listener.address(), 4, io.verbena.rpc.ConnectionObserver.NONE, Map.of()));
            assertThat(fabric.lastRequest()[5] & REMOTE_INVALIDATION).isEqualTo(flag);
            assertThat(connection.settings()).containsEntry("remoteInvalidation", able ? "on" : "off");
            RpcListener tested = rig.listen(new EchoProgram());
            RawPeer.connect(fabric, tested.localAddress(), able4k);
            assertThat(fabric.lastAnswer()[5] & REMOTE_INVALIDATION).isEqualTo(flag);
            listener.close();
        }
    }

    @Test
    @Proves({"CM-5.2-1", "CM-4.2-2"})
    @DisplayName("zeros behind the private data change nothing of what is settled")
    void shouldSettleWithZerosBehindThePrivateData() throws Exception {
        MemoryFabric fabric = MemoryFabric.ofDevices();
        try (TransportPair rig = new TransportPair(fabric)) {
            RpcConnection connection = rig.connect(
                    rig.listen(new EchoProgram(), 8, Map.of("inline", "8192")),
                    8,
                    Map.of("inline", "16384", "rpcrdma", "1"));
            assertThat(fabric.lastRequest()).hasSize(MemoryFabric.REQUEST_FIELD);
            assertThat(fabric.lastAnswer()).hasSize(MemoryFabric.REPLY_FIELD);
            assertThat(connection.settings())
                    .containsEntry("callThreshold", "8192")
                    .containsEntry("replyThreshold", "8192")
                    .containsEntry("remoteInvalidation", "on");
            bringBack(connection);
        }
    }

    @Test
    @DisplayName("what comes before accept has returned is answered, and no memory is opened before")
    void shouldOpenNoMemoryBeforeAcceptReturns() throws Exception {
        MemoryFabric fabric = MemoryFabric.ofDevices();
        CallingProgram program = new CallingProgram();
        ByteBuffer sink = ByteBuffer.allocateDirect(9000);
        try (TransportPair rig = new TransportPair(fabric)) {
            RpcListener listener =
                    rig.server.listen(new ListenOptions(MemoryFabric.address(0), 4, 3, 1 << 20, Map.of()), program);
            CompletableFuture<CompletableFuture<String>> early = new CompletableFuture<>();
            RawPeer client = RawPeer.connecting(fabric, listener.localAddress());
            fabric.duringAccept(() -> {
                try {
                    client.send(Version.ONE.nullCall(7, 4));
                    RpcRequest request = program.next();
                    RpcPeer peer = request.peer();
                    early.complete(
                            peer.call(TransportPair.call(EchoProgram.NULL).expectData(sink), in -> "back"));
                    request.reply();
                    assertThat(client.next().xid()).isEqualTo(7);
                } catch (Exception e) {
                    early.completeExceptionally(e);
                }
            });
            client.connect(RawPeer.NO_PRIVATE_DATA);
            CompletableFuture<String> back = early.get(10, TimeUnit.SECONDS);
            RawPeer.Message call = client.next();
            assertThat(call.chunks().onlySink().length()).isEqualTo(9000);
            client.send(Version.ONE
                    .reply(call.xid(), 2, Wire.MSG)
                    .words(0, 1, 1)
                    .segment(call.chunks().onlySink(), 0)
                    .words(0, 0)
                    .accepted(call.xid())
                    .done());
            assertThat(back.get(10, TimeUnit.SECONDS)).isEqualTo("back");
        }
    }
}
