package io.verbena.nfs41.client.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.file.NfsFile;
import io.verbena.nfs41.client.internal.testing.DelegationFixture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Locks on a delegated file: kept here, and the server's once the delegation is back. */
class DelegatedLocksTest extends DelegationFixture {
    @Test
    void shouldLockAndUnlockWithoutTheServer() throws IOException {
        mount("", 2);
        NfsFile one = openLocally(WRITE);
        NfsFile two = openLocally(WRITE);
        int before = seen();
        RemoteLock lock = one.tryLock(0, 10, false).orElseThrow();
        assertThatThrownBy(() -> two.tryLock(9, 1, true)).isInstanceOf(OverlappingFileLockException.class);
        assertThat(two.isLocked(0, 1, true)).isTrue();
        assertThat(two.isLocked(10, 1, false)).isFalse();
        assertThat(one.isLocked(0, 1, false)).isFalse();
        assertThat(two.tryLock(10, Long.MAX_VALUE, false)).isPresent();
        lock.close();
        assertThat(two.tryLock(9, 1, true)).isPresent();
        one.close();
        two.close();
        assertThat(since(before)).isEmpty();
    }

    @Test
    void shouldLeaveItToTheServerToRefuseALockThatTheOpenIsNotFor() throws IOException {
        mount("", 2);
        try (NfsFile file = openLocally(Set.of(StandardOpenOption.WRITE))) {
            server.failNext(Opcode.LOCK, Status.NFS4ERR_OPENMODE);
            assertThatThrownBy(() -> file.tryLock(0, 10, true)).hasMessageContaining("NFS4ERR_OPENMODE");
        }
        try (NfsFile file = openLocally(READ)) {
            server.failNext(Opcode.LOCK, Status.NFS4ERR_OPENMODE);
            assertThatThrownBy(() -> file.tryLock(0, 10, false)).hasMessageContaining("NFS4ERR_OPENMODE");
        }
    }

    @Test
    void shouldGrantNoLockThatTheServerIsAboutToBeAskedFor() throws IOException {
        mount("", 0);
        HeldLocks.Range range = new HeldLocks.Range(0, 1, LockType.WRITE_LT);
        NfsFile one = open("/file", WRITE);
        assertThat(one.state().lockLocally(range)).isEqualTo(Delegation.LockAnswer.ASK);
        server.delegations.type = 2;
        NfsFile two = open("/file", WRITE); // the file is delegated before the server is asked
        assertThat(two.state().lockLocally(range)).isEqualTo(Delegation.LockAnswer.DENIED);
        one.state().locks().asks(null);
        assertThat(two.state().lockLocally(range)).isEqualTo(Delegation.LockAnswer.DONE);
        one.close();
        two.close();
    }

    @Test
    void shouldLockOnTheServerByADelegationForReading() throws IOException {
        mount("", 1);
        try (NfsFile file = openLocally(READ)) {
            int before = seen();
            assertThat(file.tryLock(0, 10, true)).isPresent();
            assertThat(since(before)).containsExactly(Opcode.OPEN, Opcode.LOCK);
            assertThat(lastOpen().claim())
                    .isEqualTo(
                            new OpenClaim.DelegateCurrentByHandle(delegation().withoutSeqid()));
        }
    }

    @Test
    void shouldLockOnTheServerOnceTheDelegationIsBack() throws Exception {
        mount("", 2);
        NfsFile file = openLocally(WRITE);
        server.failNext(Opcode.DELEGRETURN, Status.NFS4ERR_DELAY, Status.NFS4ERR_DELAY);
        int before = seen();
        recall();
        assertThat(file.tryLock(0, 1, false)).isPresent();
        assertThat(since(before)).endsWith(Opcode.DELEGRETURN, Opcode.LOCK);
        file.close();
    }

    @Test
    void shouldReleaseOnTheServerALockThatTheRecallHasMadeKnown() throws Exception {
        mount("", 2);
        NfsFile file = openLocally(WRITE);
        RemoteLock lock = file.tryLock(0, 1, false).orElseThrow();
        server.failNext(Opcode.LOCK, Status.NFS4ERR_DELAY, Status.NFS4ERR_DELAY);
        int before = seen();
        recall();
        lock.close();
        assertThat(since(before)).endsWith(Opcode.DELEGRETURN, Opcode.LOCKU);
        file.close();
    }

