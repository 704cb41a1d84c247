package io.verbena.nfs41.client.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.file.NfsFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.Latches;
import io.verbena.nfs41.client.internal.testing.TestThread;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks of one process on one file of one mount: one table, without overlaps. */
@Timeout(60)
class OwnLocksTest {
    private static final Set<StandardOpenOption> BOTH = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void shouldRefuseALockThatOverlapsAnOwnOne() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                RemoteFile other = mount.open("/file", BOTH, 0600)) {
            RemoteLock lock = file.tryLock(0, 10, true).orElseThrow();
            int before = server.seen.size();
            for (RemoteFile each : List.of(file, other)) {
                assertThatThrownBy(() -> each.tryLock(9, 1, true)).isInstanceOf(OverlappingFileLockException.class);
                assertThatThrownBy(() -> each.tryLock(5, Long.MAX_VALUE, false, Duration.ofSeconds(1)))
                        .isInstanceOf(OverlappingFileLockException.class);
            }
            assertThat(server.opcodesSince(before)).doesNotContain(Opcode.LOCK, Opcode.LOCKU);
            assertThat(other.tryLock(10, 5, false)).isPresent();
            lock.close();
            assertThat(lock.isValid()).isFalse();
            assertThat(other.tryLock(0, 10, false)).isPresent();
        }
    }

    @Test
    void shouldGiveUpItsRangeWithTheFile() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile other = mount.open("/file", BOTH, 0600)) {
            RemoteFile file = mount.open("/file", BOTH, 0600);
            RemoteLock lock = file.tryLock(0, 10, false).orElseThrow();
            assertThat(lock.isValid()).isTrue();
            file.close();
            assertThat(lock.isValid()).isFalse();
            RemoteLock next = other.tryLock(0, 10, false).orElseThrow();
            lock.close();
            assertThat(next.isValid()).isTrue();
            assertThatThrownBy(() -> other.tryLock(0, 10, false)).isInstanceOf(OverlappingFileLockException.class);
        }
    }

    @Test
    void shouldTellTheHolderAtOnceThatALockIsLost() throws IOException {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", BOTH, 0600);
            RemoteLock lock = file.tryLock(0, 10, false).orElseThrow();
            List<IOException> told = new ArrayList<>();
            lock.onLost(told::add);
            ((NfsFile) file).state().locks().lose("the server revoked it");
            assertThat(lock.isValid()).isFalse();
            assertThat(told).singleElement().satisfies(e -> assertThat(e)
                    .hasMessageContaining("the server revoked it"));
            lock.onLost(told::add);
            assertThat(told).hasSize(2);
            try (RemoteFile anew = mount.open("/file", BOTH, 0600)) {
                assertThat(anew.tryLock(0, 10, false)).isPresent();
                assertThatThrownBy(lock::close).hasMessageContaining("the server revoked it");
                assertThatThrownBy(() -> anew.tryLock(0, 1, false)).isInstanceOf(OverlappingFileLockException.class);
            }
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0))
                    .hasMessageContaining("the server revoked it");
            file.close();
        }
    }

    /** Nobody holds what the server grants then: it goes back, and the range is free once that is done. */
    @Test
    void shouldGiveBackALockThatCameTooLate() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            server.hold(Opcode.LOCK);
            TestThread locking = TestThread.start(() -> file.tryLock(0, 10, false));
            server.awaitHeld();
            assertThat(locking.interrupt()).isInstanceOf(InterruptedIOException.class);
            assertThatThrownBy(() -> file.tryLock(0, 10, false)).isInstanceOf(OverlappingFileLockException.class);
            server.letGo();
            assertThat(file.tryLock(20, 10, false)).isPresent(); // behind that LOCK
            assertThat(file.attributes().size()).isZero(); // behind the LOCKU
            assertThat(server.executed(Opcode.LOCKU)).isEqualTo(1);
            assertThat(file.tryLock(0, 10, false)).isPresent();
        }
    }

    /** The server orders nothing between slots: a LOCK of the same octets must not overtake the LOCKU. */
    @Test
    void shouldKeepItsRangeUntilItIsUnlocked() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            RemoteLock lock = file.tryLock(0, 10, false).orElseThrow();
            server.hold(Opcode.LOCKU);
            TestThread unlocking = TestThread.start(lock::close);
            server.awaitHeld();
            assertThat(unlocking.interrupt()).isInstanceOf(InterruptedIOException.class);
            assertThat(lock.isValid()).isFalse();
            assertThatThrownBy(() -> file.tryLock(0, 10, false)).isInstanceOf(OverlappingFileLockException.class);
            server.letGo();
            assertThat(file.attributes().size()).isZero(); // behind the LOCKU
            assertThat(file.tryLock(0, 10, false)).isPresent();
        }
    }

    @Test
    void shouldGiveUpTheRangeOfALockThatCameWhenTheFileWasClosed() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile other = mount.open("/file", BOTH, 0600)) {
            RemoteFile file = mount.open("/file", BOTH, 0600);
            server.hold(Opcode.LOCK);
            TestThread locking = TestThread.start(() -> file.tryLock(0, 10, false));
            server.awaitHeld();
            TestThread closing = TestThread.start(file::close).awaitWaiting();
            server.letGo();
            assertThat(locking.end()).isInstanceOf(IOException.class);
            assertThat(closing.end()).isNull();
            // RFC 8881 section 18.2: a server may refuse to close a file with locks
            assertThat(server.opcodesSince(0)).containsSubsequence(Opcode.LOCK, Opcode.LOCKU, Opcode.CLOSE);
            assertThat(other.tryLock(0, 10, false)).isPresent();
        }
    }

    @Test
    void shouldBringToStableStorageWhatOthersWroteBeforeItUnlocks() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile reader = mount.open("/file", Set.of(StandardOpenOption.READ), 0600);
                RemoteFile writer = mount.open("/file", BOTH, 0600)) {
            RemoteLock lock = reader.tryLock(0, 10, true).orElseThrow();
            writer.write(ByteBuffer.allocate(5), 0);
            int before = server.seen.size();
            lock.close();
            assertThat(server.opcodesSince(before)).containsSubsequence(Opcode.COMMIT, Opcode.LOCKU);
        }
    }

    /** Others write there from then on, and writing again would undo that. */
    @Test
    void shouldNotWriteAgainWhatWasNotSafeWhenItUnlocked() throws IOException {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", BOTH, 0600);
            RemoteLock lock = file.tryLock(0, 10, false).orElseThrow();
            file.write(ByteBuffer.allocate(5), 0);
            file.write(ByteBuffer.allocate(5), 10);
            server.failNext(Opcode.COMMIT, Status.NFS4ERR_IO, Status.NFS4ERR_IO);
            assertThatThrownBy(file::sync).isInstanceOf(NfsException.class);
            assertThatThrownBy(lock::close).isInstanceOf(NfsException.class);
            assertThat(server.executed(Opcode.LOCKU)).isEqualTo(1);
            server.restart(); // what was not on stable storage is lost
            int before = server.seen.size();
            assertThatThrownBy(file::close).isInstanceOf(NfsException.class);
            assertThat(server.opcodesSince(before).stream().filter(opcode -> opcode == Opcode.WRITE))
                    .as("outside of the lock's range")
                    .hasSize(1);
        }
    }

    @Test
    void shouldGiveUpTheRangeThatIsWaitedForWhenTheFileIsClosed() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile other = mount.open("/file", BOTH, 0600)) {
            RemoteFile file = mount.open("/file", BOTH, 0600);
            server.failNext(Opcode.LOCK, Status.NFS4ERR_DENIED);
            CountDownLatch asked = new CountDownLatch(1);
            server.onRequest = asked::countDown;
            TestThread waiting = TestThread.start(() -> file.tryLock(0, 10, false, Duration.ofSeconds(20)));
            Latches.await(asked);
            file.close();
            assertThat(other.tryLock(0, 10, false)).isPresent();
            Throwable unused = waiting.end();
        }
    }
}
