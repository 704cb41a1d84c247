package io.verbena.fuse.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.node.Node;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.fuse.internal.node.StalePages;
import io.verbena.nfs.RemoteFile;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An open file whose mount is replaced. */
final class NodeFileTest {
    private static final int READ_AND_WRITE = 2;
    private static final long HANDLE = 5;
    private static final long OWNER = 7;

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final FakeMounts mounts = new FakeMounts(3);
    private final NodeTable nodes = new NodeTable();
    private final Node node = nodes.found(nodes.root(), "a", FakeMounts.ATTRIBUTES);
    private final StalePages pages = new StalePages(Runnable::run, new FakeKernel().device());
    private final NodeFile shared = new NodeFile(this::execute, new NodeLocks(new SystemRuntime()));
    private PresentMount present;
    private OpenFile file;
    private boolean ended;

    @BeforeEach
    void open() throws IOException {
        present = mounts.present();
        file = openAgain();
    }

    private OpenFile openAgain() {
        return openOn(mounts.get(0));
    }

    private OpenFile openOn(FakeMounts.One one) {
        OpenFile opened = new OpenFile(present, nodes, node, READ_AND_WRITE, one.mount, one.file, pages);
        shared.add(opened);
        return opened;
    }

    private void execute(Runnable task) {
        if (ended) {
            throw new RejectedExecutionException("the mount has ended");
        }
        tasks.add(task);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private CompletableFuture<Long> write(long offset) {
        return shared.write(file, ByteBuffer.allocate(8), null, offset);
    }

    @Test
    void shouldHaveAWriteUnderWayOnceWhenTheNextMountIsReplacedTooAtOnce() {
        List<CompletableFuture<Long>> writes = List.of(write(0), write(8), write(16));
        mounts.get(1).onAttributes = () -> {
            boolean isOpen = file.now() == mounts.get(1).file;
            if (isOpen) {
                mounts.get(1).replace(); // the mount is gone before anything is written by it
            }
        };
        mounts.get(2).onAttributes = this::runTasks; // as a second thread would
        mounts.get(0).replace();
        runTasks();
        assertThat(mounts.get(2).writes).hasSize(3);
        mounts.get(2).writes.forEach(each -> each.complete(null));
        assertThat(writes).allMatch(CompletableFuture::isDone);
        assertThat(writes.stream().map(CompletableFuture::join)).containsExactly(0L, 8L, 16L);
        assertThat(shared.hasWrites()).isFalse();
    }

    @Test
    void shouldAppendOnceThoughTheAnswerToAnAppendIsLost() {
        CompletableFuture<Long> append = write(-1);
        mounts.get(0).replace();
        runTasks();
        assertThat(mounts.get(0).calls).contains("append");
        assertThat(mounts.get(1).calls).contains("write 40").doesNotContain("append");
        mounts.get(1).writes.get(0).complete(null);
        assertThat(append).isCompletedWithValue(40L);
    }

    @Test
    void shouldTellAFailureBeforeThoseGoOnWhoWaitForAllWrites() {
        CompletableFuture<Long> write = write(0);
        List<String> order = new ArrayList<>();
        CompletableFuture<Void> told = write.handle((at, thrown) -> {
            CompletableFuture<Void> late = shared.answered(); // another thread asks while the failure is told
            assertThat(late).isNotDone();
            order.add("failure");
            return null;
        });
        CompletableFuture<Void> all = shared.answered().thenRun(() -> order.add("all"));
        mounts.get(0).writes.get(0).completeExceptionally(new IOException("no space"));
        assertThat(told).isCompleted();
        assertThat(all).isCompleted();
        assertThat(order).containsExactly("failure", "all");
        assertThat(shared.answered()).isCompleted();
    }

    @Test
    void shouldFailWhatWaitsWhenNoTaskCanRun() {
        CompletableFuture<Long> write = write(0);
        ended = true;
        mounts.get(0).replace();
        assertThat(write).isCompletedExceptionally();
        assertThat(shared.answered()).isCompleted();
    }

    /** A runtime whose waits do something else first, and that nobody waits by more often than expected. */
    private static Runtime waiting(Queue<Runnable> expected) {
        return (Runtime) Proxy.newProxyInstance(
                Runtime.class.getClassLoader(), new Class<?>[] {Runtime.class}, (self, method, args) -> {
                    assertThat(method.getName()).isEqualTo("await");
                    assertThat(expected).as("what a wait is expected for").isNotEmpty();
                    expected.remove().run();
                    return ((CompletableFuture<?>) args[0]).getNow(null);
                });
    }

    @Test
    void shouldSeeTheWritesOfALaterMountWithoutAnEndOfWriting() throws Exception {
        OpenFile reader = openAgain();
        mounts.get(0).replace();
        CompletableFuture<Long> first = write(0);
        runTasks(); // the writer goes on by the next mount, of which the reader does not know
        Queue<Runnable> waits = new ArrayDeque<>();
        waits.add(() -> {
            CompletableFuture<Long> second = write(8); // the writer never pauses
            mounts.get(1).writes.get(0).complete(null);
            assertThat(first).isCompleted();
            assertThat(second).isNotDone();
        });
        assertThat(shared.consistently(waiting(waits), reader, RemoteFile::attributes))
                .isEqualTo(FakeMounts.ATTRIBUTES);
        assertThat(reader.now()).isSameAs(mounts.get(1).file);
    }

    @Test
    void shouldTellAtASyncThatAReplacedMountHasLostWrites() {
        CompletableFuture<Long> write = write(0);
        mounts.get(0).writes.get(0).complete(null);
        assertThat(write).isCompleted();
        mounts.get(0).onClose = () -> {
            throw new IOException("not committed");
        };
        mounts.get(0).replace();
        assertThatThrownBy(() -> file.syncAtEnd(file.written()))
                .hasMessageContaining("may be lost")
                .hasRootCauseMessage("not committed");
        assertThat(mounts.get(1).calls).contains("open /a");
    }

    /** As a database syncs in one process what others have written. */
    @Test
    void shouldSyncWhatWasWrittenByAnotherOpen() throws Exception {
        OpenFile other = openAgain();
        CompletableFuture<Long> write = write(0);
        mounts.get(0).writes.get(0).complete(null);
        assertThat(write).isCompleted();
        List<OpenFile> left = new ArrayList<>();
        sync(other, left::add);
        assertThat(mounts.get(0).calls).containsExactly("write 0", "sync");
        assertThat(left).containsExactly(file);
        sync(other, left::add);
        assertThat(mounts.get(0).calls).containsExactly("write 0", "sync");
    }

    @Test
    void shouldTellBothThatASyncByAnotherOpenHasFailed() {
        OpenFile other = openAgain();
        CompletableFuture<Long> write = write(0);
        mounts.get(0).writes.get(0).complete(null);
        assertThat(write).isCompleted();
        mounts.get(0).onSync = () -> {
            mounts.get(0).onSync = () -> {};
            throw new IOException("no space");
        };
        assertThatThrownBy(() -> sync(other)).hasMessage("no space");
        assertThatThrownBy(() -> file.syncAtEnd(file.written())).hasMessage("no space");
    }

    private static void assertTold(Synced synced) throws Exception {
        assertThatThrownBy(synced::run).hasMessage("no space");
        synced.run();
    }

    private interface Synced {
        void run() throws Exception;
    }

    private void sync(OpenFile by) throws Exception {
        sync(by, left -> {});
    }

    /** As fsync(2). */
    private void sync(OpenFile by, Consumer<OpenFile> leave) throws Exception {
        shared.commit(new SystemRuntime(), by, leave);
        by.throwAnyFailure();
    }

    /** A write that was answered before fails, which the client tells once more when it syncs. */
    private void failWrite() {
        CompletableFuture<Long> write = write(0);
        IOException failure = new IOException("no space");
        mounts.get(0).writes.get(0).completeExceptionally(failure);
        assertThat(write).isCompletedExceptionally();
        file.failed(failure);
        mounts.get(0).onSync = () -> {
            mounts.get(0).onSync = () -> {};
            throw new IOException("no space");
        };
    }

    @Test
    void shouldTellEachOpenOnceThatAWriteHasFailed() throws Exception {
        OpenFile other = openAgain();
        OpenFile third = openAgain();
        failWrite();
        assertTold(() -> sync(other));
        assertTold(() -> file.syncAtEnd(file.written()));
        assertTold(() -> sync(third));
    }

    @Test
    void shouldTellAnotherOpenWhatTheWriterWasTold() throws Exception {
        OpenFile other = openAgain();
        failWrite();
        assertTold(() -> sync(file));
        other.syncAtEnd(other.written()); // its end, which nobody is told
        assertTold(() -> sync(other));
    }

    @Test
    void shouldTellALaterOpenOnlyWhatNoOtherOneWasTold() throws Exception {
        failWrite();
        OpenFile second = openAgain();
        assertTold(() -> sync(second));
        OpenFile third = openAgain();
        sync(third);
        assertTold(() -> sync(file));
    }

    @Test
    void shouldTellALaterOpenWhatACloseAloneHasTold() throws Exception {
        failWrite();
        file.commit(file.written());
        assertThatThrownBy(file::throwFailureAtClose).hasMessage("no space");
        file.syncAtEnd(file.written());
        OpenFile later = openAgain();
        later.throwFailureAtClose(); // its own writes, and those of others since it began, have not failed
        assertTold(() -> sync(later));
        OpenFile last = openAgain();
        sync(last);
    }

    @Test
    void shouldTellALaterOpenWhatNoProgramWasTold() throws Exception {
        failWrite();
        assertTold(() -> file.syncAtEnd(file.written()));
        OpenFile later = openAgain();
        assertTold(() -> sync(later));
    }

    @Test
    void shouldTellALaterOpenWhatTheLastCloseHasLost() throws Exception {
        CompletableFuture<Long> write = write(0);
        mounts.get(0).writes.get(0).complete(null);
        assertThat(write).isCompleted();
        mounts.get(0).onClose = () -> {
            throw new IOException("no space");
        };
        assertThatThrownBy(file::release).hasMessage("no space");
        OpenFile later = openAgain();
        assertTold(() -> sync(later));
    }

    @Test
    void shouldTellNobodyOfALossWhereAProgramIsKilledWhileItsFileIsClosed() throws Exception {
        OpenFile other = openAgain();
        CompletableFuture<Long> write = write(0);
        mounts.get(0).writes.get(0).complete(null);
        assertThat(write).isCompleted();
        mounts.get(0).onClose = () -> {
            mounts.get(0).onClose = () -> {};
            throw new InterruptedIOException("a signal");
        };
        mounts.get(0).replace();
        assertThatThrownBy(file::attributes).isInstanceOf(InterruptedIOException.class);
        sync(other);
        sync(file);
    }

    /** The file was removed, and then the mount was replaced. */
    @Test
    void shouldSyncTheOtherOpensThoughOneCannotBeOpenedAgain() throws Exception {
        CompletableFuture<Long> write = write(0);
        mounts.get(0).writes.get(0).complete(null);
        assertThat(write).isCompleted();
        mounts.get(0).onClose = () -> {
            throw new IOException("not committed");
        };
        mounts.get(0).replace();
        OpenFile other = openOn(mounts.get(1));
        CompletableFuture<Long> later = shared.write(other, ByteBuffer.allocate(8), null, 8);
        mounts.get(1).writes.get(0).complete(null);
        assertThat(later).isCompleted();
        OpenFile by = openOn(mounts.get(1));
        nodes.removed(nodes.root(), "a");
        assertThatThrownBy(() -> sync(by)).hasMessageContaining("may be lost").hasRootCauseMessage("not committed");
        assertThat(mounts.get(1).calls).containsExactly("write 8", "sync");
        sync(by);
        assertThatThrownBy(() -> file.call(RemoteFile::attributes))
                .isInstanceOf(IOException.class)
                .satisfies(thrown -> assertThat(Errno.of(thrown)).isEqualTo(Errno.ESTALE));
        sync(by);
    }

    private static LockEntry lock(long owner, long start, long end, int type) {
        return lock(HANDLE, owner, start, end, type);
    }

    private static LockEntry lock(long handle, long owner, long start, long end, int type) {
        return new LockEntry(new LockHolder(handle, owner, false), start, end, type, 1, 0);
    }

    private void failUnlock() throws Exception {
        mounts.get(0).onUnlock = () -> {
            mounts.get(0).onUnlock = () -> {};
            throw new IOException("no space");
        };
        LockEntry unlock = lock(OWNER, 0, 9, Protocol.F_UNLCK);
        assertThatThrownBy(() -> shared.locks().set(file, unlock)).hasMessage("no space");
    }

    /** The client tells the failure of a write once: to who unlocks. */
    @Test
    void shouldTellAtASyncTheFailureOfAWriteThatAnUnlockWasTold() throws Exception {
        OpenFile other = openAgain();
        assertThat(shared.locks().set(file, lock(OWNER, 0, 9, Protocol.F_WRLCK)))
                .isTrue();
        CompletableFuture<Long> write = write(0);
        mounts.get(0).writes.get(0).complete(null);
        assertThat(write).isCompleted();
        failUnlock();
        assertTold(() -> sync(file));
        assertTold(() -> sync(other));
    }

    @Test
    void shouldTellNoLossWhereAnUnlockFailsAndNothingWasWritten() throws Exception {
        assertThat(shared.locks().set(file, lock(OWNER, 0, 9, Protocol.F_WRLCK)))
                .isTrue();
        failUnlock();
        sync(file);
        assertThat(mounts.get(0).calls).containsExactly("unlock");
    }

    @Test
    void shouldNotDoAgainAWriteWhoseLockIsLost() throws Exception {
        LockEntry lock = lock(OWNER, 0, 9, Protocol.F_WRLCK);
        assertThat(shared.locks().set(file, lock)).isTrue();
        CompletableFuture<Long> append = write(-1);
        mounts.get(0).replace(); // another client gets the lock, and writes to the same place
        runTasks();
        assertThat(append).isCompletedExceptionally();
        assertThat(mounts.get(1).writes).isEmpty();
    }

    /** The lock was obtained by one open, and its program writes by another one. */
    @Test
    void shouldNotDoAgainAWriteByAnotherOpenWhoseLockIsLost() throws Exception {
        OpenFile other = openAgain();
        assertThat(shared.locks().set(file, lock(OWNER, 0, 9, Protocol.F_WRLCK)))
                .isTrue();
        CompletableFuture<Long> append = shared.write(other, ByteBuffer.allocate(8), null, -1);
        mounts.get(0).replace();
        runTasks();
        assertThat(append).isCompletedExceptionally();
        assertThat(mounts.get(1).writes).isEmpty();
    }

    /** Nobody uses the open any more by which the server has granted the lock of two programs. */
    @Test
    void shouldKnowThatASharedLockIsLostAndAskForALaterOne() throws Exception {
        OpenFile other = openAgain();
        assertThat(shared.locks().set(file, lock(OWNER, 0, 9, Protocol.F_RDLCK)))
                .isTrue();
        assertThat(shared.locks().set(other, lock(HANDLE + 1, OWNER + 1, 0, 9, Protocol.F_RDLCK)))
                .isTrue();
        shared.locks().removeOfOpen(file, HANDLE);
        file.release();
        mounts.get(0).replace();
        assertThat(other.attributes()).isEqualTo(FakeMounts.ATTRIBUTES);
        assertThatThrownBy(() -> shared.requireLocks(other)).hasMessageContaining("was lost");
        List<String> asked = new ArrayList<>();
        mounts.get(1).onLock = () -> asked.add("lock");
        assertThat(shared.locks().set(other, lock(HANDLE + 2, OWNER + 2, 0, 9, Protocol.F_RDLCK)))
                .isTrue();
        assertThat(asked).containsExactly("lock");
        assertThatThrownBy(() -> shared.requireLocks(other)).hasMessageContaining("was lost");
        shared.locks().removeOfOpen(other, HANDLE + 1);
        shared.locks().removeOfOpen(other, HANDLE + 2);
        shared.requireLocks(other);
    }

    @Test
    void shouldKnowThatALockIsLostWhichAReplacedMountHadWhenAPartOfItIsUnlocked() throws Exception {
        assertThat(shared.locks().set(file, lock(OWNER, 0, 99, Protocol.F_WRLCK)))
                .isTrue();
        mounts.get(0).replace();
        assertThat(shared.locks().set(file, lock(OWNER, 50, 60, Protocol.F_UNLCK)))
                .isTrue();
        assertThatThrownBy(() -> shared.requireLocks(file)).hasMessageContaining("was lost");
        shared.locks().removeOfOpen(file, HANDLE);
        assertThat(shared.locks().isLost()).isFalse();
    }

    @Test
    void shouldFollowARenameThatTheTableDoesNotHaveYet() throws IOException {
        nodes.renameBegins();
        mounts.get(1).onOpen = () -> { // the server has renamed the file, and now the other thread notes it
            mounts.get(1).onOpen = () -> {};
            nodes.renamed(nodes.root(), "a", nodes.root(), "b");
            nodes.renameEnds();
            throw new NoSuchFileException("/a");
        };
        mounts.get(0).replace();
        assertThat(file.attributes()).isEqualTo(FakeMounts.ATTRIBUTES);
        assertThat(mounts.get(1).calls).containsExactly("open /a", "open /b");
    }

    @Test
    void shouldHoldNoLockAfterItsProgramHasClosedTheFileOfAReplacedMount() throws Exception {
        LockEntry lock = lock(OWNER, 0, 9, Protocol.F_WRLCK);
        assertThat(shared.locks().set(file, lock)).isTrue();
        mounts.get(0).replace();
        shared.locks().removeOfProcess(file, OWNER, 1);
        assertThat(mounts.get(1).calls).isEmpty(); // it asks for no lock again
        LockEntry other = lock(OWNER + 1, 0, 9, Protocol.F_WRLCK);
        assertThat(shared.locks().test(file, other)).isNull();
        file.release();
        assertThat(mounts.get(1).calls).contains("close");
        assertThat(file.use()).isFalse();
    }
}
