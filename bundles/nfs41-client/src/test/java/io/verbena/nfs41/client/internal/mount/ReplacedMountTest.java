package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.MountState;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.Latches;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import java.io.IOException;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of operations, files and locks when their mount is replaced, and what is left of it. */
@Timeout(60)
class ReplacedMountTest {
    private static final long END_MILLIS = 20_000;
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.letGo();
        server.close();
    }

    private static void assertReplaced(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(MountReplacedException.class, e -> {
            assertThat(e.mount()).isEqualTo("m");
            assertThat(e.isUndecided()).isFalse();
        });
    }

    private static void replace(NfsMount mount) {
        mount.end(MountLifetime.End.REPLACED);
    }

    @Test
    void shouldFailWhateverIsAskedOfAReplacedMount() throws IOException {
        NfsMount mount = server.mount("");
        replace(mount);
        assertThat(mount.state()).isEqualTo(MountState.UNMOUNTED);
        assertReplaced(() -> mount.connect(Duration.ofSeconds(1)));
        assertReplaced(() -> mount.reconnect(Duration.ofSeconds(1)));
        assertReplaced(() -> mount.attributes("/file", true));
        assertReplaced(() -> mount.list("/"));
        assertReplaced(() -> mount.entries("/"));
        assertReplaced(() -> mount.open("/file", WRITE, 0600));
        assertReplaced(() -> mount.rename("/a", "/b"));
        assertThatThrownBy(() -> mount.attributesAsync("/file").get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(MountReplacedException.class);
    }

    @Test
    void shouldFailWhateverIsAskedOfAFileOfAReplacedMount() throws IOException {
        NfsMount mount = server.mount("");
        RemoteFile file = mount.open("/file", WRITE, 0600);
        SeekableByteChannel channel = file.channel();
        RemoteLock lock = file.tryLock(0, 10, false).orElseThrow();
        replace(mount);
        ByteBuffer buffer = ByteBuffer.allocate(3);
        assertReplaced(() -> file.read(buffer, 0));
        assertReplaced(() -> file.write(buffer, 0));
        assertReplaced(() -> file.truncate(0));
        assertReplaced(file::sync);
        assertReplaced(file::attributes);
        assertReplaced(() -> file.tryLock(0, 10, false));
        assertReplaced(() -> file.tryLock(0, 10, false, Duration.ofSeconds(1)));
        assertReplaced(() -> file.isLocked(0, 10, false));
        assertThatThrownBy(() -> file.readAsync(buffer, 0).get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(MountReplacedException.class);
        assertThatThrownBy(() -> file.writeAsync(buffer, 0).get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(MountReplacedException.class);
        assertReplaced(() -> channel.read(buffer));
        assertReplaced(() -> channel.write(buffer));
        assertReplaced(channel::position);
        assertReplaced(channel::size);
        assertReplaced(() -> channel.truncate(0));
        assertReplaced(lock::close); // its holder has relied on it until now
        channel.close(); // what was written is safe
        file.close();
        assertThatThrownBy(() -> channel.read(buffer)).isInstanceOf(IOException.class);
    }

    /** The user has heard of it as of a replaced mount, perhaps, and asks by the close whether data was lost. */
    @Test
    void shouldTellAtTheCloseWhatWasLostThoughASyncHasToldIt() throws IOException {
        NfsMount mount = server.mount("");
        RemoteFile lost = mount.open("/file", WRITE, 0600);
        server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC);
        assertThat(lost.writeAsync(ByteBuffer.allocate(3), 0)).failsWithin(Duration.ofSeconds(20));
        assertThatThrownBy(lost::sync).hasMessageContaining("NFS4ERR_NOSPC");
        RemoteFile later = mount.open("/file", WRITE, 0600);
        server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC);
        assertThat(later.writeAsync(ByteBuffer.allocate(3), 0)).failsWithin(Duration.ofSeconds(20));
        assertThatThrownBy(later::sync).hasMessageContaining("NFS4ERR_NOSPC");
        later.sync();

        replace(mount);

        assertThatThrownBy(lost::close).hasMessageContaining("NFS4ERR_NOSPC");
        later.close();
    }

    @Test
    void shouldTellOfAClosedFileAsEverWhileTheMountIsThere() throws IOException {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", WRITE, 0600);
            file.close();
            assertThatThrownBy(file::sync).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void shouldSayThatItHasBeenUnmountedWhereSomebodyHasDoneThat() throws IOException {
        NfsMount mount = server.mount("");
        RemoteFile file = mount.open("/file", WRITE, 0600);
        mount.close();
        assertThatThrownBy(() -> mount.attributes("/file", true))
                .isNotInstanceOf(MountReplacedException.class)
                .hasMessage("mount 'm' has been unmounted");
        assertThatThrownBy(file::sync).hasMessage("mount 'm' has been unmounted");
    }

    @Test
    void shouldTellWhenItHasComeToItsEnd() throws Exception {
        NfsMount mount = server.mount("wsize=4096");
        RemoteFile file = mount.open("/file", WRITE, 0600);
        server.hold(Opcode.WRITE);
        CompletableFuture<Void> written = file.writeAsync(ByteBuffer.wrap(new byte[40 * 4096]), 0);
        server.awaitHeld();
        assertThat(mount.awaitEnd(Duration.ZERO)).isFalse();
        CompletableFuture<Void> ending = CompletableFuture.runAsync(mount::close);
        while (mount.state() != MountState.UNMOUNTED) {
            Thread.onSpinWait();
        }
        assertThat(mount.awaitEnd(Duration.ZERO)).isFalse();
        server.letGo();
        assertThat(mount.awaitEnd(Duration.ofSeconds(20))).isTrue();
        assertThat(written).isDone();
        ending.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldFinishALargeWriteAsAWholeAndCommitIt() throws Exception {
        byte[] content = new byte[40 * 4096];
        new Random(1).nextBytes(content);
        NfsMount mount = server.mount("wsize=4096");
        RemoteFile file = mount.open("/file", WRITE, 0600);
        server.hold(Opcode.WRITE);
        CompletableFuture<Void> written = file.writeAsync(ByteBuffer.wrap(content), 0);
        server.awaitHeld();
        CompletableFuture<Void> ending = CompletableFuture.runAsync(() -> replace(mount));
        while (mount.state() != MountState.UNMOUNTED) {
            Thread.onSpinWait();
        }
        server.letGo();
        written.get(20, TimeUnit.SECONDS);
        ending.get(20, TimeUnit.SECONDS);
        assertThat(server.content).startsWith(content);
        assertThat(server.opcodesSince(0))
                .containsSubsequence(
                        Opcode.WRITE, Opcode.COMMIT, Opcode.CLOSE, Opcode.DESTROY_SESSION, Opcode.DESTROY_CLIENTID);
        assertReplaced(file::sync);
    }

    @Test
    void shouldFailALargeWriteThatDoesNotEndInTime() throws Exception {
        NfsMount mount = server.mount("wsize=4096");
        RemoteFile file = mount.open("/file", WRITE, 0600);
        server.hold(Opcode.WRITE);
        CompletableFuture<Void> written = file.writeAsync(ByteBuffer.wrap(new byte[40 * 4096]), 0);
        server.awaitHeld();
        mount.end(MountLifetime.End.REPLACED, Duration.ofMillis(50));
        assertThatThrownBy(() -> written.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(MountReplacedException.class, e -> assertThat(e.isUndecided())
                        .isTrue());
        assertThatThrownBy(file::close).isInstanceOf(MountReplacedException.class);
    }

    @Test
    void shouldNotWaitForWhoWaitsForALock() throws Exception {
        NfsMount mount = server.mount("");
        RemoteFile file = mount.open("/file", WRITE, 0600);
        server.failNext(
                Opcode.LOCK, Collections.nCopies(1000, Status.NFS4ERR_DENIED).toArray(Status[]::new));
        CompletableFuture<Throwable> failed = CompletableFuture.supplyAsync(() -> {
            try {
                return new AssertionError(file.tryLock(0, 10, false, Duration.ofHours(1)));
            } catch (IOException e) {
                return e;
            }
        });
        assertThat(server.locked.poll(20, TimeUnit.SECONDS)).isNotNull();
        replace(mount);
        assertThat(failed.get(20, TimeUnit.SECONDS)).isInstanceOf(MountReplacedException.class);
    }

    @Test
    void shouldFailWhoWaitsForAServerThatPutsHimOff() throws Exception {
        NfsMount mount = server.mount("");
        server.failNext(
                Opcode.LOOKUP, Collections.nCopies(1000, Status.NFS4ERR_DELAY).toArray(Status[]::new));
        CompletableFuture<?> waiting = mount.attributesAsync("/file");
        mount.end(MountLifetime.End.REPLACED, Duration.ofMillis(100));
        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(MountReplacedException.class, e -> assertThat(e.isUndecided())
                        .isFalse());
    }

    @Test
    void shouldAskTheTransportForAnotherConnection() throws IOException {
        try (NfsMount mount = server.mount("")) {
            mount.reconnect(Duration.ofSeconds(20));
            assertThat(server.reconnects).hasValue(1);
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
            assertThat(server.opcodesSince(0)).containsOnlyOnce(Opcode.CREATE_SESSION);
        }
    }

    @Test
    void shouldLeaveNothing() throws Exception {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        Set<Thread> before = Thread.getAllStackTraces().keySet(); // of mounts of other tests, which may be ending
        List<WeakReference<Object>> watched = useAndReplace(queue);
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("verbena-nfs-m-") && !before.contains(thread)) {
                thread.join(END_MILLIS); // its pool has ended: it is about to
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
        // neither the server's thread, which has completed futures, nor this one, nor anything static knows them
        for (int found = 0; found < watched.size(); ) {
            System.gc();
            found += queue.remove(100) == null ? 0 : 1;
        }
    }

    private List<WeakReference<Object>> useAndReplace(ReferenceQueue<Object> queue) throws Exception {
        NfsMount mount = server.mount("");
        RemoteFile file = mount.open("/file", WRITE, 0600);
        file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
        CountDownLatch told = new CountDownLatch(1);
        CompletableFuture<Void> unused = mount.attributesAsync("/file").thenRun(told::countDown);
        Latches.await(told);
        mount.listen((name, what, message, pause) -> {});
        replace(mount);
        return List.of(new WeakReference<>(mount, queue), new WeakReference<>(file, queue));
    }

    @Test
    void shouldEndTheIterationThroughADirectory() throws IOException {
        NfsMount mount = server.mount("");
        Iterator<DirectoryEntry> entries = mount.entries("/").iterator();
        assertThat(entries.next().name()).isEqualTo("entry0");
        replace(mount);
        assertThatThrownBy(entries::next).hasCauseInstanceOf(MountReplacedException.class);
    }
}
