package io.verbena.verbs.iwarp.internal.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/** A peer that sends iWARP frames, or faulty ones, made here: none of the provider's code is used. */
public final class RawPeer implements Closeable {
    public static final HexFormat HEX = HexFormat.of();
    private static final int BOUND_MILLIS = (int) TimeUnit.SECONDS.toMillis(20);

    private final Socket socket;
    private final InputStream in;
    private boolean crc = true;
    private int msn = 1;
    private boolean ignoresEmptyWrites;

    RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(BOUND_MILLIS);
        in = socket.getInputStream();
    }

    public static RawPeer to(InetSocketAddress address) throws IOException {
        return new RawPeer(new Socket(address.getAddress(), address.getPort()));
    }

    /** Sends an MPA request of revision 2 with CRC and IRD and ORD 16, and takes the reply. */
    RawPeer handshake() throws IOException {
        send(HEX.parseHex("4d504120494420526571204672616d65" + "50020004" + "00100010"));
        byte[] reply = receive(24);
        assertThat(HEX.formatHex(reply, 0, 20)).isEqualTo("4d504120494420526570204672616d65" + "50020004");
        return this;
    }

    public RawPeer withoutCrc() {
        crc = false;
        return this;
    }

    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    public byte[] receive(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("closed after " + HEX.formatHex(bytes));
        }
        return bytes;
    }

    byte[] fpdu(byte[] ulpdu) {
        return fpdu(ulpdu, crc);
    }

    public static byte[] fpdu(byte[] ulpdu, boolean crc) {
        int padding = -(ulpdu.length + 2) & 3;
        ByteBuffer b = ByteBuffer.allocate(2 + ulpdu.length + padding + 4);
        b.putShort((short) ulpdu.length).put(ulpdu).position(b.limit() - 4);
        CRC32C checksum = new CRC32C();
        checksum.update(b.array(), 0, b.limit() - 4);
        b.order(ByteOrder.LITTLE_ENDIAN).putInt(crc ? (int) checksum.getValue() : 0);
        return b.array();
    }

    public void sendFpdu(byte[] ulpdu) throws IOException {
        send(fpdu(ulpdu));
    }

    public static byte[] tagged(int opcode, boolean last, int stag, long offset, byte[] payload) {
        return ByteBuffer.allocate(14 + payload.length)
                .put((byte) (last ? 0xc1 : 0x81))
                .put((byte) (0x40 | opcode))
                .putInt(stag)
                .putLong(offset)
                .put(payload)
                .array();
    }

    public static byte[] untagged(int opcode, boolean last, int queue, int msn, int offset, byte[] payload) {
        return ByteBuffer.allocate(18 + payload.length)
                .put((byte) (last ? 0x41 : 0x01))
                .put((byte) (0x40 | opcode))
                .putInt(0)
                .putInt(queue)
                .putInt(msn)
                .putInt(offset)
                .put(payload)
                .array();
    }

    public static byte[] readRequest(
            int msn, int sinkTag, long sinkOffset, int size, int sourceTag, long sourceOffset) {
        byte[] header = ByteBuffer.allocate(28)
                .putInt(sinkTag)
                .putLong(sinkOffset)
                .putInt(size)
                .putInt(sourceTag)
                .putLong(sourceOffset)
                .array();
        return untagged(1, true, 1, msn, 0, header);
    }

    /** A Send with the next sequence number. */
    public void sendMessage(byte[] payload) throws IOException {
        sendFpdu(untagged(3, true, 0, msn++, 0, payload));
    }

    /** Ignores empty RDMA Writes, by which an initiator wakes a responder that may not listen yet. */
    RawPeer ignoringEmptyWrites() {
        ignoresEmptyWrites = true;
        return this;
    }

    /** The next ULPDU; its padding and CRC are checked. */
    public byte[] receiveUlpdu() throws IOException {
        byte[] ulpdu = receiveAnyUlpdu();
        while (ignoresEmptyWrites && Arrays.equals(ulpdu, tagged(0, true, 0, 0, new byte[0]))) {
            ulpdu = receiveAnyUlpdu();
        }
        return ulpdu;
    }

    private byte[] receiveAnyUlpdu() throws IOException {
        byte[] length = receive(2);
        int n = ByteBuffer.wrap(length).getShort() & 0xffff;
        int padding = -(n + 2) & 3;
        byte[] rest = receive(n + padding + 4);
        byte[] whole = Arrays.copyOf(length, 2 + rest.length);
        System.arraycopy(rest, 0, whole, 2, rest.length);
        CRC32C checksum = new CRC32C();
        checksum.update(whole, 0, whole.length - 4);
        int expected = crc ? (int) checksum.getValue() : 0;
        assertThat(ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getInt(whole.length - 4))
                .isEqualTo(expected);
        for (int i = 0; i < padding; i++) {
            assertThat(rest[n + i]).isZero();
        }
        return Arrays.copyOf(rest, n);
    }

    /** Expects a Terminate with that header, and then the end. */
    void expectTerminate(String header) throws IOException {
        assertThat(HEX.formatHex(receiveUlpdu()))
                .isEqualTo("4147" + "00000000" + "00000002" + "00000001" + "00000000" + header);
        expectEnd();
    }

    public void expectEnd() throws IOException {
        int next;
        try {
            next = in.read();
        } catch (SocketException e) {
            next = -1;
        }
        assertThat(next).isEqualTo(-1);
    }

    void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
