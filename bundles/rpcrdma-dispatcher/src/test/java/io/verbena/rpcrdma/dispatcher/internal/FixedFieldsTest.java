package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.FixedFields;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a receiver finds where it does not know the version yet. */
final class FixedFieldsTest {
    private static final int AT = 8; // not at the buffer's beginning

    static Stream<Arguments> headers() {
        return Stream.of(new VersionOneFraming(), new VersionTwoFraming())
                .flatMap(framing -> Stream.of(
                        Arguments.of(framing, MessageType.MSG, 0),
                        Arguments.of(framing, MessageType.NOMSG, 1),
                        Arguments.of(framing, MessageType.ERROR, 4)));
    }

    @ParameterizedTest
    @MethodSource("headers")
    @Proves("V1-9.1-1")
    @DisplayName("XID, version, credits and procedure stand at 0, 4, 8 and 12 in either version")
    void shouldStandAtTheSameOffsets(Framing framing, MessageType type, int procedure) throws Exception {
        TransportHeader header = new TransportHeader();
        header.xid(0x01020304).credits(0x05060708).type(type).direction(Direction.CALL);
        header.error(HeaderError.BAD_HEADER);
        ByteBuffer message = ByteBuffer.allocate(100);
        int length = framing.encode(header, message, AT);
        assertThat(message.getInt(AT)).as("rdma_xid").isEqualTo(0x01020304);
        assertThat(message.getInt(AT + 4)).as("rdma_vers").isEqualTo(framing.version());
        assertThat(message.getInt(AT + 8)).as("rdma_credit").isEqualTo(0x05060708);
        assertThat(message.getInt(AT + 12)).as("rdma_proc").isEqualTo(procedure);

        assertThat(FixedFields.xid(message, AT)).isEqualTo(0x01020304);
        assertThat(FixedFields.version(message, AT)).isEqualTo(framing.version());
        assertThat(FixedFields.credits(message, AT)).isEqualTo(0x05060708);
        assertThat(FixedFields.procedure(message, AT)).isEqualTo(procedure);

        TransportHeader decoded = new TransportHeader();
        framing.decode(message, AT, length, decoded);
        assertThat(decoded.xid()).isEqualTo(0x01020304);
        assertThat(decoded.credits()).isEqualTo(0x05060708);
        assertThat(decoded.type()).isEqualTo(type);
    }
}
