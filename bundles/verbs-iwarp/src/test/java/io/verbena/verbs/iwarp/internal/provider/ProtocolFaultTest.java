package io.verbena.verbs.iwarp.internal.provider;

import static io.verbena.verbs.iwarp.internal.provider.RawPeer.readRequest;
import static io.verbena.verbs.iwarp.internal.provider.RawPeer.tagged;
import static io.verbena.verbs.iwarp.internal.provider.RawPeer.untagged;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A breach of the protocol is answered by the proper Terminate, and the handler gets the cause. */
class ProtocolFaultTest extends RawPeerFixture {
    private static final int SEND = 3;
    private static final int SEND_INVALIDATE = 4;
    private static final byte[] DATA = {1, 2, 3, 4, 5, 6, 7, 8};

    /** Sends a ULPDU and expects a Terminate with these control octets and the ULPDU's DDP header. */
    private void assertTerminates(RawPeer peer, byte[] ulpdu, String control, int headerLength, RdmaException.Kind kind)
            throws Exception {
        peer.sendFpdu(ulpdu);
        peer.expectTerminate(control
                + RawPeer.HEX.formatHex(new byte[] {(byte) (ulpdu.length >> 8), (byte) ulpdu.length})
                + RawPeer.HEX.formatHex(ulpdu, 0, headerLength));
        assertTold(kind);
    }

    private void assertTold(RdmaException.Kind kind) {
        assertThat(server.awaitDisconnected()).isNotNull();
        assertThat(server.awaitDisconnected().kind()).isEqualTo(kind);
        assertThat(server.connection().isConnected()).isFalse();
    }

    @Test
    void shouldTerminateOnInvalidSteeringTag() throws Exception {
        try (RawPeer peer = connect()) {
            assertTerminates(peer, tagged(0, true, 0x1234567, 0x99, DATA), "1100c000", 14, RdmaException.Kind.ACCESS);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 93, 100, 1L << 40, -(1L << 40)})
    void shouldTerminateOnWriteOutOfBounds(long offset) throws Exception {
        try (RawPeer peer = connect()) {
            ByteBuffer memory = ByteBuffer.allocateDirect(100);
            MemoryRegion region = register(memory, Access.REMOTE_WRITE);
            byte[] ulpdu = tagged(0, true, region.steeringTag(), region.remoteOffset() + offset, DATA);
            assertTerminates(peer, ulpdu, "1101c000", 14, RdmaException.Kind.ACCESS);
            for (int i = 0; i < 100; i++) {
                assertThat(memory.get(i)).isZero();
            }
        }
    }

    @Test
    void shouldTerminateOnTaggedOffsetThatWraps() throws Exception {
        try (RawPeer peer = connect()) {
            MemoryRegion region = register(ByteBuffer.allocateDirect(100), Access.REMOTE_WRITE);
            assertTerminates(
                    peer, tagged(0, true, region.steeringTag(), -4, DATA), "1103c000", 14, RdmaException.Kind.ACCESS);
        }
    }

    @Test
    void shouldTerminateOnWriteWithoutTheRight() throws Exception {
        try (RawPeer peer = connect()) {
            MemoryRegion region = register(ByteBuffer.allocateDirect(100), Access.REMOTE_READ);
            assertTerminates(
                    peer,
                    tagged(0, true, region.steeringTag(), region.remoteOffset(), DATA),
                    "0102c000",
                    14,
                    RdmaException.Kind.ACCESS);
        }
    }

    @Test
    void shouldTerminateOnReadOfInvalidSteeringTag() throws Exception {
        try (RawPeer peer = connect()) {
            assertTerminates(peer, readRequest(1, 7, 8, 10, 0x1234567, 0), "0100e000", 46, RdmaException.Kind.ACCESS);
        }
    }

    @Test
    void shouldTerminateOnReadOutOfBounds() throws Exception {
        try (RawPeer peer = connect()) {
            MemoryRegion region = register(ByteBuffer.allocateDirect(100), Access.REMOTE_READ);
            assertTerminates(
                    peer,
                    readRequest(1, 7, 8, 101, region.steeringTag(), region.remoteOffset()),
                    "0101e000",
                    46,
                    RdmaException.Kind.ACCESS);
        }
    }

