package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.identity.ClientOwner;
import io.verbena.nfs41.client.internal.link.TransportSource;
import io.verbena.nfs41.client.internal.mount.MountAssembly;
import io.verbena.nfs41.client.internal.names.DirectoryPages;
import io.verbena.nfs41.client.internal.security.SecuritySource;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request gives its slot back once, and not before it is known what the slot's number is. */
@Timeout(60)
class RequestExecutionTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private final FakeServer server = new FakeServer();
    private MountAssembly assembly;
    private Session session;

    @BeforeEach
    void mount() throws IOException {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
        assembly = new MountAssembly(
                settings,
                new TransportSource(server, RUNTIME),
                new SecuritySource(null, RUNTIME),
                null,
                new DirectMemory(),
                new MountLifetime("m", RUNTIME),
                ClientOwner.random("m", RUNTIME),
                RUNTIME);
        assembly.start();
        assembly.connect(Duration.ofSeconds(20));
        session = assembly.sessions().present();
    }

    @AfterEach
    void close() {
        assembly.close(Duration.ofSeconds(10));
        server.close();
    }

    private CompletableFuture<?> list() {
        return assembly.caller().call(new DirectoryPages.Page(FakeServer.HANDLE, 0, 0), session);
    }

    @Test
    void shouldNotGiveBackASlotThatIsAnothersByNow() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        server.gate = gate;
        server.failNext(Opcode.PUTFH, Status.NFS4ERR_DELAY);
        CompletableFuture<?> postponed = list();
        List<SlotHolder> others = keepers(); // the last one takes the slot of the request when that is put off
        gate.countDown();
        for (SlotHolder other : others) {
            other.slot();
        }
        AtomicBoolean idle = new AtomicBoolean();
        session.slots().drain(() -> idle.set(true));
        assertThatThrownBy(() -> postponed.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        StatusException.class, e -> assertThat(e.status()).isEqualTo(Status.NFS4ERR_BADSESSION));
        assertThat(session.slots().inUse()).isEqualTo(FakeServer.SLOTS);
        assertThat(idle).isFalse();
    }

    @Test
    @Proves("ULB-5.6-2")
    void shouldAskAboutASlotWhoseAnswerWasForAnother() throws Exception {
        server.wrongSlot = 1;
        assertAsked(() -> {
            assertThatThrownBy(() -> list().get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("the server answered SEQUENCE for another request");
            server.wrongSlot = 0;
        });
    }

    @Test
    @Proves("ULB-5.6-2")
    void shouldAskAboutASlotWhoseRequestFailsUnforeseen() throws Exception {
        Map<String, String> settings = server.settings;
        server.settings = null; // which the connection is asked for when it is given up
        server.loseNextReply(new CallTimedOutException("late", true));
        assertAsked(() -> {
            assertThatThrownBy(() -> list().get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(NullPointerException.class);
            server.settings = settings;
        });
    }

    @Test
    @DisplayName("a denial that nobody has proved leaves open what the server has executed")
    void shouldAskAboutASlotWhoseRequestWasDeniedAfterItWasSent() throws Exception {
        server.loseNextReply(new RpcRejectedException(AuthStatus.AUTH_TOOWEAK, "the server refuses", true));
        assertAsked(() -> assertThatThrownBy(() -> list().get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(RpcRejectedException.class));
    }

    private static RpcException refused(AuthStatus status) {
        return new RpcRejectedException(status, "the server refuses the credential: " + status);
    }

    @ParameterizedTest
    @EnumSource(
            value = AuthStatus.class,
            names = {"RPCSEC_GSS_CREDPROBLEM", "RPCSEC_GSS_CTXPROBLEM"})
    @Proves("GSS-5.3.3.3-3")
    @DisplayName("a request is repeated in its slot whose context is lost, and not without end")
    void shouldRepeatWhatWasDeniedForItsContextForAWhile(AuthStatus status) throws Exception {
        int before = server.seen.size();
        server.refuseNext(refused(status));
        server.refuseNext(refused(status));
        assertThat(list().get(20, TimeUnit.SECONDS)).isNotNull();
        assertThat(server.refused).hasSize(2);
        assertThat(server.refused.get(1)).as("slot and number").isEqualTo(server.refused.get(0));
        assertThat(server.seen.subList(before, server.seen.size())).hasSize(1);

        for (int i = 0; i < 10; i++) {
            server.refuseNext(refused(status));
        }
        assertThatThrownBy(() -> list().get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(RpcRejectedException.class);
        assertThat(server.refused).hasSize(2 + 3);
    }

    /** The next request fails so, and nobody gets its slot before the server was asked about the slot's number. */
    private void assertAsked(Runnable failing) throws Exception {
        int before = server.seen.size();
        failing.run();
        FakeServer.Seen first = server.seen.get(before);
        Map<Integer, Integer> numbers = new HashMap<>();
        for (SlotHolder keeper : keepers()) {
            numbers.put(keeper.slot().id(), keeper.slot().sequenceId());
        }
        assertThat(numbers).hasSize(FakeServer.SLOTS).containsEntry(first.slot(), first.sequence() + 1);
        assertThat(server.seen).contains(new FakeServer.Seen(first.slot(), first.sequence(), List.of(Opcode.SEQUENCE)));
    }

    /** As many as there are slots. */
    private List<SlotHolder> keepers() {
        return Stream.generate(() -> SlotHolder.of(session.slots()))
                .limit(FakeServer.SLOTS)
                .toList();
    }
}
