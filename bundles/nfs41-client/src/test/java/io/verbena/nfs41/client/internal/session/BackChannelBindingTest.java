package io.verbena.nfs41.client.internal.session;

import static io.verbena.nfs41.client.internal.callback.CallbackRequest.compound;
import static io.verbena.nfs41.client.internal.callback.CallbackRequest.sequence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbRecallSlot;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.callback.CallbackCredentials;
import io.verbena.nfs41.client.internal.callback.CallbackLimits;
import io.verbena.nfs41.client.internal.callback.CallbackRequest;
import io.verbena.nfs41.client.internal.figures.SwapRecorder;
import io.verbena.nfs41.client.internal.link.RpcLink;
import io.verbena.nfs41.client.internal.link.TransportSource;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.ManualClock;
import io.verbena.nfs41.client.internal.testing.OneWorker;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.TransportLostException;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the client comes by a back channel, and keeps it. */
@Timeout(60)
class BackChannelBindingTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private static final long LONG_NANOS = TimeUnit.DAYS.toNanos(1);

    private final FakeServer server = new FakeServer();

    @BeforeEach
    void grantBackChannels() {
        server.sessionFlags = CreateSession.CONN_BACK_CHAN;
    }

    @AfterEach
    void close() {
        server.close();
    }

    private RpcProgram program() {
        return server.connectedWith.reverse().orElseThrow();
    }

    private ConnectionObserver observer() {
        return server.connectedWith.observer();
    }

    private BindConnToSession.Args nextBind() throws InterruptedException {
        BindConnToSession.Args bind = server.binds.poll(30, TimeUnit.SECONDS);
        assertThat(bind).isNotNull();
        return bind;
    }

    private Status callback(SessionId session, int sequenceId) throws Exception {
        return compound(sequence(session, sequenceId, 0)).by(program()).status();
    }

    @Test
    @Proves({"BI-3.2-1", "ULB-5.5.2-1"})
    @DisplayName("The session is made with its connection's back channel, for a program of the client's")
    void shouldAskForABackChannelOnTheConnection() throws Exception {
        try (NfsMount mount = server.mount("uid=1,gid=2,machine=m")) {
            assertThat(mount.failure()).isEmpty();
            CreateSession.Args created = server.created;
            assertThat(created.flags()).isEqualTo(CreateSession.CONN_BACK_CHAN);
            assertThat(created.callbackProgram()).isEqualTo(program().program());
            assertThat(created.callbackSecurity())
                    .extracting(CallbackSecurity::flavor)
                    .containsExactly(SecurityFlavor.AUTH_NONE, SecurityFlavor.AUTH_SYS);
            assertThat(created.backChannel()).isEqualTo(CallbackLimits.offer());
            assertThat(callback(server.session, 1)).isEqualTo(Status.NFS4_OK);
        }
    }

    @Test
    @Proves("BI-6-1")
    @DisplayName("The program is there before the session that announces it: CB_NULL may overtake the reply")
    void shouldBeReadyForCallbacksBeforeItAnnouncesIt() throws Exception {
        List<CallbackRequest> answered = new ArrayList<>();
        server.beforeSession = () -> {
            try {
                answered.add(new CallbackRequest(CbCompound.PROC_NULL, Credential.none(), new byte[0]).by(program()));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
        try (NfsMount mount = server.mount("")) {
            assertThat(mount.failure()).isEmpty();
            assertThat(answered).singleElement().matches(CallbackRequest::isReplied);
        }
    }

    @Test
    @Proves("BI-3.2-1")
    @DisplayName("A connection made anew is bound to the session for both directions")
    void shouldBindAConnectionThatWasMadeAgain() throws Exception {
        try (NfsMount mount = server.mount("")) {
            observer().reconnected(1);
            assertThat(nextBind())
                    .isEqualTo(new BindConnToSession.Args(server.session, BindConnToSession.Wish.FORE_OR_BOTH, false));
            assertThat(mount.failure()).isEmpty();
        }
        assertThat(server.binds).isEmpty();
    }

    @Test
    void shouldBindAConnectionOfAnotherTransport() throws Exception {
        try (NfsMount mount = server.mount("")) {
            mount.transportGone(server);
            mount.transportCame(server);
            mount.attributes("/file", true);
            assertThat(nextBind().wish()).isEqualTo(BindConnToSession.Wish.FORE_OR_BOTH);
            assertThat(server.connections).hasValue(2);
        }
    }

    @Test
    void shouldDoWithoutWhereTheServerGrantsNone() throws Exception {
        server.sessionFlags = 0;
        try (NfsMount mount = server.mount("")) {
            server.statusFlags = Sequence.CB_PATH_DOWN;
            observer().reconnected(1);
            mount.attributes("/file", true);
        }
        assertThat(server.binds).isEmpty();
    }

    @Test
    @Proves("BI-5.4-2")
    @DisplayName("A lost connection is made again though the client has nothing to send")
    void shouldReconnectByItself() throws Exception {
        try (NfsMount mount = server.mount("")) {
            CountDownLatch renewed = new CountDownLatch(1);
            int before = server.seen.size();
            server.onSequence = renewed::countDown;
            observer().lost(new TransportLostException("gone", null));
            assertThat(renewed.await(30, TimeUnit.SECONDS)).isTrue();
            mount.attributes("/file", true); // behind the renewal, so that it has been seen
            assertThat(server.seen.get(before).opcodes()).containsExactly(Opcode.SEQUENCE);
        }
    }

    @Test
    void shouldBeginAnewInTheSlotsOfAnotherSession() throws Exception {
        try (NfsMount mount = server.mount("")) {
            SessionId first = server.session;
            assertThat(callback(first, 1)).isEqualTo(Status.NFS4_OK);
            assertThat(callback(first, 2)).isEqualTo(Status.NFS4_OK);
            server.restart();
            mount.attributes("/file", true);
            assertThat(callback(server.session, 1)).isEqualTo(Status.NFS4_OK);
            assertThat(callback(first, 3)).isEqualTo(Status.NFS4ERR_BADSESSION);
        }
    }

    @Test
    void shouldMakeAnotherSessionAfterAFaultAndEndTheOldOneOnceItIsIdle() throws Exception {
        try (NfsMount mount = server.mount("")) {
            SessionId first = server.session;
            server.beforeSession = () -> server.statusFlags = 0;
            server.statusFlags = Sequence.BACKCHANNEL_FAULT;
            mount.attributes("/file", true);
            assertThat(server.destroyed.poll(30, TimeUnit.SECONDS)).isEqualTo(first);
            mount.attributes("/file", true);
            assertThat(server.session).isNotEqualTo(first);
            assertThat(callback(server.session, 1)).isEqualTo(Status.NFS4_OK);
        }
    }

    @Test
    void shouldTellTheServerThatItUsesFewerSlots() throws Exception {
        try (NfsMount mount = server.mount("")) {
            CountDownLatch told = new CountDownLatch(1);
            server.targetSlot = 0;
            server.onSequence = told::countDown;
            CbRecallSlot.Args args = new CbRecallSlot.Args(0);
            compound(sequence(server.session, 1, 0), out -> CbRecallSlot.encodeArgs(out, args))
                    .by(program());
            assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(mount.failure()).isEmpty();
        }
    }

    /** A back channel of which the test holds the clock. */
    private final class Rig implements AutoCloseable {
        final OneWorker worker = new OneWorker();
        final AtomicLong nanos = new AtomicLong(1);
        final RpcLink link;
        final BackChannelBinding channel;
        final Session session;

        Rig() {
            MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
            link = new RpcLink(
                    settings,
                    new TransportSource(server, RUNTIME),
                    new Reconnections(),
                    worker,
                    new SwapRecorder("m", RUNTIME),
                    RUNTIME);
            CompoundCaller caller = new CompoundCaller(
                    settings,
                    link,
                    worker,
                    new MountLifetime("m", RUNTIME),
                    new SwapRecorder("m", RUNTIME),
                    new TransferLimit("m", RUNTIME),
                    RUNTIME);
            ClientRegistration registration = new ClientRegistration(
                    caller, Opaque.of("owner"), 1, new CallbackCredentials(settings.credential()));
            channel = new BackChannelBinding(caller, registration, nanos::get);
            ChannelAttributes limits = new ChannelAttributes(0, 4000, 4000, 4000, 8, 4, Optional.empty());
            session = channel.serve(new Session(
                    new CreateSession.Result(new SessionId(1, 1), 1, CreateSession.CONN_BACK_CHAN, limits, limits),
                    4,
                    RUNTIME));
        }

        private final class Reconnections implements ConnectionObserver {
            @Override
            public void reconnected(int attempt) {
                channel.connected();
            }
        }

        /** Lets what was set going come to its end. */
        int binds() throws Exception {
            worker.awaitIdle();
            return server.binds.size();
        }

        void seconds(long seconds) {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
        }

        @Override
        public void close() {
            assertThat(link.close(LONG_NANOS)).isTrue();
            worker.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Sequence.CB_PATH_DOWN, Sequence.CB_PATH_DOWN_SESSION})
    void shouldBindWhereThePathIsDownButLessAndLessOften(int down) throws Exception {
        try (Rig rig = new Rig()) {
            List<Integer> counts = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                rig.channel.sequenced(rig.session, down, System.nanoTime());
                counts.add(rig.binds());
                rig.seconds(1);
            }
            assertThat(counts).containsExactly(1, 2, 2, 3, 3, 3, 3, 4);
            rig.channel.sequenced(
                    rig.session, 0, System.nanoTime()); // which may be so only since the server tries it just now
            rig.channel.sequenced(rig.session, down, System.nanoTime());
            assertThat(rig.binds()).isEqualTo(4);
            rig.seconds(8);
            rig.channel.sequenced(rig.session, 0, System.nanoTime());
            rig.channel.sequenced(rig.session, down, System.nanoTime());
            assertThat(rig.binds()).isEqualTo(5);
            rig.seconds(1);
            rig.channel.sequenced(rig.session, down, System.nanoTime());
            assertThat(rig.binds()).isEqualTo(6);
        }
    }

    @Test
    void shouldKnowWhetherCallbacksCanCome() throws Exception {
        try (Rig rig = new Rig()) {
            assertThat(rig.channel.isUp()).isTrue();
            rig.channel.disconnected();
            assertThat(rig.channel.isUp()).isFalse();
            rig.channel.connected();
            assertThat(rig.binds()).isEqualTo(1);
            assertThat(rig.channel.isUp()).isTrue();
            rig.session.kill();
            assertThat(rig.channel.isUp()).isFalse();
            rig.channel.connected();
            assertThat(rig.binds()).isEqualTo(1);
        }
    }

    @Test
    void shouldBindOnceForAllWhoWantItAndOnceMoreWhereTheConnectionWasReplacedMeanwhile() throws Exception {
        try (Rig rig = new Rig()) {
            server.gate = new CountDownLatch(1);
            CompletableFuture<Void> first = rig.channel.bind(rig.session);
            CompletableFuture<Void> second = rig.channel.bind(rig.session);
            assertThat(second).isSameAs(first);
            server.gate.countDown();
            first.get(30, TimeUnit.SECONDS);
            assertThat(rig.binds()).isEqualTo(1);

            CountDownLatch begun = new CountDownLatch(1);
            server.gate = new CountDownLatch(1);
            server.onRequest = begun::countDown;
            CompletableFuture<Void> third = rig.channel.bind(rig.session);
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            rig.channel.connected();
            server.gate.countDown();
            third.get(30, TimeUnit.SECONDS);
            rig.binds();
            assertThat(rig.binds()).isEqualTo(3);
        }
    }

    @Test
    void shouldNotBindForWhatTheServerSaidBeforeTheBindThatIsUnderWayOrDone() throws Exception {
        try (Rig rig = new Rig()) {
            long sent = System.nanoTime();
            CountDownLatch begun = new CountDownLatch(1);
            server.gate = new CountDownLatch(1);
            server.onRequest = begun::countDown;
            CompletableFuture<Void> bound = rig.channel.bind(rig.session);
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            rig.channel.sequenced(rig.session, Sequence.CB_PATH_DOWN, System.nanoTime());
            server.gate.countDown();
            bound.get(30, TimeUnit.SECONDS);
            rig.channel.sequenced(rig.session, Sequence.CB_PATH_DOWN, sent);
            assertThat(rig.binds()).isEqualTo(1);
            rig.channel.sequenced(rig.session, Sequence.CB_PATH_DOWN, System.nanoTime());
            assertThat(rig.binds()).isEqualTo(2);
        }
    }

    @Test
    void shouldGoOnWithoutWhereTheServerWillNotBind() throws IOException, InterruptedException {
        try (NfsMount mount = server.mount("")) {
            server.failNext(Opcode.BIND_CONN_TO_SESSION, Status.NFS4ERR_INVAL);
            observer().reconnected(1);
            nextBind();
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
        }
    }

    /** The server puts the binding off, which the mount accepts 11 times. */
    @Test
    void shouldNotHaveARequestOfASoftMountWaitForTheBindingBeyondItsTime() throws Exception {
        try (ManualClock clock = new ManualClock(1_000);
                NfsMount mount = NfsMount.create(
                        "m", "127.0.0.1", "/", "soft,timeo=10,retrans=1", server, new DirectMemory(), clock)) {
            mount.connect(Duration.ofSeconds(20));
            server.failNext(
                    Opcode.BIND_CONN_TO_SESSION,
                    Collections.nCopies(100, Status.NFS4ERR_DELAY).toArray(Status[]::new));
            server.failNext(Opcode.SEQUENCE, Status.NFS4ERR_CONN_NOT_BOUND_TO_SESSION);
            CompletableFuture<?> asked = mount.attributesAsync("/file");
            nextBind();
            clock.pass(Duration.ofSeconds(3));
            assertThatThrownBy(() -> asked.get(30, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(ServerUnavailableException.class)
                    .hasMessageContaining("BIND_CONN_TO_SESSION");
            assertThat(mount.statistics().slotsInUse()).isZero();
        }
    }
}
