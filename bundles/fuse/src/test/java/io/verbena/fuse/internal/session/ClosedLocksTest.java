package io.verbena.fuse.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fuse.internal.Answer;
import io.verbena.fuse.internal.file.NodeFile;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.kernel.FakeKernel.Message;
import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.ops.FakeExport;
import io.verbena.fuse.internal.ops.FileSystemContext;
import io.verbena.fuse.internal.ops.Operations;
import io.verbena.nfs.FileType;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The locks of a program that has closed its file, which another program has open too. */
final class ClosedLocksTest {
    private static final long OWNER = 7;
    private static final long OTHER = 8;
    private static final long FILE = 9;
    private static final long FLUSH = 100;
    private static final long RELEASE = 102;
    /** A thread that has gone. */
    private static final int GONE = Integer.MAX_VALUE;

    private static final int TYPE_AT = 16;

    private final FakeExport export = new FakeExport();
    private final FakeKernel kernel = new FakeKernel();
    private final List<Runnable> tasks = new ArrayList<>();
    private FileSystemContext context;
    private Operations operations;
    private long node;
    private long handle;
    private long otherHandle;

    @BeforeEach
    void lock() throws Exception {
        export.put("/f", FileType.REGULAR, 12, 0644);
        context = new FileSystemContext(
                runtime(), export.present(), kernel.device(), Runnable::run, Duration.ZERO, 0, 0, true);
        operations = new Operations(context, false);
        node = first(new Message(Opcode.LOOKUP, Protocol.ROOT_NODE).name("f"));
        handle = open();
        otherHandle = open();
        Reply unused = operations.execute(lock(Opcode.SETLK, handle, OWNER).request());
        assertThat(typeForOther()).isEqualTo(Protocol.F_WRLCK);
    }

    /** A runtime by which a thread that waits for a change of locks runs the tasks meanwhile. */
    private SystemRuntime runtime() {
        return new SystemRuntime() {
            @Override
            public Condition newCondition(Lock lock) {
                return Answer.as(Condition.class, (method, args) -> {
                    if (method.equals("await")) {
                        assertThat(tasks).as("what a wait is for").isNotEmpty();
                        tasks.remove(0).run();
                    }
                    return null;
                });
            }
        };
    }

    private long first(Message message) throws Exception {
        return FakeKernel.content(operations.execute(message.request())).getLong(0);
    }

    private Message lock(Opcode opcode, long by, long owner) {
        return lock(opcode, by, owner, 0);
    }

    private Message lock(Opcode opcode, long by, long owner, int flags) {
        return new Message(opcode, node).u64(by, owner, 0, Long.MAX_VALUE).u32(Protocol.F_WRLCK, 1, flags, 0);
    }

    private long open() throws Exception {
        return first(new Message(Opcode.OPEN, node).u32(Protocol.O_RDWR, 0));
    }

    private Reply flock(long by) throws Exception {
        return operations.execute(
                lock(Opcode.SETLK, by, FILE, Protocol.LK_FLOCK).request());
    }

    private Message shared(long by) {
        return new Message(Opcode.SETLK, node)
                .u64(by, FILE, 0, Long.MAX_VALUE)
                .u32(Protocol.F_RDLCK, 1, Protocol.LK_FLOCK, 0);
    }

    private int later(Message message) throws Exception {
        return operations.execute(message.arrival(Long.MAX_VALUE).request()).length();
    }

    /** Receives the RELEASE of a file whose close(2) has returned. */
    private void receiveRelease() {
        kernel.sends(release());
        session(tasks::add, tasks::add).run();
        assertThat(tasks).hasSize(1);
    }

    /** The type of the lock that keeps the other program from its own. */
    private int typeForOther() throws Exception {
        Message test = lock(Opcode.GETLK, otherHandle, OTHER);
        return FakeKernel.content(operations.execute(test.request())).getInt(TYPE_AT);
    }

    private Message flush() {
        return new Message(Opcode.FLUSH, node)
                .unique(FLUSH)
                .by(0, 0, GONE)
                .u64(handle)
                .u32(0, 0)
                .u64(OWNER);
    }

    private Message release() {
        return release(handle);
    }

    private Message release(long of) {
        return new Message(Opcode.RELEASE, node)
                .unique(RELEASE)
                .u64(of)
                .u32(Protocol.O_RDWR, 0)
                .u64(0);
    }

    /** Receives the close(2) of a program that is killed before a thread is free for it. */
    private void receiveCancelledFlush() {
        kernel.sends(flush());
        kernel.sends(new Message(Opcode.INTERRUPT, 0).unique(FLUSH + 1).u64(FLUSH));
        kernel.sends(release());
        session(tasks::add, tasks::add).run();
        assertThat(kernel.answers()).containsExactly(FLUSH + " " + Errno.EINTR);
        assertThat(tasks).hasSize(2);
    }

    private FuseSession session(Executor executor, Executor waiting) {
        return new FuseSession(
                kernel.device(),
                operations,
                new PendingRequests(kernel.device(), () -> false),
                executor,
                waiting,
                () -> {
                    throw new IOException("there is no memory");
                });
    }

