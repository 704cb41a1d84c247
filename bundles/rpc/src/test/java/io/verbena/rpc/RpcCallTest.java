package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RpcCallTest {
    @Test
    void shouldWriteTheHeaderAtItsOffsets() {
        RpcCall call = new RpcCall(100003, 4, 1, Credential.none());
        call.setXid(0xcafe);
        call.arguments().putInt(42);

        ByteBuffer octets = ByteBuffer.wrap(call.message().toByteArray());
        assertThat(octets.limit()).isEqualTo(44);
        assertThat(octets.getInt(0)).as("xid").isEqualTo(0xcafe);
        assertThat(octets.getInt(4)).as("CALL").isZero();
        assertThat(octets.getInt(8)).as("RPC version").isEqualTo(2);
        assertThat(octets.getInt(12)).as("program").isEqualTo(100003);
        assertThat(octets.getInt(16)).as("version").isEqualTo(4);
        assertThat(octets.getInt(20)).as("procedure").isEqualTo(1);
        assertThat(octets.getInt(24)).as("credential's flavor").isZero();
        assertThat(octets.getInt(28)).as("credential's length").isZero();
        assertThat(octets.getInt(32)).as("verifier's flavor").isZero();
        assertThat(octets.getInt(36)).as("verifier's length").isZero();
        assertThat(octets.getInt(40)).as("arguments").isEqualTo(42);
        assertThat(call.procedure()).isEqualTo(1);
    }

    @Test
    void shouldResetTheWriterThatItReuses() {
        XdrWriter writer = new XdrWriter();
        writer.putInt(1).putData(ByteBuffer.allocate(8));

        RpcCall call = new RpcCall(writer, 1, 2, 3, Credential.none());

        assertThat(call.message()).isSameAs(writer);
        assertThat(writer.position()).isEqualTo(40);
        assertThat(writer.items()).isEmpty();
    }

    @Test
    void shouldKeepSinksInOrder() {
        ByteBuffer first = ByteBuffer.allocate(1);
        ByteBuffer second = ByteBuffer.allocate(1);

        RpcCall call = new RpcCall(1, 2, 3, Credential.none()).expectData(first).expectData(second);

        assertThat(call.resultSinks()).hasSize(2);
        assertThat(call.resultSinks().get(0)).isSameAs(first);
        assertThat(call.resultSinks().get(1)).isSameAs(second);
        assertThatThrownBy(() -> call.resultSinks().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void shouldHaveDefaults() {
        RpcCall call = new RpcCall(1, 2, 3, Credential.none());

        assertThat(call.maxReplySize()).isEqualTo(512);
        assertThat(call.timeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(call.maxReplySize(9).timeout(Duration.ofMillis(5)).maxReplySize())
                .isEqualTo(9);
        assertThat(call.timeout()).isEqualTo(Duration.ofMillis(5));
    }

    @Test
    void shouldHaveDefaultOptions() {
        InetSocketAddress address = new InetSocketAddress(0);

        assertThat(ConnectOptions.to(address).maxOutstanding()).isEqualTo(64);
        assertThat(ConnectOptions.to(address).transport()).isEmpty();
        assertThat(ListenOptions.on(address).credits()).isEqualTo(64);
        assertThat(ListenOptions.on(address).maxCallSize()).isEqualTo(2 * 1024 * 1024);
    }
}
