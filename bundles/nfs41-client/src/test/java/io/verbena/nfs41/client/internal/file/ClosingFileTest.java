package io.verbena.nfs41.client.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.memory.BufferLease;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.TestThread;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A file is synced, unlocked and closed by threads that do not wait for one another, or that are interrupted. */
@Timeout(60)
class ClosingFileTest {
    private static final Set<StandardOpenOption> BOTH = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    /** Writes what the server refuses once it answers. */
    private SeekableByteChannel writeInVain(RemoteFile file) throws Exception {
        server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC);
        server.hold(Opcode.WRITE);
        SeekableByteChannel channel = file.channel();
        channel.write(ByteBuffer.wrap(new byte[] {1, 2}));
        server.awaitHeld();
        return channel;
    }

    /** Interrupts a thread that waits for the write, which fails then. */
    private void interrupt(TestThread.Action waiting, RemoteFile file) throws Exception {
        TestThread waits = TestThread.start(waiting).awaitWaiting();
        assertThat(waits.interrupt()).isInstanceOf(InterruptedIOException.class);
        server.letGo();
        assertThat(file.attributes()).isNotNull(); // behind the write
    }

    @Test
    void shouldReportALossThatAnInterruptedSyncHasNotHeard() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            writeInVain(file);
            interrupt(file::sync, file);
            assertThatThrownBy(file::sync).hasMessageContaining("no space is left on the server");
            file.sync(); // once it is heard
        }
    }

    @Test
    void shouldTellOfFailedWritesWithoutACommitWhereAFileIsFlushed() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            writeInVain(file);
            server.letGo();
            assertThatThrownBy(file::flush).hasMessageContaining("no space is left on the server");
            SeekableByteChannel behind = file.channel().position(2);
            assertThat(behind.write(ByteBuffer.wrap(new byte[] {3, 4}))).isEqualTo(2);
            file.flush();
            assertThat(server.content).startsWith(0, 0, 3, 4);
            assertThat(server.executed(Opcode.COMMIT)).isZero();
        }
    }

    @Test
    void shouldReportALossThatAnInterruptedUnlockHasNotHeard() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            RemoteLock lock = file.tryLock(0, 10, false).orElseThrow();
            writeInVain(file);
            interrupt(lock::close, file);
            assertThatThrownBy(file::sync).hasMessageContaining("no space is left on the server");
        }
    }

    @Test
    void shouldReportALossThatAnInterruptedCloseOfAChannelHasNotHeard() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            SeekableByteChannel channel = writeInVain(file);
            interrupt(channel::close, file);
            assertThatThrownBy(file::sync).hasMessageContaining("no space is left on the server");
        }
    }

    @Test
    void shouldUnlockBehindTheDataWhereAnotherThreadClosesTheFile() throws Exception {
        try (NfsMount mount = server.mount("")) {
            NfsFile file = (NfsFile) mount.open("/file", BOTH, 0600);
            RemoteLock lock = file.tryLock(0, 10, false).orElseThrow();
            server.hold(Opcode.WRITE);
            file.channel().write(ByteBuffer.wrap(new byte[] {1, 2}));
            server.awaitHeld();
            TestThread closing = TestThread.start(file::close).awaitWaiting();
            assertThat(file.isOpen()).isFalse();
            TestThread unlocking = TestThread.start(lock::close).awaitWaiting();
            assertThat(server.executed(Opcode.LOCKU)).isZero();
            server.letGo();
            assertThat(unlocking.end()).isNull();
            assertThat(closing.end()).isNull();
            assertThat(server.opcodesSince(0))
                    .containsSubsequence(Opcode.WRITE, Opcode.COMMIT, Opcode.LOCKU, Opcode.CLOSE);
        }
    }

    /** Else what is written again after a restart overwrites the next holder's data. */
    @Test
    void shouldKeepNoDataBehindTheLockThatWasHeldForIt() throws Exception {
        try (NfsMount mount = server.mount("")) {
            NfsFile file = (NfsFile) mount.open("/file", BOTH, 0600);
            assertThat(file.tryLock(0, 10, false)).isPresent();
            file.write(ByteBuffer.wrap(new byte[] {1, 2}), 0);
            server.failNext(Opcode.COMMIT, Status.NFS4ERR_IO);
            server.hold(Opcode.LOCKU);
            CompletableFuture<Void> closed = file.closeAsync();
            server.awaitHeld();
            assertThat(file.core().writes().retainedBytes()).isZero();
            server.letGo();
            assertThatThrownBy(closed::join).hasMessageContaining("NFS4ERR_IO");
        }
    }

    @Test
    void shouldRefuseAWriteThatMeetsClosing() throws Exception {
        try (NfsMount mount = server.mount("")) {
            NfsFile file = (NfsFile) mount.open("/file", BOTH, 0600);
            SeekableByteChannel channel = file.channel();
            file.writer().seal(); // another thread is about to close the file, which still seems open
            AtomicInteger closed = new AtomicInteger();
            BufferLease lease = new BufferLease() {
                private final ByteBuffer buffer = ByteBuffer.allocateDirect(8);

                @Override
                public ByteBuffer buffer() {
                    return buffer;
                }

                @Override
                public int heldBytes() {
                    return 8;
                }

                @Override
                public void close() {
                    closed.incrementAndGet();
                }
            };
            ByteBuffer source = ByteBuffer.allocate(8);
            List<TestThread.Action> writes = List.of(
                    () -> file.write(source, 0),
                    () -> channel.write(source),
                    () -> file.writeAsync(source, 0).get(),
                    () -> file.appendAsync(source, at -> {}).get(),
                    () -> file.writeAsync(lease, 0).get());
            for (TestThread.Action write : writes) {
                assertThatThrownBy(write::run)
                        .satisfies(e -> assertThat(e instanceof ClosedChannelException ? e : e.getCause())
                                .isInstanceOf(ClosedChannelException.class));
            }
            assertThat(closed).hasValue(1);
            assertThat(file.core().writes().isPending()).isFalse();
            file.close();
            assertThat(server.executed(Opcode.WRITE)).isZero();
        }
    }

    @Test
    void shouldAskForNoLockOfAFileThatWasClosedMeanwhile() throws Exception {
        try (NfsMount mount = server.mount("")) {
            NfsFile file = (NfsFile) mount.open("/file", BOTH, 0600);
            server.hold(Opcode.LOCK);
            TestThread first = TestThread.start(() -> file.tryLock(0, 10, false));
            server.awaitHeld();
            TestThread second =
                    TestThread.start(() -> file.tryLock(20, 10, false)).awaitWaiting(); // its turn is behind the first
            CompletableFuture<Void> closed = file.closeAsync();
            server.letGo();
            closed.join();
            assertThat(first.end()).isInstanceOf(AsynchronousCloseException.class);
            assertThat(second.end()).isInstanceOf(ClosedChannelException.class);
            assertThat(server.executed(Opcode.LOCK)).isEqualTo(1);
        }
    }

    /** Otherwise the try statement of a user fails with that an exception cannot be suppressed by itself. */
    @Test
    void shouldThrowAnotherExceptionByEachClose() throws Exception {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", BOTH, 0600);
            SeekableByteChannel channel = writeInVain(file);
            server.failNext(Opcode.CLOSE, Status.NFS4ERR_IO);
            server.letGo();
            List<Throwable> all =
                    List.of(catchThrowable(file::flush), catchThrowable(channel::close), catchThrowable(file::close));
            assertThat(all)
                    .doesNotContainNull()
                    .usingElementComparator((a, b) -> a == b ? 0 : 1)
                    .doesNotHaveDuplicates();
        }
    }
}
