package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.MountState;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.identity.ClientOwner;
import io.verbena.nfs41.client.internal.link.TransportSource;
import io.verbena.nfs41.client.internal.mount.MountAssembly;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.security.SecuritySource;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.TransportLostException;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the client does when a session, a reply or the server itself is lost. */
@Timeout(60)
class SessionRecoveryTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private static final Set<StandardOpenOption> WRITE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private FakeServer.Seen last() {
        return server.seen.get(server.seen.size() - 1);
    }

    @Test
    void shouldRegisterBeforeAnythingElse() throws IOException {
        try (NfsMount mount = server.mount("")) {
            assertThat(mount.state()).isEqualTo(MountState.MOUNTED);
            assertThat(server.seen.get(0).opcodes()).containsExactly(Opcode.EXCHANGE_ID);
            assertThat(server.seen.get(1).opcodes()).containsExactly(Opcode.CREATE_SESSION);
            assertThat(server.seen.get(2).opcodes()).containsExactly(Opcode.SEQUENCE, Opcode.RECLAIM_COMPLETE);
        }
        assertThat(last().opcodes()).containsExactly(Opcode.DESTROY_CLIENTID);
    }

    private List<FakeServer.Seen> seenSince(int before) {
        return List.copyOf(server.seen.subList(before, server.seen.size()));
    }

    @Test
    void shouldMountThoughTheServerRestartsMeanwhile() throws IOException {
        server.failNext(Opcode.CREATE_SESSION, Status.NFS4ERR_STALE_CLIENTID);
        server.failNext(Opcode.SEQUENCE, Status.NFS4ERR_BADSESSION);
        try (NfsMount mount = server.mount("soft")) {
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
        }
    }

    @Test
    void shouldRepeatARequestWithoutReplyInTheSameSlotWithTheSameNumber() throws IOException {
        try (NfsMount mount = server.mount("")) {
            int before = server.seen.size();
            server.loseNextReply(new TransportLostException("gone", null));
            RemoteFile file = mount.open("/file", WRITE, 0600);
            List<FakeServer.Seen> seen = seenSince(before);
            assertThat(seen).hasSize(2);
            assertThat(seen.get(0).opcodes()).contains(Opcode.OPEN);
            assertThat(seen.get(1).slot()).isEqualTo(seen.get(0).slot());
            assertThat(seen.get(1).sequence()).isEqualTo(seen.get(0).sequence());
            file.close();
            assertThat(last().sequence()).isEqualTo(seen.get(0).sequence() + 1);
        }
    }

    @Test
    void shouldDoAgainWhoseReplyTheServerDidNotKeep() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            int before = server.seen.size();
            server.loseNextReply(new TransportLostException("gone", null));
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            List<FakeServer.Seen> seen = seenSince(before);
            assertThat(seen).hasSize(3);
            assertThat(seen.get(1).sequence()).isEqualTo(seen.get(0).sequence());
            assertThat(seen.get(2).sequence()).isEqualTo(seen.get(0).sequence() + 1);
            assertThat(server.content).startsWith(1, 2, 3);
        }
    }

    @Test
    void shouldWaitOutOnASoftMountWhatTheServerPutsOff() throws IOException {
        try (NfsMount mount = server.mount("soft,retrans=1")) {
            server.failNext(Opcode.LOOKUP, repeated(Status.NFS4ERR_DELAY, 3));
            server.failNext(Opcode.SEQUENCE, repeated(Status.NFS4ERR_DELAY, 3));
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
        }
    }

    @Test
    void shouldWaitOnASoftMountForNoLongerThanItsPatience() throws IOException {
        try (NfsMount mount = server.mount("soft,retrans=1,timeo=1")) {
            server.failNext(Opcode.LOOKUP, repeated(Status.NFS4ERR_DELAY, 1000));
            assertThatThrownBy(() -> mount.attributes("/file", true))
                    .isInstanceOf(NfsException.class)
                    .hasMessageContaining("NFS4ERR_DELAY");
        }
    }

    @Test
    void shouldWaitForTheEndOfAGracePeriodThoughItIsLongerThanASoftMountsPatience() throws IOException {
        try (NfsMount mount = server.mount("soft,retrans=0,timeo=1")) {
            // the pauses before the last attempt add up to 140 ms, beyond the patience of 100
            server.failNext(Opcode.OPEN, repeated(Status.NFS4ERR_GRACE, 4));
            mount.open("/file", WRITE, 0600).close();
        }
    }

    private static Status[] repeated(Status status, int times) {
        return Collections.nCopies(times, status).toArray(Status[]::new);
    }

    @Test
    void shouldCloseAFileWhoseLockWasLost() throws IOException {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", WRITE, 0600);
            assertThat(file.tryLock(0, 10, false)).isPresent();
            server.stateId = new StateId(1, 1, 99);
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(3), 0))
                    .hasMessageContaining("a lock on it was lost");
            int before = server.seen.size();
            file.close();
            assertThat(server.opcodesSince(before)).contains(Opcode.CLOSE);
        }
    }

    @Test
    void shouldHaveOneRenewalUnderWayAtATime() throws Exception {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
        MountAssembly assembly = new MountAssembly(
                settings,
                new TransportSource(server, RUNTIME),
                new SecuritySource(null, RUNTIME),
                null,
                new DirectMemory(),
                new MountLifetime("m", RUNTIME),
                ClientOwner.random("m", RUNTIME),
                RUNTIME);
        try {
            assembly.start();
            assembly.connect(Duration.ofSeconds(20));
            int before = server.seen.size();
            server.gate = new CountDownLatch(1);
            for (int i = 0; i < 3; i++) {
                assembly.sessions().renew();
            }
            server.gate.countDown();
            // requests are answered in order: the renewals are done when this is
            assembly.namespace().attributes("/file", true).get(20, TimeUnit.SECONDS);
            assertThat(renewalsSince(before)).isEqualTo(1);
            assembly.sessions().renew();
            assembly.namespace().attributes("/file", true).get(20, TimeUnit.SECONDS);
            assertThat(renewalsSince(before)).isEqualTo(2);
        } finally {
            assembly.close(Duration.ofSeconds(10));
        }
    }

    private long renewalsSince(int before) {
        return seenSince(before).stream()
                .filter(each -> each.opcodes().equals(List.of(Opcode.SEQUENCE)))
                .count();
    }

    @Test
    void shouldCloseWhatAnInterruptedOpenBrings() throws Exception {
        try (NfsMount mount = server.mount("")) {
            server.gate = new CountDownLatch(1);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> mount.open("/file", WRITE, 0600)).isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.interrupted()).isTrue();
            server.gate.countDown();
            assertThat(server.fileClosed.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void shouldCloseWhatAnOpenBringsThatMayNotWait() throws Exception {
        try (NfsMount mount = server.mount("")) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            server.gate = new CountDownLatch(1);
            CompletableFuture<Object> unused = mount.attributesAsync("/file").handle((attributes, failed) -> {
                try {
                    thrown.complete(new AssertionError(mount.open("/file", WRITE, 0600)));
                } catch (IOException | RuntimeException e) {
                    thrown.complete(e);
                }
                return null;
            });
            server.gate.countDown();
            assertThat(thrown.get(20, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
            assertThat(server.fileClosed.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void shouldRepeatWhatTheServerIsTooBusyFor() throws IOException {
        try (NfsMount mount = server.mount("")) {
            server.failNext(Opcode.LOOKUP, Status.NFS4ERR_DELAY, Status.NFS4ERR_DELAY);
            server.failNext(Opcode.SEQUENCE, Status.NFS4ERR_DELAY);
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
        }
    }

    @Test
    void shouldMakeAnotherSessionAndGoOn() throws IOException {
        try (NfsMount mount = server.mount("")) {
            int before = server.seen.size();
            server.failNext(Opcode.SEQUENCE, Status.NFS4ERR_BADSESSION);
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
            assertThat(server.opcodesSince(before))
                    .contains(Opcode.CREATE_SESSION)
                    .doesNotContain(Opcode.EXCHANGE_ID, Opcode.RECLAIM_COMPLETE);
        }
    }

    @Test
    void shouldClaimOpenFilesWhenTheServerHasRestarted() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            server.restart();
            int before = server.seen.size();
            ByteBuffer read = ByteBuffer.allocate(3);
            assertThat(file.read(read, 0)).isEqualTo(3);
            assertThat(read.array()).containsExactly(1, 2, 3);
            List<Integer> opcodes = server.opcodesSince(before);
            assertThat(opcodes)
                    .containsSubsequence(
                            Opcode.EXCHANGE_ID,
                            Opcode.CREATE_SESSION,
                            Opcode.OPEN,
                            Opcode.RECLAIM_COMPLETE,
                            Opcode.READ);
        }
    }

    /** Loses the reply of the next request, behind which the server restarts. */
    private void restartBehindNextRequest() {
        AtomicInteger requests = new AtomicInteger();
        server.loseNextReply(new TransportLostException("cut off", null));
        server.onRequest = () -> {
            if (requests.incrementAndGet() == 2) {
                server.restart();
            }
        };
    }

    /** Another client may have got the lock, and claims it. */
    @Test
    void shouldNotClaimALockThatTheServerMayHaveReleased() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            RemoteLock lock = file.tryLock(0, 10, false).orElseThrow();
            restartBehindNextRequest();
            int before = server.seen.size();
            lock.close();
            assertThat(file.read(ByteBuffer.allocate(3), 0)).isEqualTo(-1);
            assertThat(server.opcodesSince(before))
                    .containsSubsequence(Opcode.LOCKU, Opcode.OPEN, Opcode.RECLAIM_COMPLETE, Opcode.READ)
                    .doesNotContain(Opcode.LOCK);
            assertThat(server.executed(Opcode.LOCKU)).isOne();
        }
    }

    @Test
    void shouldClaimTheLocksThatAreNotReleased() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            RemoteLock released = file.tryLock(0, 10, false).orElseThrow();
            RemoteLock held = file.tryLock(20, 10, false).orElseThrow();
            restartBehindNextRequest();
            server.locked.clear();
            released.close();
            assertThat(server.locked).singleElement().satisfies(claim -> {
                assertThat(claim.reclaim()).isTrue();
                assertThat(claim.offset()).isEqualTo(20);
            });
            assertThat(held.isValid()).isTrue();
            assertThat(file.tryLock(0, 10, false)).isPresent();
        }
    }

    /** Nobody holds it, and another client may have got it. */
    @Test
    void shouldNotClaimAReleasedLockThatWasLockedAgainAfterAFailedRelease() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            RemoteLock first = file.tryLock(0, 10, false).orElseThrow();
            server.failNext(Opcode.LOCKU, Status.NFS4ERR_SERVERFAULT);
            assertThatThrownBy(first::close).isInstanceOf(NfsException.class);
            file.tryLock(0, 10, false).orElseThrow().close();
            server.restart();
            server.locked.clear();
            assertThat(file.read(ByteBuffer.allocate(3), 0)).isEqualTo(-1);
            assertThat(server.locked).isEmpty();
        }
    }

    @Test
    void shouldOpenByHandleWhatCannotBeClaimed() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            server.restart();
            server.failNext(Opcode.OPEN, Status.NFS4ERR_NO_GRACE);
            int before = server.seen.size();
            assertThat(file.read(ByteBuffer.allocate(3), 0)).isEqualTo(3);
            assertThat(server.opcodesSince(before))
                    .containsSubsequence(Opcode.OPEN, Opcode.RECLAIM_COMPLETE, Opcode.READ, Opcode.OPEN, Opcode.READ);
        }
    }

    @Test
    void shouldFindTheRootAgainWhenItsHandleIsStale() throws IOException {
        try (NfsMount mount = server.mount("")) {
            server.failNext(Opcode.PUTFH, Status.NFS4ERR_STALE);
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
            server.failNext(Opcode.PUTFH, Status.NFS4ERR_STALE, Status.NFS4ERR_STALE);
            assertThatThrownBy(() -> mount.attributes("/file", true))
                    .isInstanceOf(NfsException.class)
                    .hasMessage("m:/file: it was removed on the server, or is not exported any more (NFS4ERR_STALE)");
        }
    }

    @Test
    void shouldNotTakeAnotherFileSystemForTheRoot() throws IOException {
        try (NfsMount mount = server.mount("")) {
            server.fileSystem = 2; // where the export was, its mount point is left
            server.failNext(Opcode.PUTFH, Status.NFS4ERR_STALE);
            assertThatThrownBy(() -> mount.attributes("/file", true)).hasMessageContaining("NFS4ERR_STALE");
            server.fileSystem = 1;
            server.failNext(Opcode.PUTFH, Status.NFS4ERR_STALE);
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
        }
    }

    @Test
    void shouldGiveUpOnASoftMountAndUseTheSlotAgain() throws Exception {
        try (NfsMount mount = server.mount("soft,retrans=1,slots=1")) {
            for (int i = 0; i < 2; i++) {
                server.loseNextReply(new CallTimedOutException("no answer", true));
            }
            assertThatThrownBy(() -> mount.attributes("/file", true))
                    .isInstanceOf(ServerUnavailableException.class)
                    .hasMessage("no answer")
                    .hasCauseInstanceOf(CallTimedOutException.class);
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
        }
    }

    @Test
    void shouldReportAnExportThatIsNotThereAndTryAgain() throws IOException {
        // the mount tries by itself at once, and connecting tries again if that has failed by then
        server.failNext(Opcode.LOOKUP, Status.NFS4ERR_NOENT, Status.NFS4ERR_NOENT);
        try (NfsMount mount = NfsMount.create("m", "127.0.0.1", "/none", "", server, new DirectMemory(), RUNTIME)) {
            assertThatThrownBy(() -> mount.connect(Duration.ofSeconds(20)))
                    .isInstanceOf(NfsException.class)
                    .hasMessageContaining("127.0.0.1:/none: the server has no such export");
            assertThat(mount.state()).isEqualTo(MountState.FAILED);
            server.failNoMore(Opcode.LOOKUP);
            mount.connect(Duration.ofSeconds(20));
            assertThat(mount.state()).isEqualTo(MountState.MOUNTED);
        }
    }

    @Test
    void shouldDestroyASessionThatItMakesNoUseOf() throws IOException {
        server.failNext(Opcode.LOOKUP, Status.NFS4ERR_NOENT);
        try (NfsMount mount = NfsMount.create("m", "127.0.0.1", "/none", "", server, new DirectMemory(), RUNTIME)) {
            try {
                mount.connect(Duration.ofSeconds(20)); // joins the attempt that fails, or comes behind it
            } catch (NfsException e) {
                mount.connect(Duration.ofSeconds(20));
            }
            assertThat(server.opcodesSince(0))
                    .containsSubsequence(
                            Opcode.CREATE_SESSION, Opcode.LOOKUP, Opcode.DESTROY_SESSION, Opcode.CREATE_SESSION);
        }
    }

    @Test
    void shouldNotMountAFile() {
        server.exportsFile = true;
        try (NfsMount mount = NfsMount.create("m", "127.0.0.1", "/dir/file", "", server, new DirectMemory(), RUNTIME)) {
            assertThatThrownBy(() -> mount.connect(Duration.ofSeconds(20)))
                    .isInstanceOf(NfsException.class)
                    .hasMessageContaining("127.0.0.1:/dir/file: the server has no such export");
        }
    }

    @Test
    void shouldRefuseToBlockTheThreadThatCompletesCalls() throws Exception {
        try (NfsMount mount = server.mount("")) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            server.gate = new CountDownLatch(1);
            CompletableFuture<Object> unused = mount.attributesAsync("/file").handle((attributes, failed) -> {
                try {
                    mount.attributes("/other", true);
                    thrown.complete(null);
                } catch (IOException | RuntimeException e) {
                    thrown.complete(e);
                }
                return null;
            });
            server.gate.countDown();
            assertThat(thrown.get(20, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void shouldUseSeveralSlotsAtOnceAndNoMoreThanThereAre() throws Exception {
        try (NfsMount mount = server.mount("")) {
            int before = server.seen.size();
            server.gate = new CountDownLatch(1); // else each may be answered before the next one is asked
            List<CompletableFuture<FileAttributes>> all = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                all.add(mount.attributesAsync("/file"));
            }
            server.gate.countDown();
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
            assertThat(List.copyOf(server.seen.subList(before, server.seen.size())))
                    .extracting(FakeServer.Seen::slot)
                    .contains(0, 1)
                    .allMatch(slot -> slot < FakeServer.SLOTS);
        }
    }

    @Test
    void shouldEndWhoWaitsWhenItIsUnmounted() throws Exception {
        NfsMount mount = server.mount("");
        server.failNext(
                Opcode.LOOKUP, Collections.nCopies(1000, Status.NFS4ERR_DELAY).toArray(Status[]::new));
        CompletableFuture<FileAttributes> waiting = mount.attributesAsync("/file");
        mount.close();
        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> mount.list("/")).hasMessageContaining("unmounted");
    }
}
