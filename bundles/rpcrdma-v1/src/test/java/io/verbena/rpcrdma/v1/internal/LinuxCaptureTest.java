package io.verbena.rpcrdma.v1.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.fuzzing.capture.IwarpSends;
import io.verbena.fuzzing.capture.IwarpSends.Sent;
import io.verbena.fuzzing.capture.TcpCapture;
import io.verbena.fuzzing.capture.TcpCapture.Flow;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.SegmentList;
import io.verbena.rpcrdma.TransportHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Real traffic between Linux's NFSv4.1 client and server over soft-iWARP: a mount, 300,000 octets written (the client
 * reads them back from its own cache), an unmount.
 */
class LinuxCaptureTest {
    private static final int NFS_RDMA_PORT = 20049;

    private static final int RPC_TYPE_OFFSET = 4;
    private static final int CALL = 0;
    private static final int REPLY = 1;

    private final VersionOneFraming framing = new VersionOneFraming();
    private List<Sent> calls;
    private List<Sent> replies;

    @BeforeEach
    void readCapture() {
        Map<Flow, byte[]> streams = TcpCapture.read(TcpCapture.LINUX_NFS41_OVER_SIW);
        assertThat(streams).as("one connection").hasSize(2);
        streams.forEach((flow, octets) -> {
            if (flow.destinationPort() == NFS_RDMA_PORT) {
                calls = IwarpSends.read(octets);
            } else {
                replies = IwarpSends.read(octets);
            }
        });
        assertThat(calls.size() + replies.size()).isEqualTo(52);
    }

    @Test
    @Proves({"V1-5-1", "V1-5.6-1"})
    @DisplayName("every header that Linux sent decodes, and encodes to the same octets again")
    void shouldDecodeAndEncodeEveryHeader() throws HeaderException {
        for (Sent sent : concat(calls, replies)) {
            TransportHeader header = new TransportHeader();
            int length = decode(sent, header);

            byte[] encoded = new byte[framing.encodedLength(header)];
            framing.encode(header, ByteBuffer.wrap(encoded), 0);

            assertThat(encoded).hasSize(length);
            assertThat(ByteBuffer.wrap(encoded)).isEqualTo(sent.message().slice(0, length));
            boolean inline = header.type() == MessageType.MSG;
            assertThat(sent.message().limit() > length)
                    .as("an RPC message follows")
                    .isEqualTo(inline);
        }
    }

    @Test
    @Proves("V1-5.1.1-1")
    @DisplayName("the RPC message stands right behind the header: its XID is the header's")
    void shouldFindTheMessageBehindTheHeader() throws HeaderException {
        assertThat(checkInlineMessages(calls, CALL)).isEqualTo(26);
        assertThat(checkInlineMessages(replies, REPLY)).isEqualTo(22);
    }

    private int checkInlineMessages(List<Sent> sends, int rpcType) throws HeaderException {
        int inline = 0;
        for (Sent sent : sends) {
            TransportHeader header = new TransportHeader();
            int length = decode(sent, header);
            if (header.type() == MessageType.MSG) {
                assertThat(sent.message().getInt(length)).isEqualTo(header.xid());
                assertThat(sent.message().getInt(length + RPC_TYPE_OFFSET)).isEqualTo(rpcType);
                inline++;
            }
        }
        return inline;
    }

    @Test
    void shouldSeeCallsAskFor128Credits() throws HeaderException {
        assertThat(calls).hasSize(26);
        for (TransportHeader call : decodeAll(calls)) {
            assertThat(call.type()).isEqualTo(MessageType.MSG);
            assertThat(call.credits()).isEqualTo(128);
        }
    }

    @Test
    void shouldSeeRepliesGrant64Credits() throws HeaderException {
        List<TransportHeader> headers = decodeAll(replies);

        assertThat(headers).filteredOn(reply -> reply.type() == MessageType.MSG).hasSize(22);
        assertThat(headers)
                .filteredOn(reply -> reply.type() == MessageType.NOMSG)
                .hasSize(4);
        assertThat(headers).hasSize(26).allSatisfy(reply -> assertThat(reply.credits())
                .isEqualTo(64));
    }

    @Test
    void shouldFindEachWritesDataAtPosition180() throws HeaderException {
        List<TransportHeader> writes = decodeAll(calls).stream()
                .filter(call -> call.readList().size() > 0)
                .toList();

        assertThat(writes).hasSize(3).allSatisfy(write -> {
            assertThat(write.readList().size()).isEqualTo(1);
            assertThat(write.readList().position(0)).isEqualTo(180);
        });
        assertThat(writes.stream()
                        .mapToLong(write -> write.readList().length(0))
                        .sum())
                .isEqualTo(300_000);
    }

    @Test
    @Proves("V1-4.4.5-3")
    @DisplayName("Reply chunks come back with their segments, handles and offsets, and the lengths written")
    void shouldSeeReplyChunksReturned() throws HeaderException {
        Map<Integer, TransportHeader> offered = byXid(decodeAll(calls));
        List<TransportHeader> longReplies = decodeAll(replies).stream()
                .filter(reply -> reply.type() == MessageType.NOMSG)
                .toList();

        assertThat(longReplies).hasSize(4).allSatisfy(reply -> {
            assertThat(reply.hasReplyChunk()).isTrue();
            SegmentList ours = offered.get(reply.xid()).replyChunk();
            SegmentList returned = reply.replyChunk();
            assertThat(returned.size()).isEqualTo(ours.size()).isEqualTo(1);
            assertThat(returned.handle(0)).isEqualTo(ours.handle(0));
            assertThat(returned.offset(0)).isEqualTo(ours.offset(0));
            assertThat(returned.length(0)).isPositive().isLessThanOrEqualTo(ours.length(0));
        });
    }

    @Test
    void shouldSeeInvalidationsOfTheCallsOwnHandlesOnly() throws HeaderException {
        Map<Integer, TransportHeader> offered = byXid(decodeAll(calls));
        int invalidations = 0;
        for (Sent reply : replies) {
            if (reply.invalidated() != null) {
                TransportHeader header = new TransportHeader();
                decode(reply, header);
                assertThat(handle(offered.get(header.xid()))).isEqualTo(reply.invalidated());
                invalidations++;
            }
        }
        assertThat(invalidations).isEqualTo(7);
        assertThat(calls).allSatisfy(call -> assertThat(call.invalidated()).isNull());
    }

    /** The only handle in a call's chunks. The client read nothing that needs a Write list. */
    private static int handle(TransportHeader call) {
        if (call.readList().size() > 0) {
            return call.readList().handle(0);
        }
        return call.writeList().size() > 0
                ? call.writeList().chunk(0).handle(0)
                : call.replyChunk().handle(0);
    }

    private static Map<Integer, TransportHeader> byXid(List<TransportHeader> headers) {
        Map<Integer, TransportHeader> map = new HashMap<>();
        headers.forEach(header -> assertThat(map.put(header.xid(), header)).isNull());
        return map;
    }

    private List<TransportHeader> decodeAll(List<Sent> sends) throws HeaderException {
        List<TransportHeader> headers = new ArrayList<>();
        for (Sent sent : sends) {
            TransportHeader header = new TransportHeader();
            decode(sent, header);
            headers.add(header);
        }
        return headers;
    }

    private int decode(Sent sent, TransportHeader header) throws HeaderException {
        return framing.decode(sent.message(), 0, sent.message().limit(), header);
    }

    private static List<Sent> concat(List<Sent> first, List<Sent> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
