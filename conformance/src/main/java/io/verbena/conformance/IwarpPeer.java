package io.verbena.conformance;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/** An iWARP peer on a plain socket. It sends only the messages of the test, and answers no RDMA Read. */
public final class IwarpPeer implements Closeable {
    private static final String MPA_REQUEST = "4d504120494420526571204672616d65" + "50020004" + "00100010";

    /** The reject bit (RFC 5044 section 7.1). */
    private static final int REJECT = 0x20;

    private final Socket socket;
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private int msn = 1;

    /**
     * Connects, with an MPA request and without RPC-over-RDMA private data.
     *
     * @throws IOException if the server does not accept the connection
     */
    public IwarpPeer(InetSocketAddress server) throws IOException {
        this(null, server);
    }

    /**
     * Connects as {@link #IwarpPeer(InetSocketAddress)} does, from an address of this host.
     *
     * @param from the local address, null for any
     */
    public IwarpPeer(InetAddress from, InetSocketAddress server) throws IOException {
        socket = new Socket();
        try {
            socket.bind(new InetSocketAddress(from, 0));
            socket.connect(server);
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(20));
            socket.getOutputStream().write(HexFormat.of().parseHex(MPA_REQUEST));
            byte[] reply = socket.getInputStream().readNBytes(24);
            if (reply.length < 24 || (reply[16] & REJECT) != 0) {
                throw new IOException("the server did not accept the connection");
            }
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Adds a Send with its checksum (RFC 5044 section 4, RFC 5040 section 4.3). */
    public void add(ByteBuffer message) {
        int ulpdu = 18 + message.remaining();
        ByteBuffer fpdu = ByteBuffer.allocate(2 + ulpdu + (-(ulpdu + 2) & 3) + 4);
        fpdu.putShort((short) ulpdu).put((byte) 0x41).put((byte) 0x43);
        fpdu.putInt(0).putInt(0).putInt(msn++).putInt(0).put(message);
        CRC32C checksum = new CRC32C();
        checksum.update(fpdu.array(), 0, fpdu.limit() - 4);
        fpdu.order(ByteOrder.LITTLE_ENDIAN).putInt(fpdu.limit() - 4, (int) checksum.getValue());
        waiting.writeBytes(fpdu.array());
    }

    /**
     * Sends all added messages in one write, since the server may close the connection soon after the first of them.
     */
    public void flush() throws IOException {
        socket.getOutputStream().write(waiting.toByteArray());
    }

    /**
     * Reads the server's messages without answering them, until the server ends the connection.
     *
     * @throws IOException where the server does not end the connection in time
     */
    public void awaitEnd(int timeoutMillis) throws IOException {
        socket.setSoTimeout(timeoutMillis);
        byte[] chunk = new byte[1 << 16];
        while (true) {
            try {
                if (socket.getInputStream().read(chunk) < 0) {
                    return;
                }
            } catch (SocketTimeoutException e) {
                throw e;
            } catch (IOException e) {
                return; // reset
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
