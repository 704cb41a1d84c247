package io.verbena.fuse.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fuse.internal.Answer;
import io.verbena.fuse.internal.file.FakeMounts.Step;
import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.node.Node;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.fuse.internal.node.StalePages;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class NodeLocksTest {
    private static final int READ = 0;
    private static final int READ_AND_WRITE = 2;
    private static final long SECONDS = 60;

    private final FakeMounts mounts = new FakeMounts(1);
    private final FakeMounts.One one = mounts.get(0);
    private final NodeLocks locks = new NodeLocks(new SystemRuntime());
    private OpenFile file;

    private static LockEntry lock(long owner, long start, long end, int type) {
        return new LockEntry(new LockHolder(owner, owner, false), start, end, type, 1, 0);
    }

    private static LockEntry shared(long owner, long start, long end) {
        return lock(owner, start, end, Protocol.F_RDLCK);
    }

    private static LockEntry flock(long handle, int type) {
        return new LockEntry(new LockHolder(handle, handle, true), 0, Long.MAX_VALUE, type, 1, 0);
    }

    @BeforeEach
    void open() throws IOException {
        file = open(READ_AND_WRITE, one.file);
    }

    private OpenFile open(int flags, RemoteFile remote) throws IOException {
        NodeTable nodes = new NodeTable();
        Node node = nodes.found(nodes.root(), "a", FakeMounts.ATTRIBUTES);
        StalePages pages = new StalePages(Runnable::run, new FakeKernel().device());
        return new OpenFile(mounts.present(), nodes, node, flags, one.mount, remote, pages);
    }

    private static LockEntry exclusive(long owner, long start, long end) {
        return lock(owner, start, end, Protocol.F_WRLCK);
    }

    /** The lock of the second program has a part on either side of that of the first one. */
    @Test
    void shouldLoseNoLockOfAnotherWhereASignalEndsARequest() throws Exception {
        assertThat(locks.set(file, shared(1, 10, 19))).isTrue();
        one.onLock = () -> one.onLock = () -> {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("a signal");
        };
        assertThatThrownBy(() -> locks.await(file, shared(2, 0, 29))).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(locks.isLost()).isFalse();
        assertThat(one.calls).containsExactly("unlock");
    }

    /** The server has not answered the unlock yet when the lock is asked for again. */
    @Test
    void shouldHoldALockAgainWhereASignalEndsTheChangeOfItsType() throws Exception {
        assertThat(locks.set(file, shared(1, 0, 9))).isTrue();
        List<String> asked = new ArrayList<>();
        one.onUnlock = () -> Thread.currentThread().interrupt();
        one.onLock = () -> {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("a signal");
            }
            one.onLock = () -> asked.add("granted");
            throw new OverlappingFileLockException();
        };
        assertThatThrownBy(() -> locks.await(file, exclusive(1, 0, 9))).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(locks.isLost()).isFalse();
        assertThat(asked).containsExactly("granted");
    }

    /** The kernel tells of a signal once, and the request is interrupted until it ends. */
    @Test
    void shouldHoldALockAgainWhereTheThreadIsInterruptedAgain() throws Exception {
        assertThat(locks.set(file, shared(1, 0, 9))).isTrue();
        List<String> asked = new ArrayList<>();
        Step interrupt = () -> {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("a signal");
        };
        one.onLock = () -> {
            one.onLock = () -> {
                one.onLock = () -> asked.add("granted");
                interrupt.run();
            };
            interrupt.run();
        };
        assertThatThrownBy(() -> locks.await(file, exclusive(1, 0, 9))).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(locks.isLost()).isFalse();
        assertThat(asked).containsExactly("granted");
    }

    @Test
    void shouldKnowThatALockIsLostWhichAnotherClientHasGotMeanwhile() throws Exception {
        assertThat(locks.set(file, shared(1, 0, 9))).isTrue();
        one.isDenied = true;
        assertThat(locks.set(file, exclusive(1, 0, 9))).isFalse();
        assertThat(locks.isLost()).isTrue();
    }

    @Test
    void shouldLoseNoLockOfAnotherWhereAnUnlockFails() throws Exception {
        assertThat(locks.set(file, exclusive(1, 0, 9))).isTrue();
        assertThat(locks.set(file, exclusive(2, 20, 29))).isTrue();
        one.onUnlock = () -> {
            throw new IOException("no space");
        };
        assertThatThrownBy(() -> locks.removeOfProcess(file, 1, 1)).hasMessage("no space");
        assertThat(locks.isLost()).isFalse();
    }

    /** As {@code exec 9>f; flock 9} beside a program that reads under fcntl(2). */
    @Test
    void shouldHoldALockOfAnotherAgainByAnOpenThatMayHaveIt() throws Exception {
        OpenFile reader = open(READ, one.file);
        OpenFile writer = open(Protocol.O_WRONLY, Answer.as(RemoteFile.class, NodeLocksTest::toWriter));
        assertThat(locks.set(reader, shared(3, 0, 9))).isTrue();
        assertThat(locks.set(writer, flock(2, Protocol.F_WRLCK))).isTrue();
        locks.removeOfOpen(writer, 2);
        assertThat(locks.isLost()).isFalse();
    }

    private static Object toWriter(String method, Object[] args) throws IOException {
        if (!method.equals("tryLock")) {
            return null;
        }
        boolean shared = (boolean) args[2];
        if (shared) {
            throw new NfsException("/a", "NFS4ERR_OPENMODE", "it is not open for reading");
        }
        return Optional.of(Answer.as(RemoteLock.class, (ofLock, given) -> null));
    }

    @Test
    void shouldGiveUpALockOfFlockThatCannotBecomeAnotherTypeAtOnce() throws Exception {
        assertThat(locks.set(file, flock(1, Protocol.F_RDLCK))).isTrue();
        assertThat(locks.set(file, flock(2, Protocol.F_RDLCK))).isTrue();
        assertThat(locks.set(file, flock(1, Protocol.F_WRLCK))).isFalse();
        assertThat(locks.set(file, flock(2, Protocol.F_WRLCK))).isTrue();
    }

    private FutureTask<Void> workAlone(long handle) {
        FutureTask<Void> work = new FutureTask<>(() -> {
            locks.await(file, flock(handle, Protocol.F_WRLCK));
            assertThat(locks.set(file, flock(handle, Protocol.F_UNLCK))).isTrue();
            return null;
        });
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
        return work;
    }

    /** Each would keep its shared lock, which the other one waits for. */
    @Test
    void shouldLetBothWorkAloneWhoHaveShared() throws Exception {
        assertThat(locks.set(file, flock(1, Protocol.F_RDLCK))).isTrue();
        assertThat(locks.set(file, flock(2, Protocol.F_RDLCK))).isTrue();
        List<FutureTask<Void>> both = List.of(workAlone(1), workAlone(2));
        for (FutureTask<Void> each : both) {
            assertThat(each.get(SECONDS, TimeUnit.SECONDS)).isNull();
        }
    }

    /** Another client shares the file at first. */
    @Test
    void shouldHoldALockThatIsGrantedAfterTheSharedOneIsGivenUp() throws Exception {
        assertThat(locks.set(file, flock(1, Protocol.F_RDLCK))).isTrue();
        List<String> asked = new ArrayList<>();
        one.onLock = () -> {
            asked.add("lock");
            one.isDenied = asked.size() < 3;
        };
        locks.await(file, flock(1, Protocol.F_WRLCK));
        assertThat(asked).hasSize(3);
        assertThat(locks.isLost()).isFalse();
    }
}
