package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.MountState;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransportLostException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What must not be done twice, with the ground taken away under it. The server counts. */
@Timeout(60)
class ExactlyOnceTest {
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

    private final FakeServer server = new FakeServer();
    private final RpcTransport other = new Another(server);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Another transport to the same server. */
    private record Another(FakeServer server) implements RpcTransport {
        @Override
        public RpcConnection connect(ConnectOptions options) {
            return server.connect(options);
        }

        @Override
        public RpcListener listen(ListenOptions options, RpcProgram program) {
            return server.listen(options, program);
        }
    }

    private enum Change {
        RENAME(Opcode.RENAME),
        REMOVE(Opcode.REMOVE),
        CREATE(Opcode.OPEN),
        LOCK(Opcode.LOCK);

        private final int opcode;

        Change(int opcode) {
            this.opcode = opcode;
        }

        /** Opens what it needs beforehand. */
        Action on(NfsMount mount) throws IOException {
            return switch (this) {
                case RENAME -> () -> mount.rename("/a", "/b");
                case REMOVE -> () -> mount.remove("/a");
                case CREATE -> () -> mount.open("/a", NEW, 0600);
                case LOCK -> {
                    RemoteFile file = mount.open("/a", WRITE, 0600);
                    yield () -> assertThat(file.tryLock(0, 10, false)).isPresent();
                }
            };
        }
    }

    private interface Action {
        void run() throws IOException;
    }

    @AfterEach
    void close() {
        server.letGo();
        threads.shutdownNow();
        server.close();
    }

    private Future<?> start(Action action) {
        return threads.submit(() -> {
            action.run();
            return null;
        });
    }

    /** Begins the change and comes back when the server is about to execute it. */
    private Future<?> begin(Change change, NfsMount mount) throws IOException {
        Action action = change.on(mount);
        server.hold(change.opcode);
        Future<?> running = start(action);
        server.awaitHeld();
        return running;
    }

    private static void join(Future<?> running) throws Exception {
        running.get(30, TimeUnit.SECONDS);
    }

    private long executed(Change change, long before) {
        return server.executed(change.opcode) - before;
    }

