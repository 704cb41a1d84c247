package io.verbena.rpcsec.gss.internal.tcp;

import io.verbena.rpc.CallShape;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.TransferSizes;
import io.verbena.xdr.XdrReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A plain client of RPC over TCP, whose calls block. Each call goes in fragments of some octets. */
public final class TcpCaller implements RpcConnection {
    private static final int FRAGMENT = 100;
    private static final int LAST = 1 << 31;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private int xid = 1000;

    public TcpCaller(InetSocketAddress server) throws IOException {
        socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout((int) Duration.ofSeconds(20).toMillis());
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        try {
            byte[] octets = call.transmission(++xid).toByteArray();
            send(octets);
            XdrReader reply = new XdrReader(ByteBuffer.wrap(receive()));
            return CompletableFuture.completedFuture(decoder.decode(RpcMessages.readReply(reply, call)));
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    void send(byte[] octets) throws IOException {
        for (int at = 0; at < octets.length; at += FRAGMENT) {
            int length = Math.min(FRAGMENT, octets.length - at);
            mark(length, at + length == octets.length);
            out.write(octets, at, length);
            out.flush();
        }
    }

    void mark(int length, boolean isLast) throws IOException {
        out.writeInt(isLast ? length | LAST : length);
        out.flush();
    }

    byte[] receive() throws IOException {
        byte[] octets = new byte[in.readInt() & ~LAST];
        in.readFully(octets);
        return octets;
    }

    /** Whether the server has closed the connection, which this waits for. */
    boolean isClosedByServer() {
        try {
            return in.read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) { // reset
            return true;
        }
    }

    @Override
    public Map<String, String> settings() {
        return Map.of();
    }

    @Override
    public Optional<TransferSizes> explain(CallShape shape) {
        return Optional.empty();
    }

    @Override
    public Map<String, String> choice() {
        return Map.of();
    }

    @Override
    public void reconnect(Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isOpen() {
        return !socket.isClosed();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
