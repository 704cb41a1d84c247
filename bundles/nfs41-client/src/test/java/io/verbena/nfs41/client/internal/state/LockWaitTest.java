package io.verbena.nfs41.client.internal.state;

import static io.verbena.nfs41.client.internal.callback.CallbackRequest.compound;
import static io.verbena.nfs41.client.internal.callback.CallbackRequest.sequence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.CbNotifyLock;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.figures.CurrentWaits;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.ManualClock;
import io.verbena.nfs41.client.internal.testing.TestThread;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting for a lock that somebody else holds. */
@Timeout(60)
class LockWaitTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.WRITE);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private void denyNext(int times) {
        server.failNext(
                Opcode.LOCK, Collections.nCopies(times, Status.NFS4ERR_DENIED).toArray(Status[]::new));
    }

    private List<LockType> asked() {
        return server.locked.stream().map(Lock.Args::type).toList();
    }

    private static CompletableFuture<Optional<RemoteLock>> waiting(RemoteFile file, Duration wait) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return file.tryLock(0, 10, false, wait);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void shouldAskAgainUntilNobodyIsInTheWay() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            denyNext(3);
            assertThat(file.tryLock(0, 10, false, Duration.ofSeconds(30))).isPresent();
            assertThat(asked()).hasSize(4).containsOnly(LockType.WRITEW_LT);
        }
    }

    @Test
    void shouldAskAgainAtOnceWhenTheServerHints() throws Exception {
        server.sessionFlags = CreateSession.CONN_BACK_CHAN;
        server.openFlags = Open.RESULT_MAY_NOTIFY_LOCK;
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            denyNext(1);
            // sooner than it would ask again of itself: without a hint the last attempt, which does not wait, gets it
            CompletableFuture<Optional<RemoteLock>> lock = waiting(file, Duration.ofSeconds(9));
            Lock.Args first = server.locked.poll(30, TimeUnit.SECONDS);
            Lock.NewLockOwner locker = (Lock.NewLockOwner) first.locker();
            CbNotifyLock.Args hint = new CbNotifyLock.Args(FakeServer.HANDLE, locker.owner());
            compound(sequence(server.session, 1, 0), out -> CbNotifyLock.encodeArgs(out, hint))
                    .by(server.connectedWith.reverse().orElseThrow());
            assertThat(lock.get(30, TimeUnit.SECONDS)).isPresent();
            assertThat(asked()).containsExactly(LockType.WRITEW_LT);
        }
    }

    @Test
    void shouldHintToAllWhoWaitForLocksOfOneOwner() throws IOException {
        LockWaiters waiters = new LockWaiters(new CurrentWaits(RUNTIME), RUNTIME);
        Opaque owner = Opaque.of("owner");
        try (LockWaiters.Waiter one = waiters.register(FakeServer.HANDLE, owner)) {
            try (LockWaiters.Waiter two = waiters.register(FakeServer.HANDLE, owner)) {
                waiters.hint(FakeServer.HANDLE, owner);
                assertThat(one.await(0)).isTrue();
                assertThat(two.await(0)).isTrue();
            }
            waiters.hint(FakeServer.HANDLE, owner);
            assertThat(one.await(0)).isTrue();
        }
    }

    @Test
    void shouldGiveUpInTheEnd() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            denyNext(1000);
            assertThat(file.tryLock(0, 10, true, Duration.ofMillis(50))).isEmpty();
            assertThat(asked()).startsWith(LockType.READW_LT).endsWith(LockType.READ_LT);
            server.locked.clear();
            assertThat(file.tryLock(0, 10, true, Duration.ZERO)).isEmpty();
            assertThat(asked()).containsExactly(LockType.READ_LT);
        }
    }

    /** As after a grace period that the first request has waited out. */
    @Test
    void shouldNotPauseWhereTheAnswerTakesLongerThanTheWait() throws Exception {
        server.sessionFlags = CreateSession.CONN_BACK_CHAN;
        server.openFlags = Open.RESULT_MAY_NOTIFY_LOCK; // without a hint the client pauses for 10 s
        try (WatchedWaits clock = new WatchedWaits();
                NfsMount mount = NfsMount.create("m", "127.0.0.1", "/", "", server, new DirectMemory(), clock);
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            denyNext(1000);
            server.hold(Opcode.LOCK);
            CompletableFuture<Optional<RemoteLock>> lock = waiting(file, Duration.ofSeconds(50));
            server.awaitHeld();
            clock.pass(Duration.ofSeconds(51));
            clock.bounds.clear();
            server.letGo();
            assertThat(lock.get(30, TimeUnit.SECONDS)).isEmpty();
            assertThat(clock.bounds).containsExactly(0L);
            assertThat(asked()).containsExactly(LockType.WRITEW_LT, LockType.WRITE_LT);
        }
    }

    /** Keeps how long threads wait for futures at most, in nanoseconds. */
    private static final class WatchedWaits extends ManualClock {
        private final List<Long> bounds = new CopyOnWriteArrayList<>();

        WatchedWaits() {
            super(1_000);
        }

        @Override
        public <T> T await(Future<T> future, long timeoutNanos)
                throws InterruptedException, ExecutionException, TimeoutException {
            if (timeoutNanos != Long.MAX_VALUE) {
                bounds.add(timeoutNanos);
            }
            return super.await(future, timeoutNanos);
        }
    }

    /** The first of them is under way for longer than a call of a soft mount may take. */
    @Test
    void shouldNotWaitForAnotherRequestForLongerThanACallMayTakeOnASoftMount() throws Exception {
        try (NfsMount mount = server.mount("soft,timeo=10,retrans=0");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            server.hold(Opcode.LOCK);
            CompletableFuture<Optional<RemoteLock>> first = waiting(file, Duration.ZERO);
            server.awaitHeld();
            try {
                TestThread second = TestThread.start(() -> file.tryLock(10, 10, false));
                assertThat(second.end())
                        .isInstanceOf(ServerUnavailableException.class)
                        .hasMessageContaining("m:/file");
            } finally {
                server.letGo();
            }
            assertThat(first.get(30, TimeUnit.SECONDS)).isPresent();
            assertThat(file.tryLock(10, 10, false)).isPresent();
        }
    }

    @Test
    void shouldNotWaitForALockOfAFileThatWasClosedMeanwhile() throws Exception {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", WRITE, 0600);
            denyNext(1000);
            CompletableFuture<Optional<RemoteLock>> lock = waiting(file, Duration.ofSeconds(50));
            assertThat(server.locked.poll(30, TimeUnit.SECONDS)).isNotNull();
            file.close();
            assertThatThrownBy(() -> lock.get(30, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(ClosedChannelException.class);
        }
    }
}