    @Test
    void shouldGoThoughTheCloseIsCancelledBeforeItBegins() throws Exception {
        receiveCancelledFlush();
        tasks.get(0).run();
        assertThat(typeForOther()).isEqualTo(Protocol.F_UNLCK);
    }

    @Test
    void shouldGoThoughTheEndOfTheFileOvertakesACancelledClose() throws Exception {
        receiveCancelledFlush();
        tasks.get(1).run();
        assertThat(typeForOther()).isEqualTo(Protocol.F_UNLCK);
        tasks.get(0).run();
        assertThat(kernel.answers()).hasSize(1);
    }

    /** The kernel has the number of a process again as soon as its close(2) has an answer. */
    @Test
    void shouldLeaveThoseOfALaterProcessWithTheSameNumber() throws Exception {
        receiveCancelledFlush();
        Message later = lock(Opcode.SETLK, otherHandle, OWNER).arrival(Long.MAX_VALUE);
        assertThat(operations.execute(later.request()).length()).isZero();
        tasks.get(0).run();
        assertThat(typeForOther()).isEqualTo(Protocol.F_WRLCK);
    }

    /** The kernel has the number of an open file again before it tells of the end of the file. */
    @Test
    void shouldBeThoseOfOneOpenFileThoughALaterOneHasTheSameNumber() throws Exception {
        Reply locked = flock(handle);
        assertThatThrownBy(() -> flock(otherHandle)).extracting(Errno::of).isEqualTo(Errno.EAGAIN);
        Reply released = operations.execute(release().request());
        Reply lockedByNext = flock(otherHandle);
        assertThat(List.of(locked.length(), released.length(), lockedByNext.length()))
                .containsOnly(0);
        long third = open();
        assertThatThrownBy(() -> flock(third)).extracting(Errno::of).isEqualTo(Errno.EAGAIN);
    }

    @Test
    void shouldKeepNoneFromALockOnceCloseHasReturned() throws Exception {
        assertThat(later(lock(Opcode.SETLK, handle, FILE, Protocol.LK_FLOCK))).isZero();
        receiveRelease();
        assertThat(later(lock(Opcode.SETLK, otherHandle, FILE, Protocol.LK_FLOCK)))
                .isZero();
        assertThat(tasks).isEmpty();
    }

    @Test
    void shouldBeToldToNoneOnceCloseHasReturned() throws Exception {
        receiveRelease();
        Message test = lock(Opcode.GETLK, otherHandle, OTHER).arrival(Long.MAX_VALUE);
        assertThat(FakeKernel.content(operations.execute(test.request())).getInt(TYPE_AT))
                .isEqualTo(Protocol.F_UNLCK);
    }

    @Test
    void shouldKeepOthersFromALockAtOnceWhereAnOpenFileHasItToo() throws Exception {
        assertThat(later(shared(handle))).isZero();
        assertThat(later(shared(otherHandle))).isZero();
        receiveRelease();
        long third = open();
        assertThatThrownBy(() -> later(lock(Opcode.SETLK, third, FILE, Protocol.LK_FLOCK)))
                .extracting(Errno::of)
                .isEqualTo(Errno.EAGAIN);
        assertThat(tasks).hasSize(1);
    }

    /** Who opens the file meanwhile has to know of them. */
    @Test
    void shouldBeThoseOfTheFileUntilTheServerHasReleasedThem() throws Exception {
        assertThat(later(release(otherHandle))).isZero();
        NodeFile file = context.files().shared(context.nodes().get(node));
        List<NodeFile> seen = new ArrayList<>();
        export.onUnlock(() -> seen.add(context.files().shared(context.nodes().get(node))));
        assertThat(later(release())).isZero();
        assertThat(seen).containsExactly(file);
        assertThat(context.files().shared(context.nodes().get(node))).isNull();
    }

    /** A further program waits for a lock, and then the signal that ends the wait comes. */
    @Test
    void shouldTellWhoCannotWaitForAThreadThatThereAreNoLocks() {
        kernel.sends(lock(Opcode.SETLKW, otherHandle, OTHER).unique(FLUSH));
        kernel.sends(new Message(Opcode.INTERRUPT, 0).unique(FLUSH + 1).u64(FLUSH));
        session(tasks::add, task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                })
                .run();
        assertThat(kernel.answers()).containsExactly(FLUSH + " " + Errno.ENOLCK);
        assertThat(tasks).isEmpty();
    }

    /** An open file description owns them, and the kernel tells of its end by RELEASE alone. */
    @Test
    void shouldGoWithTheOpenFileDescriptionThatOwnsThem() throws Exception {
        Message closed = new Message(Opcode.FLUSH, node).u64(handle).u32(0, 0).u64(OTHER);
        Reply unused = operations.execute(closed.request());
        assertThat(typeForOther()).isEqualTo(Protocol.F_WRLCK);
        Reply released = operations.execute(release().request());
        assertThat(released.length()).isZero();
        assertThat(typeForOther()).isEqualTo(Protocol.F_UNLCK);
    }
}
