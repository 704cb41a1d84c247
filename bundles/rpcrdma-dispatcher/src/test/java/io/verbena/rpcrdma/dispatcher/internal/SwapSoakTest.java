package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapSettings;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every service below one transport is replaced, over and over, while calls of its clients to its own server go on. */
final class SwapSoakTest {
    private static final int SWAPS = 40;
    private static final int CLIENTS = 3;
    private static final int AT_ONCE = 6;

    private final MemoryFabric fabric = new MemoryFabric();
    private final AtomicInteger serials = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private final EchoProgram program;
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final RdmaRpcTransport transport =
            new RdmaRpcTransport(new SystemRuntime(), TransportLimits.DEFAULT, new DirectMemory());
    private Framing one = new VersionOneFraming();
    private Framing two = new VersionTwoFraming();
    private PrivateDataNegotiator negotiator = new PrivateDataNegotiator();
    private RdmaProvider provider;

    SwapSoakTest() {
        program = new EchoProgram(executor);
    }

    @ParameterizedTest
    @CsvSource({"memory,1,false", "memory,2,true", "iwarp,3,false", "iwarp,4,true"})
    @DisplayName("each call is answered with its own data and executed once, whatever is replaced meanwhile")
    void shouldExecuteEachCallOnce(String kind, long seed, boolean returnNow) throws Exception {
        transport.configure(new SwapSettings(Duration.ofSeconds(10), returnNow));
        bindAll(kind);
        Random random = new Random(seed);
        try (transport) {
            RpcListener listener = transport.listen(TransportPair.listenOptions(8, Map.of()), program);
            List<CompletableFuture<Void>> workers = new ArrayList<>();
            List<RpcConnection> connections = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                RpcConnection connection = transport.connect(
                        TransportPair.options(listener.localAddress(), AT_ONCE, ConnectionObserver.NONE, Map.of()));
                connections.add(connection);
                workers.add(CompletableFuture.runAsync(() -> work(connection), executor));
            }
            for (int i = 0; i < SWAPS; i++) {
                int before = serials.get();
                swap(kind, random, connections);
                HeldProgram.await(() -> serials.get() > before + CLIENTS * AT_ONCE); // traffic has gone on
            }
            over.set(true);
            for (CompletableFuture<Void> worker : workers) {
                worker.get(30, TimeUnit.SECONDS);
            }
            assertThat(program.executed).hasSize(serials.get());
            assertThat(program.executed.values())
                    .allSatisfy(count -> assertThat(count).hasValue(1));
            assertThat(TransportPair.count(transport, "registrations")).isZero();
            assertThat(TransportPair.count(transport, Counter.SWAPS.label())).isGreaterThanOrEqualTo(SWAPS / 2);
        } finally {
            executor.shutdownNow();
            release(provider);
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("rpcrdma-") || name.startsWith("iwarp-"));
    }

    private void bindAll(String kind) {
        provider = next(kind);
        transport.bindProvider(provider);
        transport.bindFraming(one);
        transport.bindFraming(two);
        transport.bindNegotiator(negotiator);
    }

    private RdmaProvider next(String kind) {
        return kind.equals("iwarp")
                ? new IwarpProvider(new SystemRuntime(), new DirectMemory())
                : new MemoryPass(fabric, () -> {});
    }

    /** As its bundle does when it stops, after the service has gone. */
    private static void release(RdmaProvider gone) {
        if (gone instanceof IwarpProvider iwarp) {
            iwarp.deactivate();
        }
    }

    private void swap(String kind, Random random, List<RpcConnection> connections) throws Exception {
        switch (random.nextInt(6)) {
            case 0 -> {
                transport.unbindFraming(two);
                two = new VersionTwoFraming();
                transport.bindFraming(two);
            }
            case 1 -> {
                transport.unbindFraming(one);
                one = new VersionOneFraming();
                transport.bindFraming(one);
            }
            case 2 -> {
                transport.unbindProvider(provider);
                release(provider);
                provider = next(kind);
                transport.bindProvider(provider);
            }
            case 3 -> {
                transport.unbindNegotiator(negotiator);
                negotiator = new PrivateDataNegotiator();
                transport.bindNegotiator(negotiator);
            }
            case 4 -> {
                transport.unbindFraming(two);
                transport.unbindFraming(one);
                one = new VersionOneFraming();
                two = new VersionTwoFraming();
                transport.bindFraming(two);
                transport.bindFraming(one);
            }
            default -> {
                for (RpcConnection connection : connections) {
                    connection.reconnect(Duration.ofSeconds(10));
                }
            }
        }
    }

    private void work(RpcConnection connection) {
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        while (!over.get()) {
            if (calls.size() == AT_ONCE) {
                calls.remove(0).join();
            }
            calls.add(call(connection, serials.incrementAndGet()));
        }
        calls.forEach(CompletableFuture::join);
    }

    private static CompletableFuture<Void> call(RpcConnection connection, int serial) {
        int length = serial % 3 == 0 ? 20_000 : 100;
        byte[] data = EchoProgram.bytes(serial, length);
        ByteBuffer sink = ByteBuffer.allocate(length);
        RpcCall call = TransportPair.call(EchoProgram.ECHO).expectData(sink).maxReplySize(512);
        call.arguments().putInt(serial).putOpaque(new byte[serial % 60]).putData(ByteBuffer.wrap(data));
        return connection.call(call, in -> {
            assertThat(in.getOpaque(EchoProgram.MAX)).hasSize(serial % 60);
            in.getDataInto(sink);
            in.requireEnd();
            assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(data));
            return null;
        });
    }
}
