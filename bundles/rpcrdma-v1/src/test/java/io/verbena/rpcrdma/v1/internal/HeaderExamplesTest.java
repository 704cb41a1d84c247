package io.verbena.rpcrdma.v1.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.Segments;
import io.verbena.rpcrdma.TransportHeader;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The examples of encoded chunk lists in the specification (RFC 8166 section 4.7), word for word. */
class HeaderExamplesTest {
    private static final String FIXED_FIELDS = "0x1d00f1e5 1 32 0 "; // rdma_xid, rdma_vers, rdma_credit, RDMA_MSG

    private final VersionOneFraming framing = new VersionOneFraming();
    private final TransportHeader header =
            new TransportHeader().xid(0x1d00f1e5).credits(32).type(MessageType.MSG);

    @Test
    @Proves("V1-5.6-1")
    @DisplayName("a Read chunk is 1 PHLOO 1 PHLOO 1 PHLOO 0, P the same in each segment")
    void shouldPictureReadChunk() throws HeaderException {
        Segments.add(header.readList(), 180, 1);
        Segments.add(header.readList(), 180, 2);
        Segments.add(header.readList(), 180, 3);

        assertPicture("1 PHLOO 1 PHLOO 1 PHLOO 0" + " 0 0", 180, 180, 180);
    }

    @Test
    @Proves("V1-5.6-1")
    @DisplayName("the Read list looks like a Read chunk whose P values vary")
    void shouldPictureReadList() throws HeaderException {
        Segments.add(header.readList(), 0, 1);
        Segments.add(header.readList(), 180, 2);
        Segments.add(header.readList(), 0xfffffffc, 3);

        assertPicture("1 PHLOO 1 PHLOO 1 PHLOO 0" + " 0 0", 0, 180, 0xfffffffc);
    }

    @Test
    @Proves("V1-5.6-1")
    @DisplayName("a Write chunk of three segments is 3 HLOO HLOO HLOO")
    void shouldPictureWriteChunk() throws HeaderException {
        Segments.add(header.writeList().add(), 1, 2, 3);

        assertPicture("0 " + "1 3 HLOO HLOO HLOO 0" + " 0");
    }

    @Test
    @Proves("V1-5.6-1")
    @DisplayName("a Write list of chunks of three and two segments is 1 3 HLOO HLOO HLOO 1 2 HLOO HLOO 0")
    void shouldPictureWriteList() throws HeaderException {
        Segments.add(header.writeList().add(), 1, 2, 3);
        Segments.add(header.writeList().add(), 4, 5);

        assertPicture("0 " + "1 3 HLOO HLOO HLOO 1 2 HLOO HLOO 0" + " 0");
    }

    @Test
    @Proves("V1-5.6-1")
    @DisplayName("a Reply chunk of two segments is 1 2 HLOO HLOO")
    void shouldPictureReplyChunk() throws HeaderException {
        Segments.add(header.hasReplyChunk(true).replyChunk(), 1, 2);

        assertPicture("0 0 " + "1 2 HLOO HLOO");
    }

    @Test
    @Proves("V1-5.6-1")
    @DisplayName("without chunks three zero words follow the four fixed fields")
    void shouldPictureHeaderWithoutChunks() throws HeaderException {
        assertPicture("0 0 0");
    }

    private void assertPicture(String chunkLists, int... positions) throws HeaderException {
        byte[] expected = Segments.words(FIXED_FIELDS + chunkLists, positions);

        assertThat(framing.encodedLength(header)).isEqualTo(expected.length);
        assertThat(encoded(header)).isEqualTo(expected);

        TransportHeader decoded = new TransportHeader();
        assertThat(framing.decode(ByteBuffer.wrap(expected), 0, expected.length, decoded))
                .isEqualTo(expected.length);
        assertThat(encoded(decoded)).isEqualTo(expected);
    }

    private byte[] encoded(TransportHeader from) {
        byte[] octets = new byte[framing.encodedLength(from)];
        assertThat(framing.encode(from, ByteBuffer.wrap(octets), 0)).isEqualTo(octets.length);
        return octets;
    }
}