    private void awaitEnd(NfsMount mount) {
        while (mount.state() != MountState.UNMOUNTED) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Proves("ULB-5.7.2-3")
    void shouldBeDoneOnceThoughTheConnectionIsLostBeforeTheReply(Change change) throws Exception {
        try (NfsMount mount = server.mount("")) {
            Action action = change.on(mount);
            long before = server.executed(change.opcode);
            server.loseNextReply(new TransportLostException("gone", null));
            join(start(action));
            assertThat(executed(change, before)).isEqualTo(1);
            assertThat(mount.settings()).containsEntry("replayedRequests", "1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeDoneOnceByATransportThatGoesAndIsDrained(Change change) throws Exception {
        try (NfsMount mount = server.mount("")) {
            Future<?> running = begin(change, mount);
            long before = server.executed(change.opcode);
            Future<?> going = start(() -> mount.transportGone(server, Duration.ofSeconds(20)));
            server.letGo();
            join(going);
            mount.transportCame(other);
            join(running);
            assertThat(mount.attributes("/other", true).isRegularFile()).isTrue();
            assertThat(executed(change, before)).isEqualTo(1);
            assertThat(mount.settings())
                    .containsEntry("replayedRequests", "0")
                    .containsEntry("transportSwaps", "1")
                    .hasEntrySatisfying("lastTransportSwap", text -> assertThat(text)
                            .matches(
                                    "drained in \\d+ ms, 0 requests left without an answer, nothing sent for \\d+ ms"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeDoneOnceThoughATransportGoesBeforeTheReply(Change change) throws Exception {
        try (NfsMount mount = server.mount("")) {
            Future<?> running = begin(change, mount);
            long before = server.executed(change.opcode);
            mount.transportGone(server, Duration.ofMillis(1));
            mount.transportCame(other);
            server.letGo(); // executes what was sent by the first transport; the second gets the kept reply
            join(running);
            assertThat(executed(change, before)).isEqualTo(1);
            assertThat(mount.settings()).containsEntry("replayedRequests", "1");
            assertThat(mount.attributes("/other", true).isRegularFile()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeDoneOnceAndToldSoByAMountThatIsReplacedMeanwhile(Change change) throws Exception {
        NfsMount mount = server.mount("");
        Future<?> running = begin(change, mount);
        long before = server.executed(change.opcode);
        Future<?> ending = start(() -> mount.end(MountLifetime.End.REPLACED, Duration.ofSeconds(20)));
        awaitEnd(mount);
        assertThatThrownBy(() -> mount.remove("/too/late")).isInstanceOfSatisfying(MountReplacedException.class, e -> {
            assertThat(e.isUndecided()).isFalse();
            assertThat(e.mount()).isEqualTo("m");
        });
        server.letGo();
        join(running);
        join(ending);
        assertThat(executed(change, before)).isEqualTo(1);
        assertThat(server.opcodesSince(0)).endsWith(Opcode.DESTROY_SESSION, Opcode.DESTROY_CLIENTID);
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeUndecidedWhereTheServerHasNotAnsweredWhenTheBoundIsOver(Change change) throws Exception {
        NfsMount mount = server.mount("");
        Future<?> running = begin(change, mount);
        long before = server.executed(change.opcode);
        mount.end(MountLifetime.End.REPLACED, Duration.ofMillis(50));
        assertThatThrownBy(() -> join(running))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(MountReplacedException.class, e -> assertThat(e.isUndecided())
                        .isTrue());
        server.letGo();
        server.awaitIdle();
        assertThat(executed(change, before)).isEqualTo(1);
    }

    /** The mount closes its files as it ends, and the failure of the writes is not for the mount alone. */
    @Test
    void shouldFailASyncThatWaitsWhileTheMountGoes() throws Exception {
        NfsMount mount = server.mount("");
        RemoteFile file = mount.open("/file", Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), 0600);
        server.hold(Opcode.WRITE);
        CompletableFuture<Void> written = file.writeAsync(ByteBuffer.wrap(new byte[10]), 0);
        CompletableFuture<Thread> begun = new CompletableFuture<>();
        Future<?> syncing = start(() -> {
            begun.complete(Thread.currentThread());
            file.sync();
        });
        server.awaitHeld();
        Thread waiting = begun.get(30, TimeUnit.SECONDS);
        while (waiting.getState() == Thread.State.RUNNABLE) {
            Thread.onSpinWait();
        }

        mount.end(MountLifetime.End.REPLACED, Duration.ofMillis(50));

        assertThatThrownBy(() -> join(syncing)).cause().isInstanceOf(MountReplacedException.class);
        assertThatThrownBy(written::get).cause().isInstanceOf(MountReplacedException.class);
        server.letGo();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotBeDoneNorUndecidedWhereItWasNotSentWhenTheBoundIsOver(Change change) throws Exception {
        NfsMount mount = server.mount("slots=1");
        Action action = change.on(mount);
        server.hold(Opcode.READLINK);
        server.link("link", "elsewhere");
        Future<?> first = start(() -> mount.readLink("/link"));
        server.awaitHeld();
        long before = server.executed(change.opcode);
        CompletableFuture<Void> begun = new CompletableFuture<>();
        Future<?> second = start(() -> {
            begun.complete(null);
            action.run();
        });
        begun.get(30, TimeUnit.SECONDS);
        mount.end(MountLifetime.End.REPLACED, Duration.ofMillis(50));
        assertThatThrownBy(() -> join(second))
                .cause()
                .isInstanceOfSatisfying(MountReplacedException.class, e -> assertThat(e.isUndecided())
                        .isFalse());
        assertThatThrownBy(() -> join(first)).cause().isInstanceOf(MountReplacedException.class);
        server.letGo();
        server.awaitIdle();
        assertThat(executed(change, before)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeDoneOnceThoughTheMountEndsWhileThereIsNoTransport(Change change) throws Exception {
        NfsMount mount = server.mount("");
        Future<?> running = begin(change, mount);
        long before = server.executed(change.opcode);
        mount.transportGone(server, Duration.ofMillis(1));
        mount.end(MountLifetime.End.REPLACED); // waits for nothing, as nothing can come
        assertThatThrownBy(() -> join(running))
                .cause()
                .isInstanceOfSatisfying(MountReplacedException.class, e -> assertThat(e.isUndecided())
                        .isTrue());
        server.letGo();
        server.awaitIdle();
        assertThat(executed(change, before)).isEqualTo(1);
    }

    /** The change is executed, and its reply is lost together with the session. */
    private void loseTheSessionBehind(NfsMount mount, int opcode, Status again) throws IOException {
        assertThat(mount.attributes("/other", true).isRegularFile()).isTrue();
        AtomicInteger requests = new AtomicInteger();
        server.failNext(opcode, Status.NFS4_OK, again);
        server.loseNextReply(new TransportLostException("gone", null));
        server.onRequest = () -> {
            if (requests.incrementAndGet() == 2) {
                server.restart();
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"RENAME, NFS4ERR_NOENT", "REMOVE, NFS4ERR_NOENT", "CREATE, NFS4ERR_EXIST"})
    void shouldNotTakeItsOwnEffectForAnothersWhereTheSessionIsLostWithTheReply(Change change, Status again)
            throws Exception {
        try (NfsMount mount = server.mount("")) {
            Action action = change.on(mount);
            loseTheSessionBehind(mount, change.opcode, again);
            assertThatThrownBy(action::run)
                    .isInstanceOfSatisfying(UndecidedException.class, e -> assertThat(e.status())
                            .isEqualTo(again.name()))
                    .hasMessageContaining("m:/a")
                    .hasMessageContaining("not known");
        }
    }

    @Test
    void shouldTellOfAnyOtherFailureAsEverWhereTheSessionIsLostWithTheReply() throws Exception {
        try (NfsMount mount = server.mount("")) {
            loseTheSessionBehind(mount, Opcode.REMOVE, Status.NFS4ERR_NOTEMPTY);
            assertThatThrownBy(() -> mount.remove("/a")).isInstanceOf(DirectoryNotEmptyException.class);
        }
        try (NfsMount mount = server.mount("")) {
            server.failNext(Opcode.REMOVE, Status.NFS4ERR_NOENT);
            assertThatThrownBy(() -> mount.remove("/a")).isInstanceOf(NoSuchFileException.class);
        }
    }

    @Test
    void shouldBeUndecidedWhereTheMountIsReplacedBeforeItIsDoneAgain() throws Exception {
        NfsMount mount = server.mount("");
        loseTheSessionBehind(mount, Opcode.REMOVE, Status.NFS4ERR_DELAY);
        server.failNext(
                Opcode.REMOVE, Collections.nCopies(1000, Status.NFS4ERR_DELAY).toArray(Status[]::new));
        Future<?> running = start(() -> mount.remove("/a"));
        while (mount.delayedOperation().isEmpty()) {
            Thread.onSpinWait();
        }
        mount.end(MountLifetime.End.REPLACED, Duration.ofMillis(50));
        assertThatThrownBy(() -> join(running))
                .cause()
                .isInstanceOfSatisfying(MountReplacedException.class, e -> assertThat(e.isUndecided())
                        .isTrue());
    }

    @Test
    void shouldBeUndecidedWhereTheMountIsReplacedBetweenItsSteps() throws Exception {
        server.supported = AttributeMask.of(Attribute.MODE); // so that SETATTR follows OPEN
        NfsMount mount = server.mount("");
        server.failNext(
                Opcode.SETATTR, Collections.nCopies(1000, Status.NFS4ERR_DELAY).toArray(Status[]::new));
        Future<?> running = start(() -> mount.open("/a", NEW, 0640));
        while (mount.delayedOperation().isEmpty()) {
            Thread.onSpinWait();
        }
        mount.end(MountLifetime.End.REPLACED, Duration.ofMillis(50));
        assertThatThrownBy(() -> join(running))
                .cause()
                .isInstanceOfSatisfying(MountReplacedException.class, e -> assertThat(e.isUndecided())
                        .isTrue());
    }
}
