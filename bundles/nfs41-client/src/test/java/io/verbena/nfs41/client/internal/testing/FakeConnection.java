package io.verbena.nfs41.client.internal.testing;

import io.verbena.rpc.CallShape;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.TransferSizes;
import io.verbena.rpc.TransportLostException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A connection to a {@link FakeServer}. */
final class FakeConnection implements RpcConnection {
    private final Queue<UnderWay> underWay = new ConcurrentLinkedQueue<>();
    private final FakeServer server;
    private volatile boolean open = true;

    /** @param claimed whether the call has a reply that is decoded, or has failed with the connection */
    private record UnderWay(CompletableFuture<?> result, AtomicBoolean claimed) {}

    FakeConnection(FakeServer server) {
        this.server = server;
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        Error error = server.error;
        if (error != null) {
            throw error;
        }
        server.calls.incrementAndGet();
        server.mostItems.accumulateAndGet(call.message().items().size(), Math::max);
        server.mostItems.accumulateAndGet(call.resultSinks().size(), Math::max);
        byte[] request = call.message().toByteArray();
        CompletableFuture<T> result = new CompletableFuture<>();
        AtomicBoolean claimed = new AtomicBoolean();
        underWay.add(new UnderWay(result, claimed));
        if (server.silent) {
            CompletableFuture.delayedExecutor(call.timeout().toNanos(), TimeUnit.NANOSECONDS)
                    .execute(() -> result.completeExceptionally(new CallTimedOutException("no answer", true)));
            return result;
        }
        server.take(request, decoder, result, () -> !claimed.getAndSet(true));
        return result;
    }

    @Override
    public Optional<TransferSizes> explain(CallShape shape) {
        return Optional.empty();
    }

    @Override
    public Map<String, String> settings() {
        return server.settings;
    }

    @Override
    public void reconnect(Duration timeout) {
        server.reconnects.incrementAndGet();
    }

    @Override
    public Map<String, String> choice() {
        return Map.of("provider", "fake", "chosen", "fake0");
    }

    @Override
    public Map<String, String> learned() {
        return server.learned;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
        server.onClose.run();
        // what was sent is executed, and the replies come to nobody
        for (UnderWay each : underWay) {
            if (!each.claimed().getAndSet(true)) { // else its reply is being decoded
                each.result().completeExceptionally(new TransportLostException("closed", null));
            }
        }
    }
}
