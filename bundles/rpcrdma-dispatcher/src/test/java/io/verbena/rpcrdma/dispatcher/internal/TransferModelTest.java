package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which end moves data, and which end's memory is open (RFC 8166 section 3.1, the Read-Write model). */
final class TransferModelTest {
    private final MemoryFabric fabric = new MemoryFabric();

    @ParameterizedTest
    @CsvSource({
        "1, 100, 0, 0", // inline
        "1, 100, 100000, 2", // a Read chunk and a Write chunk
        "1, 6000, 0, 2", // a Position Zero Read chunk and a Reply chunk
        "1, 6000, 100000, 4", // all of them
        "2, 100, 0, 0",
        "2, 100, 100000, 2",
        "2, 6000, 0, 2",
        "2, 6000, 100000, 4",
    })
    @Proves("V1-4.1-1")
    @DisplayName(
            "whatever a forward call carries, its sender posts no RDMA Read or Write, and its receiver opens nothing")
    void shouldLeaveTheTransferToTheResponder(String version, int stream, int data, int chunks) throws Exception {
        try (TransportPair rig = new TransportPair(fabric)) {
            RpcListener listener = rig.listen(new EchoProgram());
            RpcConnection connection = rig.connect(listener, 64, Map.of("rpcrdma", version));
            MemoryConnection client = fabric.endTo(listener.localAddress());
            MemoryConnection server = fabric.endTo(client.localAddress());
            CompletableFuture<String> first = connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
            assertThat(client.rdmaPosts()).isZero(); // posts are made by the thread that calls
            assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(server.rdmaPosts()).isZero();

            CompletableFuture<Void> echo = echo(connection, server, stream, data);
            assertThat(client.rdmaPosts()).isZero();
            echo.get(10, TimeUnit.SECONDS);
            assertThat(client.rdmaPosts()).isZero();
            assertThat(server.rdmaPosts()).isEqualTo(chunks);
        }
    }

    private static CompletableFuture<Void> echo(
            RpcConnection connection, MemoryConnection server, int stream, int data) {
        ByteBuffer sink = ByteBuffer.allocateDirect(data);
        RpcCall call = TransportPair.call(EchoProgram.ECHO).maxReplySize(stream + 64);
        call.arguments()
                .putInt(1)
                .putOpaque(EchoProgram.bytes(1, stream))
                .putData(ByteBuffer.wrap(EchoProgram.bytes(2, data)));
        call.expectData(sink);
        return connection.call(call, in -> {
            assertThat(server.remoteRegions()).isZero();
            assertThat(in.getOpaque(EchoProgram.MAX)).isEqualTo(EchoProgram.bytes(1, stream));
            assertThat(in.getDataInto(sink)).isEqualTo(data);
            return null;
        });
    }
}