    @Test
    void shouldTellThatALockWasLostWhichTheServerWouldNotHave() throws Exception {
        mount("", 2);
        NfsFile file = openLocally(WRITE);
        assertThat(file.tryLock(0, 1, false)).isPresent();
        server.failNext(Opcode.LOCK, Status.NFS4ERR_RESOURCE);
        recall();
        awaitReturn();
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0)).hasMessageContaining("a lock on it was lost");
        file.close();
    }

    /** The server may have granted the lock to others before, who have changed the file. */
    @Test
    void shouldLoseALockThatTheServerGrantedBehindARevocation() throws Exception {
        mount("", 2);
        NfsFile file = openLocally(WRITE);
        assertThat(file.tryLock(0, 1, false)).isPresent();
        server.failNext(Opcode.DELEGRETURN, Status.NFS4ERR_DELEG_REVOKED);
        recall();
        awaitReturn();
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0)).hasMessageContaining("a lock on it was lost");
        file.close();
    }

    /** The open is known by then, so that the WRITE could go by its stateid, over what the next holder has written. */
    @Test
    void shouldNotRepeatAWriteWhoseLocalLockWentWithTheDelegation() throws Exception {
        mount("", 2);
        NfsFile file = openLocally(WRITE);
        assertThat(file.tryLock(0, 1, false)).isPresent();
        server.failNext(Opcode.WRITE, Status.NFS4ERR_DELAY, Status.NFS4ERR_DELEG_REVOKED);
        int before = seen();
        CompletableFuture<Void> writing = file.writeAsync(bytes(1), 0);
        while (!since(before).contains(Opcode.WRITE)) {
            Thread.onSpinWait();
        }
        file.state().makeKnown().get(20, TimeUnit.SECONDS);
        assertThatThrownBy(() -> writing.get(20, TimeUnit.SECONDS)).hasMessageContaining("a lock on it was lost");
        assertThat(since(before)).filteredOn(opcode -> opcode == Opcode.WRITE).hasSize(2);
        assertThatThrownBy(file::close).hasMessageContaining("a lock on it was lost");
    }

    /** Data is read ahead for a file that is closed meanwhile, and the server restarts: nobody claims that open. */
    @Test
    void shouldKeepTheLocksOfOtherOpensWhereARequestOfAClosedOneIsRefused() throws Exception {
        mount("", 2);
        NfsFile closed = openLocally(WRITE);
        NfsFile file = open("/file", WRITE);
        RemoteLock lock = file.tryLock(0, 1, false).orElseThrow();
        server.failNext(Opcode.READ, Status.NFS4ERR_DELAY, Status.NFS4ERR_BAD_STATEID);
        int before = seen();
        CompletableFuture<Integer> reading = closed.readAsync(ByteBuffer.allocate(1), 0);
        while (!since(before).contains(Opcode.READ)) {
            Thread.onSpinWait();
        }
        closed.state().close(null).get(20, TimeUnit.SECONDS);
        reading.exceptionally(thrown -> 0).get(20, TimeUnit.SECONDS);
        assertThat(lock.isValid()).isTrue();
        assertThat(file.read(ByteBuffer.allocate(1), 0)).isEqualTo(-1);
        file.close();
    }

    @Test
    void shouldKnowWhatLocksConflict() {
        HeldLocks locks = new HeldLocks("m:/file");
        HeldLocks.Range shared = new HeldLocks.Range(10, 10, LockType.READ_LT);
        locks.addLocal(shared);
        assertThat(locks.conflictsWith(new HeldLocks.Range(0, -1, LockType.READ_LT)))
                .isFalse();
        assertThat(locks.conflictsWith(new HeldLocks.Range(0, -1, LockType.WRITE_LT)))
                .isTrue();
        assertThat(locks.conflictsWith(new HeldLocks.Range(0, 10, LockType.WRITE_LT)))
                .isFalse();
        assertThat(locks.conflictsWith(new HeldLocks.Range(20, -1, LockType.WRITE_LT)))
                .isFalse();
        assertThat(locks.conflictsWith(new HeldLocks.Range(19, 1, LockType.WRITE_LT)))
                .isTrue();
        locks.removeLocal(shared);
        locks.asks(new HeldLocks.Range(30, -1, LockType.WRITE_LT));
        assertThat(locks.conflictsWith(new HeldLocks.Range(Long.MAX_VALUE, -1, LockType.READ_LT)))
                .isTrue();
        locks.asks(null);
        assertThat(locks.conflictsWith(new HeldLocks.Range(0, -1, LockType.WRITE_LT)))
                .isFalse();
    }
}
