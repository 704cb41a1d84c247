package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.Mount;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.Latches;
import io.verbena.rpc.CallShape;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransferSizes;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of the session's slots when more calls than there are slots fail, and that none of them hangs. */
@Timeout(60)
class SlotsWhileMissingTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private static final int CALLS = 3 * FakeServer.SLOTS;
    private static final String NO_FRAMING = "no framing is there: start bundle io.verbena.rpcrdma.v1";

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    /** A transport whose connections live on when a service below goes, as the dispatcher's do. */
    private static final class OverServices implements RpcTransport {
        private final FakeServer server;
        private volatile boolean missing;
        /** Whether calls were sent before the service went. */
        private volatile boolean sent;

        OverServices(FakeServer server) {
            this.server = server;
        }

        @Override
        public RpcConnection connect(ConnectOptions options) {
            RpcConnection below = server.connect(options);
            return new RpcConnection() {
                @Override
                public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
                    return missing
                            ? CompletableFuture.failedFuture(new MissingServiceException(NO_FRAMING, sent))
                            : below.call(call, decoder);
                }

                @Override
                public Map<String, String> settings() {
                    return below.settings();
                }

                @Override
                public Optional<TransferSizes> explain(CallShape shape) {
                    return below.explain(shape);
                }

                @Override
                public Map<String, String> choice() {
                    return below.choice();
                }

                @Override
                public void reconnect(Duration timeout) throws RpcException {
                    below.reconnect(timeout);
                }

                @Override
                public boolean isOpen() {
                    return below.isOpen();
                }

                @Override
                public void close() {
                    below.close();
                }
            };
        }

        @Override
        public RpcListener listen(ListenOptions options, RpcProgram program) {
            return server.listen(options, program);
        }
    }

    private static void assertMissing(CompletableFuture<?> call, String service) {
        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(ServerUnavailableException.class)
                .hasMessageContaining(service)
                .hasCauseInstanceOf(MissingServiceException.class);
    }

    private static List<CompletableFuture<?>> calls(Mount mount, int count) {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(mount.attributesAsync("/file" + i));
        }
        return all;
    }

    /** All slots serve, and the session is the one of before. */
    private void assertAllWorks(Mount mount, int seenBefore) throws Exception {
        for (CompletableFuture<?> each : calls(mount, CALLS)) {
            assertThat(each.get(20, TimeUnit.SECONDS)).isNotNull();
        }
        assertThat(server.opcodesSince(seenBefore)).doesNotContain(Opcode.CREATE_SESSION, Opcode.EXCHANGE_ID);
    }

    /**
     * Nothing was sent to find out about a slot's number.
     *
     * @param renewals how often the lease may have been renewed
     */
    private void assertNothingInDoubt(int seenBefore, int renewals) {
        assertThat(server.seen.stream().skip(seenBefore).filter(each -> each.opcodes()
                        .equals(List.of(Opcode.SEQUENCE))))
                .hasSizeLessThanOrEqualTo(renewals);
    }

    @Test
    void shouldFailMoreCallsThanSlotsByNameAndGiveAllSlotsBackUntouched() throws Exception {
        try (NfsMount mount = server.mount("swapTimeout=1")) {
            int before = server.seen.size();
            mount.transportGone(server);
            calls(mount, CALLS).forEach(each -> assertMissing(each, "io.verbena.rpcrdma.dispatcher"));
            for (int i = 0; i < CALLS; i++) {
                assertMissing(mount.attributesAsync("/later"), "io.verbena.rpcrdma.dispatcher");
            }
            mount.transportCame(server);
            assertAllWorks(mount, before);
            assertNothingInDoubt(before, 1);
        }
    }

    @Test
    void shouldGiveSlotsBackWhereAServiceBelowTheTransportIsMissing() throws Exception {
        OverServices transport = new OverServices(server);
        try (NfsMount mount =
                NfsMount.create("m", "127.0.0.1", "/", "swapTimeout=3600", transport, new DirectMemory(), RUNTIME)) {
            mount.connect(Duration.ofSeconds(20));
            int before = server.seen.size();
            transport.missing = true;
            for (int i = 0; i < CALLS; i++) { // who says that it is missing has waited, and nobody waits once more
                assertMissing(mount.attributesAsync("/file"), NO_FRAMING);
            }
            transport.missing = false;
            assertAllWorks(mount, before);
            assertNothingInDoubt(before, 0);
        }
    }

    @Test
    void shouldSettleTheSlotsOfWhatWasSentOnceTheServiceIsBack() throws Exception {
        OverServices transport = new OverServices(server);
        try (NfsMount mount =
                NfsMount.create("m", "127.0.0.1", "/", "swapTimeout=3600", transport, new DirectMemory(), RUNTIME)) {
            mount.connect(Duration.ofSeconds(20));
            int before = server.seen.size();
            transport.sent = true;
            transport.missing = true;
            // the first ones keep all slots, and those behind them wait for one
            calls(mount, CALLS).forEach(each -> assertMissing(each, NO_FRAMING));
            transport.missing = false;
            assertAllWorks(mount, before);
        }
    }

    @Test
    void shouldNotHangWhereAllSlotsAreInDoubtWhenTheTransportGoes() throws Exception {
        try (NfsMount mount = server.mount("swapTimeout=1")) {
            int before = server.seen.size();
            CountDownLatch gate = new CountDownLatch(1);
            CountDownLatch come = new CountDownLatch(1);
            server.onRequest = come::countDown;
            server.gate = gate;
            List<CompletableFuture<?>> sent = calls(mount, FakeServer.SLOTS);
            Latches.await(come);
            mount.transportGone(server, Duration.ofMillis(1));
            sent.forEach(each -> assertMissing(each, "io.verbena.rpcrdma.dispatcher"));
            calls(mount, CALLS).forEach(each -> assertMissing(each, "io.verbena.rpcrdma.dispatcher"));
            gate.countDown();
            mount.transportCame(server);
            assertAllWorks(mount, before);
        }
    }

    @Test
    void shouldNotWaitForASlotForLongerThanACallMayTakeOnASoftMount() throws IOException {
        try (NfsMount mount = server.mount("soft,timeo=10,retrans=0")) {
            CountDownLatch gate = new CountDownLatch(1);
            server.gate = gate;
            List<CompletableFuture<?>> all = calls(mount, FakeServer.SLOTS + 2);
            for (CompletableFuture<?> waiting : all.subList(FakeServer.SLOTS, all.size())) {
                assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOf(ServerUnavailableException.class)
                        .hasMessageMatching("server 127.0.0.1 has not answered anything for \\d+ s, .*")
                        .hasCauseInstanceOf(CallTimedOutException.class);
            }
            gate.countDown();
        }
    }

    @Test
    void shouldNotWaitForASlotForLongerWhereNoThreadOfTheMountIsFree() throws IOException {
        try (NfsMount mount = server.mount("soft,timeo=10,retrans=0")) {
            CountDownLatch gate = new CountDownLatch(1);
            server.gate = gate;
            try {
                for (int i = 0; i < 100; i++) {
                    mount.assembly().caller().later(() -> Latches.await(gate), 0, thrown -> {});
                }
                List<CompletableFuture<?>> all = calls(mount, FakeServer.SLOTS + 1);
                assertThatThrownBy(() -> all.get(FakeServer.SLOTS).get(20, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOf(ServerUnavailableException.class)
                        .hasCauseInstanceOf(CallTimedOutException.class);
            } finally {
                gate.countDown();
            }
        }
    }
}