    @Test
    void shouldTerminateOnReadOfFourGigabytes() throws Exception {
        try (RawPeer peer = connect()) {
            MemoryRegion region = register(ByteBuffer.allocateDirect(100), Access.REMOTE_READ);
            assertTerminates(
                    peer,
                    readRequest(1, 7, 8, -1, region.steeringTag(), region.remoteOffset()),
                    "0101e000",
                    46,
                    RdmaException.Kind.ACCESS);
        }
    }

    @Test
    void shouldTerminateOnReadThatWraps() throws Exception {
        try (RawPeer peer = connect()) {
            MemoryRegion region = register(ByteBuffer.allocateDirect(100), Access.REMOTE_READ);
            assertTerminates(
                    peer,
                    readRequest(1, 7, 8, 100, region.steeringTag(), -50),
                    "0104e000",
                    46,
                    RdmaException.Kind.ACCESS);
        }
    }

    @Test
    void shouldTerminateOnReadWithoutTheRight() throws Exception {
        try (RawPeer peer = connect()) {
            MemoryRegion region = register(ByteBuffer.allocateDirect(100), Access.REMOTE_WRITE);
            assertTerminates(
                    peer,
                    readRequest(1, 7, 8, 100, region.steeringTag(), region.remoteOffset()),
                    "0102e000",
                    46,
                    RdmaException.Kind.ACCESS);
        }
    }

    @Test
    void shouldTerminateOnMoreReadsThanOffered() throws Exception {
        try (RawPeer peer = connect()) {
            // without reading what comes back: two responses of 32 MiB do not fit into the sockets
            MemoryRegion region = register(ByteBuffer.allocateDirect(32 << 20), Access.REMOTE_READ);
            for (int i = 1; i <= 3; i++) {
                peer.sendFpdu(readRequest(i, 7, 8, 32 << 20, region.steeringTag(), region.remoteOffset()));
            }
            assertTold(RdmaException.Kind.PROTOCOL);
            assertThat(server.awaitDisconnected()).hasMessageContaining("more reads");
        }
    }

    @Test
    void shouldTerminateOnMessageWithoutReceive() throws Exception {
        try (RawPeer peer = connect()) {
            assertTerminates(peer, untagged(SEND, true, 0, 1, 0, DATA), "1202c000", 18, RdmaException.Kind.PROTOCOL);
        }
    }

    @Test
    void shouldTerminateOnMessageLongerThanItsReceive() throws Exception {
        try (RawPeer peer = connect()) {
            postReceive(7);
            assertTerminates(peer, untagged(SEND, true, 0, 1, 0, DATA), "1205c000", 18, RdmaException.Kind.PROTOCOL);
            assertThat(server.next().status()).isEqualTo(Completion.Status.LENGTH_ERROR);
        }
    }

    @Test
    void shouldTerminateOnSecondSegmentLongerThanItsReceive() throws Exception {
        try (RawPeer peer = connect()) {
            postReceive(15);
            peer.sendFpdu(untagged(SEND, false, 0, 1, 0, DATA));
            assertTerminates(peer, untagged(SEND, true, 0, 1, 8, DATA), "1205c000", 18, RdmaException.Kind.PROTOCOL);
            assertThat(server.next().status()).isEqualTo(Completion.Status.LENGTH_ERROR);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, -1})
    void shouldTerminateOnWrongSequenceNumber(int msn) throws Exception {
        try (RawPeer peer = connect()) {
            postReceive(100);
            assertTerminates(peer, untagged(SEND, true, 0, msn, 0, DATA), "1203c000", 18, RdmaException.Kind.PROTOCOL);
            assertThat(server.next().status()).isEqualTo(Completion.Status.FLUSHED);
        }
    }

