package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.CallShape;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.TransferSizes;
import io.verbena.xdr.XdrReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** Hands calls to a peer of this process without a transport, and keeps their octets. A call may be sent twice. */
final class DirectConnection implements RpcConnection {
    /** What answers calls. */
    interface Peer {
        void handle(OneRequest request) throws Exception;
    }

    private final Peer peer;
    private int lastXid = 0x10;

    /** The calls, as they were sent. */
    final List<byte[]> sent = new CopyOnWriteArrayList<>();

    /** What a call becomes on its way. */
    UnaryOperator<byte[]> out = UnaryOperator.identity();

    /** What a reply becomes on its way. */
    UnaryOperator<byte[]> way = UnaryOperator.identity();

    DirectConnection(Peer peer) {
        this.peer = peer;
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        try {
            OneRequest request = transmit(call, ++lastXid);
            return request.answer().thenApply(reply -> decode(reply, call, decoder));
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Sends a call, or sends it again. */
    OneRequest transmit(RpcCall call, int xid) throws Exception {
        byte[] octets = out.apply(call.transmission(xid).toByteArray());
        sent.add(octets);
        OneRequest request = new OneRequest(octets);
        peer.handle(request);
        return request;
    }

    <T> T decode(byte[] reply, RpcCall call, ReplyDecoder<T> decoder) {
        try {
            return decoder.decode(RpcMessages.readReply(new XdrReader(ByteBuffer.wrap(way.apply(reply))), call));
        } catch (IOException e) {
            throw new CompletionException(e);
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
    public void reconnect(Duration timeout) {}

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
