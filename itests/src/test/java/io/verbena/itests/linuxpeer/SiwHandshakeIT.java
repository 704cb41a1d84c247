package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaPeer;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Our iWARP against Linux's soft iWARP driver with its NFS server on top. The messages are RPC-over-RDMA version 1 (RFC
 * 8166) with NFS's NULL procedure, encoded by the test, since the provider does not know RPC.
 */
@AgainstLinux
class SiwHandshakeIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final HexFormat HEX = HexFormat.of();
    private static final byte[] PRIVATE_DATA = HEX.parseHex("f6ab0e1801000303");
    private static final byte[] INVALIDATING_PRIVATE_DATA = HEX.parseHex("f6ab0e1801010303");
    private static final int XID = 0x11;
    private static final int NO_CHUNKS = 28;
    private static final int INLINE = 4096;
    private static final int RECEIVES = 8;

    private final LinuxGuest guest;
    private final IwarpProvider provider = new IwarpProvider(new SystemRuntime(), new DirectMemory());
    private final RdmaPeer peer = new RdmaPeer();
    private int xid = XID;
    private ByteBuffer received;

    SiwHandshakeIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @AfterEach
    void deactivate() {
        provider.deactivate();
    }

    private byte[] connect(Map<String, String> options, byte[] privateData) throws RdmaException {
        peer.use(provider.open(guest.nfs(), new ConnectionOptions(32, RECEIVES, 16, 16, options), peer, TIMEOUT));
        received = ByteBuffer.allocateDirect(INLINE * RECEIVES);
        MemoryRegion region = peer.connection().register(received, Access.LOCAL);
        for (int i = 0; i < RECEIVES; i++) {
            peer.connection().postReceive(i, region, (long) INLINE * i, INLINE);
        }
        return peer.connection().connect(privateData, TIMEOUT);
    }

    private ByteBuffer nullCall() {
        ByteBuffer call = ByteBuffer.allocate(40);
        // xid, CALL, RPC version 2, NFS, version 4, NULL, AUTH_NONE twice
        return call.putInt(xid).putInt(0).putInt(2).putInt(100_003).putInt(4).rewind();
    }

    private void send(ByteBuffer message) throws RdmaException {
        ByteBuffer direct =
                ByteBuffer.allocateDirect(message.remaining()).put(message).flip();
        peer.connection()
                .postSend(
                        100,
                        peer.connection().register(direct, Access.LOCAL),
                        0,
                        direct.remaining(),
                        RdmaConnection.UNSIGNALED);
    }

    private ByteBuffer header(int procedure, int size) {
        return ByteBuffer.allocate(size).putInt(xid).putInt(1).putInt(32).putInt(procedure);
    }

    private void assertNullReply(ByteBuffer b, int at) {
        assertThat(b.getInt(at)).isEqualTo(xid);
        assertThat(b.getInt(at + 4)).as("REPLY").isEqualTo(1);
        assertThat(b.getInt(at + 8)).as("MSG_ACCEPTED").isZero();
        assertThat(b.getInt(at + 20)).as("SUCCESS").isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "on, read, 20",
        "off, read, 20",
        "on, write, 20",
        "off, write, 20",
        "on, none, 20",
        "on, none, 0",
        "on, write, 0"
    })
    void shouldCallNull(String crc, String rtr, String settle) throws Exception {
        byte[] answer = connect(Map.of("crc", crc, "rtr", rtr, "settle", settle), PRIVATE_DATA);
        assertThat(HEX.formatHex(answer)).isEqualTo("f6ab0e1801000303");
        assertThat(peer.connection().settings()).containsEntry("crc", crc).containsEntry("rtr", rtr);
        for (int i = 0; i < RECEIVES; i++) {
            xid++;
            send(header(0, 68).position(NO_CHUNKS).put(nullCall()).flip());
            RdmaPeer.Done done = peer.nextSuccess();
            assertThat(done.length()).isEqualTo(52);
            assertThat(received.getInt((int) done.id() * INLINE)).isEqualTo(xid);
            assertNullReply(received, (int) done.id() * INLINE + NO_CHUNKS);
        }
    }

    @Test
    void shouldAnswerReadsOfTheCall() throws Exception {
        connect(Map.of(), PRIVATE_DATA);
        ByteBuffer call = ByteBuffer.allocateDirect(40).put(nullCall()).flip();
        MemoryRegion region = peer.connection().register(call, Access.REMOTE_READ);
        // RDMA_NOMSG with a read chunk at position zero
        ByteBuffer message = header(1, 52);
        message.putInt(1).putInt(0).putInt(region.steeringTag()).putInt(40).putLong(region.remoteOffset());
        send(message.rewind());
        RdmaPeer.Done done = peer.nextSuccess();
        assertNullReply(received, (int) done.id() * INLINE + NO_CHUNKS);
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void shouldTakeWritesOfTheReply(boolean invalidate) throws Exception {
        connect(Map.of(), invalidate ? INVALIDATING_PRIVATE_DATA : PRIVATE_DATA);
        ByteBuffer reply = ByteBuffer.allocateDirect(4096);
        MemoryRegion region = peer.connection().register(reply, Access.REMOTE_WRITE);
        // RDMA_MSG with a reply chunk of one segment
        ByteBuffer message = header(0, 88);
        message.putInt(0).putInt(0).putInt(1).putInt(1);
        message.putInt(region.steeringTag()).putInt(4096).putLong(region.remoteOffset());
        send(message.put(nullCall()).flip());
        RdmaPeer.Done done = peer.nextSuccess();
        assertThat(received.getInt((int) done.id() * INLINE + 12))
                .as("RDMA_NOMSG")
                .isEqualTo(1);
        assertNullReply(reply, 0);
        assertThat(done.invalidated()).isEqualTo(invalidate);
        assertThat(region.isValid()).isEqualTo(!invalidate);
        if (invalidate) {
            assertThat(done.invalidatedTag()).isEqualTo(region.steeringTag());
        }
    }

    @Test
    void shouldBeToldOfARefusedWrite() throws Exception {
        connect(Map.of(), PRIVATE_DATA);
        ByteBuffer data = ByteBuffer.allocateDirect(16);
        peer.connection()
                .postWrite(
                        1,
                        peer.connection().register(data, Access.LOCAL),
                        0,
                        16,
                        0x123456,
                        0,
                        RdmaConnection.UNSIGNALED);
        RdmaException cause = peer.awaitDisconnected();
        assertThat(cause).isNotNull();
        assertThat(cause.kind()).isEqualTo(RdmaException.Kind.ACCESS);
    }

    @Test
    void shouldConnectOftenWithoutLosingTheRace() throws Exception {
        for (int i = 0; i < 30; i++) {
            RdmaPeer one = new RdmaPeer();
            one.use(provider.open(guest.nfs(), new ConnectionOptions(4, 4, 4, 4, Map.of()), one, TIMEOUT));
            one.connection().connect(PRIVATE_DATA, TIMEOUT);
            one.connection().close();
            assertThat(one.awaitDisconnected()).isNull();
        }
    }
}
