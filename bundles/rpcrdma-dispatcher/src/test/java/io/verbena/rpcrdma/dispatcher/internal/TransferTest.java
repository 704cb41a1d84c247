package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Our two roles against each other: every way that a call and a reply can travel. */
final class TransferTest {
    private final MemoryFabric fabric = new MemoryFabric();
    private final EchoProgram program = new EchoProgram();
    private RdmaRpcTransport transport;
    private RpcListener listener;
    private RpcConnection connection;

    @BeforeEach
    void connect() throws Exception {
        transport = new RdmaRpcTransport(fabric, List.of(new VersionOneFraming()), new PrivateDataNegotiator());
        listener = transport.listen(ListenOptions.on(MemoryFabric.address(0)), program);
        connection = transport.connect(ConnectOptions.to(listener.localAddress()));
    }

    @AfterEach
    void close() {
        transport.close();
        assertThat(fabric.open()).isEmpty();
    }

    private static RpcCall call(int procedure) {
        return new RpcCall(EchoProgram.PROGRAM, EchoProgram.VERSION, procedure, Credential.none());
    }

    @Test
    void shouldCarryNull() throws Exception {
        for (int i = 0; i < 1000; i++) {
            assertThat(connection.call(call(EchoProgram.NULL), in -> "done").get(10, TimeUnit.SECONDS))
                    .isEqualTo("done");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0,0",
        "1,1",
        "100,100",
        "100,3900",
        "100,4000",
        "100,65537",
        "100,1048576",
        "5000,0",
        "5000,7",
        "5000,100001"
    })
    void shouldCarryArgumentsAndResults(int streamLength, int dataLength) throws Exception {
        byte[] stream = EchoProgram.bytes(1, streamLength);
        byte[] data = EchoProgram.bytes(2, dataLength);
        ByteBuffer sink = ByteBuffer.allocateDirect(dataLength);
        RpcCall call = call(EchoProgram.ECHO);
        call.arguments().putInt(1).putOpaque(stream).putData(ByteBuffer.wrap(data));
        call.expectData(sink).maxReplySize(streamLength + 64);
        byte[] back = connection
                .call(call, in -> {
                    byte[] got = in.getOpaque(EchoProgram.MAX);
                    assertThat(in.getDataInto(sink)).isEqualTo(dataLength);
                    in.requireEnd();
                    return got;
                })
                .get(10, TimeUnit.SECONDS);
        assertThat(back).isEqualTo(stream);
        assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(data));
        fabric.open().forEach(end -> assertThat(end.remoteRegions()).isZero());
    }
}