    @Test
    void shouldTerminateOnWrongSequenceNumberOfARead() throws Exception {
        try (RawPeer peer = connect()) {
            assertTerminates(peer, readRequest(2, 7, 8, 0, 0, 0), "1203c000", 18, RdmaException.Kind.PROTOCOL);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, -1})
    void shouldTerminateOnWrongQueueNumber(int queue) throws Exception {
        try (RawPeer peer = connect()) {
            postReceive(100);
            assertTerminates(
                    peer, untagged(SEND, true, queue, 1, 0, DATA), "1201c000", 18, RdmaException.Kind.PROTOCOL);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, -8})
    void shouldTerminateOnWrongMessageOffset(int offset) throws Exception {
        try (RawPeer peer = connect()) {
            postReceive(100);
            assertTerminates(
                    peer, untagged(SEND, true, 0, 1, offset, DATA), "1204c000", 18, RdmaException.Kind.PROTOCOL);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 12, 15})
    void shouldTerminateOnUnknownOpcode(int opcode) throws Exception {
        try (RawPeer peer = connect()) {
            assertTerminates(peer, untagged(opcode, true, 0, 1, 0, DATA), "0206c000", 18, RdmaException.Kind.PROTOCOL);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 9})
    void shouldTerminateOnUntaggedOpcodeInTaggedSegment(int opcode) throws Exception {
        try (RawPeer peer = connect()) {
            assertTerminates(
                    peer, tagged(opcode, true, 0, 0, new byte[0]), "0206c000", 14, RdmaException.Kind.PROTOCOL);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void shouldTerminateOnTaggedOpcodeInUntaggedSegment(int opcode) throws Exception {
        try (RawPeer peer = connect()) {
            assertTerminates(peer, untagged(opcode, true, 0, 1, 0, DATA), "0206c000", 18, RdmaException.Kind.PROTOCOL);
        }
    }

    @Test
    void shouldTerminateOnWrongDdpVersionOfATaggedSegment() throws Exception {
        try (RawPeer peer = connect()) {
            byte[] ulpdu = tagged(0, true, 0, 0, new byte[0]);
            ulpdu[0] = (byte) 0xc2;
            assertTerminates(peer, ulpdu, "1104c000", 14, RdmaException.Kind.PROTOCOL);
        }
    }

    @Test
    void shouldTerminateOnWrongDdpVersionOfAnUntaggedSegment() throws Exception {
        try (RawPeer peer = connect()) {
            byte[] ulpdu = untagged(SEND, true, 0, 1, 0, DATA);
            ulpdu[0] = 0x40;
            assertTerminates(peer, ulpdu, "1206c000", 18, RdmaException.Kind.PROTOCOL);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0x03, 0x83, 0xc3})
    void shouldTerminateOnWrongRdmapVersion(int control) throws Exception {
        try (RawPeer peer = connect()) {
            byte[] ulpdu = untagged(SEND, true, 0, 1, 0, DATA);
            ulpdu[1] = (byte) control;
            assertTerminates(peer, ulpdu, "0205c000", 18, RdmaException.Kind.PROTOCOL);
        }
    }

    @Test
    void shouldTerminateOnBadCrc() throws Exception {
        try (RawPeer peer = connect()) {
            postReceive(100);
            byte[] fpdu = peer.fpdu(untagged(SEND, true, 0, 1, 0, DATA));
            fpdu[fpdu.length - 1] ^= 1;
            peer.send(fpdu);
            peer.expectTerminate("20020000");
            assertTold(RdmaException.Kind.PROTOCOL);
            assertThat(server.next().status()).isEqualTo(Completion.Status.FLUSHED);
        }
    }

    @Test
    void shouldTerminateOnBadCrcOfALargeFpdu() throws Exception {
        try (RawPeer peer = connect()) {
            MemoryRegion region = register(ByteBuffer.allocateDirect(65_000), Access.REMOTE_WRITE);
            byte[] fpdu = peer.fpdu(tagged(0, true, region.steeringTag(), region.remoteOffset(), new byte[65_000]));
            fpdu[40_000] ^= 1;
            peer.send(fpdu);
            peer.expectTerminate("20020000");
            assertTold(RdmaException.Kind.PROTOCOL);
        }
    }

    @Test
    void shouldBlameTheCrcWhereTheHeaderOfALargeFpduIsDamaged() throws Exception {
        try (RawPeer peer = connect()) {
            MemoryRegion region = register(ByteBuffer.allocateDirect(65_000), Access.REMOTE_WRITE);
            byte[] fpdu = peer.fpdu(tagged(0, true, region.steeringTag(), region.remoteOffset(), new byte[65_000]));
            fpdu[5] ^= 1;
            peer.send(fpdu);
            peer.expectTerminate("20020000");
            assertTold(RdmaException.Kind.PROTOCOL);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 13})
    void shouldTerminateOnUlpduShorterThanItsHeader(int length) throws Exception {
        try (RawPeer peer = connect()) {
            peer.sendFpdu(Arrays.copyOf(tagged(0, true, 0, 0, new byte[0]), length));
            peer.expectTerminate("20030000");
            assertTold(RdmaException.Kind.PROTOCOL);
        }
    }

    @Test
    void shouldTerminateOnReadResponseThatAnswersNothing() throws Exception {
        try (RawPeer peer = connect()) {
            assertTerminates(peer, tagged(2, true, 1, 0, DATA), "0206c000", 14, RdmaException.Kind.PROTOCOL);
        }
    }

    @Test
    void shouldTerminateOnReadRequestOfTheWrongLength() throws Exception {
        try (RawPeer peer = connect()) {
            assertTerminates(
                    peer, untagged(1, true, 1, 1, 0, new byte[29]), "1205c000", 18, RdmaException.Kind.PROTOCOL);
        }
    }

    @Test
    void shouldTerminateOnInvalidationOfAnInvalidTag() throws Exception {
        try (RawPeer peer = connect()) {
            postReceive(100);
            assertTerminates(
                    peer, untagged(SEND_INVALIDATE, true, 0, 1, 0, DATA), "0109c000", 18, RdmaException.Kind.ACCESS);
        }
    }

    @Test
    void shouldTellOfAPeerThatClosesInMidFpdu() throws Exception {
        try (RawPeer peer = connect()) {
            postReceive(100);
            peer.send(Arrays.copyOf(peer.fpdu(untagged(SEND, true, 0, 1, 0, DATA)), 20));
            peer.shutdownOutput();
            assertTold(RdmaException.Kind.DISCONNECTED);
            assertThat(server.next().status()).isEqualTo(Completion.Status.FLUSHED);
            peer.expectEnd();
        }
    }

    @Test
    void shouldTellOfATerminateOfThePeers() throws Exception {
        try (RawPeer peer = connect()) {
            peer.sendFpdu(untagged(7, true, 2, 1, 0, new byte[] {0x20, 0x02, 0, 0}));
            assertTold(RdmaException.Kind.PROTOCOL);
            assertThat(server.awaitDisconnected()).hasMessageContaining("layer 2, error type 0, code 0x02");
            peer.expectEnd();
        }
    }

    @Test
    void shouldEndAsThePeerEnds() throws Exception {
        try (RawPeer peer = connect()) {
            peer.shutdownOutput();
            assertThat(server.awaitDisconnected()).isNull();
            peer.expectEnd();
        }
    }

    @Test
    void shouldEndAPeerThatStallsInMemoryThatIsInvalidated() throws Exception {
        try (RawPeer peer = connect()) {
            ByteBuffer memory = ByteBuffer.allocateDirect(60_000);
            MemoryRegion region = register(memory, Access.REMOTE_WRITE);
            byte[] payload = new byte[60_000];
            Arrays.fill(payload, (byte) 1);
            byte[] ulpdu = tagged(0, true, region.steeringTag(), region.remoteOffset(), payload);
            byte[] fpdu = peer.fpdu(ulpdu);
            peer.send(Arrays.copyOf(fpdu, 30_000));
            while (memory.get(0) == 0) {
                Thread.onSpinWait();
            }
            region.invalidate();
            for (int i = 0; i < memory.limit(); i++) {
                memory.put(i, (byte) 0);
            }
            peer.send(Arrays.copyOfRange(fpdu, 30_000, fpdu.length));
            peer.expectTerminate("1100c000" + "ea6e" + RawPeer.HEX.formatHex(ulpdu, 0, 14));
            assertTold(RdmaException.Kind.ACCESS);
            for (int i = 0; i < memory.limit(); i++) {
                assertThat(memory.get(i)).isZero();
            }
        }
    }
}
