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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A connection to a {@link FakeServer}. */
final class FakeConnection implements RpcConnection {
    private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
    private final FakeServer server;
    private volatile boolean open = true;

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
        underWay.add(result);
        if (server.silent) {
            CompletableFuture.delayedExecutor(call.timeout().toNanos(), TimeUnit.NANOSECONDS)
                    .execute(() -> result.completeExceptionally(new CallTimedOutException("no answer", true)));
            return result;
        }
        server.take(request, decoder, result, () -> underWay.remove(result));
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
        // what was sent is executed, and the replies come to nobody
        for (CompletableFuture<?> each : underWay) {
            if (underWay.remove(each)) { // else its reply is being decoded
                each.completeExceptionally(new TransportLostException("closed", null));
            }
        }
    }
}
