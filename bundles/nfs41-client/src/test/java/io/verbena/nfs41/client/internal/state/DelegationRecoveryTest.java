package io.verbena.nfs41.client.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.file.NfsFile;
import io.verbena.nfs41.client.internal.identity.ClientOwner;
import io.verbena.nfs41.client.internal.link.TransportSource;
import io.verbena.nfs41.client.internal.mount.MountAssembly;
import io.verbena.nfs41.client.internal.security.SecuritySource;
import io.verbena.nfs41.client.internal.session.LeaseRenewalRequest;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.testing.DelegationFixture;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.rpc.TransportLostException;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of delegations, and of what rests on them, when the server restarts or revokes them. */
@Timeout(60)
class DelegationRecoveryTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private static final Set<StandardOpenOption> WRITE = DelegationFixture.WRITE;

    private final FakeServer server = new FakeServer();
    private MountAssembly assembly;

    @BeforeEach
    void mount() throws IOException {
        server.delegations.type = 2;
        server.size = 3;
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
        assembly = new MountAssembly(
                settings,
                new TransportSource(server, RUNTIME),
                new SecuritySource(null, RUNTIME),
                null,
                new DirectMemory(),
                new MountLifetime("m", RUNTIME),
                ClientOwner.random("m", RUNTIME),
                RUNTIME);
        assembly.delegations().attach(() -> true);
        assembly.start();
        assembly.connect(Duration.ofSeconds(20));
        open("/file").close();
    }

    @AfterEach
    void close() {
        assembly.close(Duration.ofSeconds(20));
        server.close();
    }

    private NfsFile open(String path) throws IOException {
        return Blocking.await(RUNTIME, assembly.opener().open(path, WRITE, 0600));
    }

    private static void assertReadable(NfsFile file) throws IOException {
        assertThat(file.read(ByteBuffer.allocate(3), 0)).isEqualTo(3);
    }

    private List<OpenClaim> claimsSince(int before) {
        return server.delegations.opens.stream()
                .skip(before)
                .map(Open.Args::claim)
                .toList();
    }

    @Test
    void shouldClaimTheDelegationByItsFirstOpenAndLeaveTheOthersToIt() throws Exception {
        NfsFile one = open("/file");
        NfsFile two = open("/file");
        assertThat(one.tryLock(0, 1, false)).isPresent();
        int opens = server.delegations.opens.size();
        int before = server.seen.size();
        server.restart();
        assertReadable(one);
        assertReadable(two);
        assertThat(claimsSince(opens)).containsExactly(new OpenClaim.Previous(2));
        assertThat(server.delegations.opens.get(opens).shareAccess()).isEqualTo(Open.SHARE_ACCESS_BOTH);
        assertThat(server.opcodesSince(before))
                .containsSubsequence(Opcode.OPEN, Opcode.RECLAIM_COMPLETE)
                .doesNotContain(Opcode.LOCK);
        assertThat(two.isLocked(0, 1, false)).isTrue();
        assertThat(List.of(one.state(), two.state()))
                .filteredOn(state -> state.openStateId() == null)
                .hasSize(1);
        StateId held = server.delegations.held.get(FakeServer.HANDLE);
        assertThat(assembly.delegations().recall(FakeServer.HANDLE, held, false))
                .isEqualTo(Status.NFS4_OK);
        assertThat(server.delegations.returned.poll(20, TimeUnit.SECONDS)).isEqualTo(held.withoutSeqid());
        one.close();
        two.close();
    }

    @Test
    void shouldClaimOpensAndLocksWhoseDelegationDidNotComeBack() throws Exception {
        NfsFile one = open("/file");
        NfsFile two = open("/file");
        assertThat(one.tryLock(0, 1, false)).isPresent();
        server.delegations.forgets = true;
        int opens = server.delegations.opens.size();
        int before = server.seen.size();
        server.restart();
        assertReadable(one);
        assertReadable(two);
        assertThat(claimsSince(opens)).containsExactly(new OpenClaim.Previous(2), new OpenClaim.Previous(0));
        assertThat(server.opcodesSince(before)).containsSubsequence(Opcode.LOCK, Opcode.RECLAIM_COMPLETE);
        assertThat(assembly.delegations().size()).isZero();
        one.close();
        two.close();
    }

    @Test
    void shouldClaimADelegationByTheWidestOpenOfItsFile() throws Exception {
        List<NfsFile> files = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            files.add(Blocking.await(RUNTIME, assembly.opener().open("/file", DelegationFixture.READ, 0600)));
        }
        files.add(open("/file"));
        server.delegations.narrows = true;
        int opens = server.delegations.opens.size();
        server.restart();
        assertReadable(files.get(0));
        assertThat(claimsSince(opens)).containsExactly(new OpenClaim.Previous(2));
        for (NfsFile file : files) {
            file.close();
        }
    }

    @Test
    void shouldClaimWhatADelegationThatCameBackForReadingOnlyDoesNotCarry() throws Exception {
        NfsFile one = open("/file");
        NfsFile two = open("/file");
        NfsFile reading = Blocking.await(RUNTIME, assembly.opener().open("/file", DelegationFixture.READ, 0600));
        NfsFile locking = Blocking.await(RUNTIME, assembly.opener().open("/file", DelegationFixture.READ, 0600));
        assertThat(one.tryLock(0, 1, false)).isPresent();
        assertThat(two.tryLock(1, 1, false)).isPresent();
        assertThat(locking.tryLock(2, 1, true)).isPresent();
        server.delegations.downgrades = true;
        int opens = server.delegations.opens.size();
        int before = server.seen.size();
        server.restart();
        assertReadable(reading);
        assertThat(claimsSince(opens))
                .containsExactly(new OpenClaim.Previous(2), new OpenClaim.Previous(0), new OpenClaim.Previous(0));
        assertThat(server.opcodesSince(before))
                .filteredOn(opcode -> opcode == Opcode.LOCK)
                .hasSize(3);
        server.used.clear();
        two.write(ByteBuffer.wrap(new byte[] {1}), 0);
        assertThat(server.used).containsOnly(server.stateId.withoutSeqid());
        for (NfsFile file : List.of(one, two, reading, locking)) {
            file.close();
        }
    }

    @Test
    void shouldOpenAnewWhatTheServerWouldNotHaveClaimed() throws Exception {
        NfsFile free = open("/file");
        NfsFile locked = open("/file");
        assertThat(locked.tryLock(0, 1, false)).isPresent();
        int opens = server.delegations.opens.size();
        server.restart();
        server.failNext(Opcode.OPEN, Status.NFS4ERR_NO_GRACE, Status.NFS4ERR_NO_GRACE);
        assertReadable(free);
        assertThat(claimsSince(opens)).containsExactly(new OpenClaim.ByHandle());
        assertThatThrownBy(() -> assertReadable(locked)).hasMessageContaining("a lock on it was lost");
        assertThat(assembly.delegations().size()).isZero();
        free.close();
        locked.close();
    }

    /** The server does not know the first open any more; a second one brings another delegation of the file. */
    @Test
    void shouldLockNothingLocallyForAnOpenThatTheServerHasGivenUp() throws Exception {
        server.handles.put("other", FileHandle.of((byte) 9));
        NfsFile first = open("/other");
        server.restart();
        server.failNext(Opcode.OPEN, Status.NFS4ERR_NO_GRACE);
        NfsFile second = open("/other");
        assertThat(second.state().delegation().isHeld()).isTrue();
        int opens = server.delegations.opens.size();
        server.failNext(Opcode.LOCK, Status.NFS4ERR_BAD_STATEID);
        RemoteLock lock = first.tryLock(0, 1, false).orElseThrow();
        assertThat(claimsSince(opens)).containsExactly(new OpenClaim.ByHandle());
        assertThat(lock.isValid()).isTrue();
        lock.close();
        assertThat(first.tryLock(0, 1, false)).isPresent();
        assertThat(first.state().locks().local()).hasSize(1);
        first.close();
        second.close();
    }

    @Test
    void shouldForgetDelegationsOfFilesThatAreNotOpen() throws Exception {
        int opens = server.delegations.opens.size();
        server.restart();
        open("/other").close();
        assertThat(claimsSince(opens)).containsExactly(new OpenClaim.Null("other"));
    }

    @Test
    void shouldGiveBackAClaimedDelegationThatIsRecalledAlready() throws Exception {
        NfsFile file = open("/file");
        server.delegations.recalled = true;
        server.restart();
        assertReadable(file);
        assertThat(server.delegations.returned.poll(20, TimeUnit.SECONDS)).isNotNull();
        file.close();
    }

    @Test
    void shouldFinishAReturnThatARestartInterrupted() throws Exception {
        NfsFile file = open("/file");
        Delegation delegation = file.state().delegation();
        server.failNext(Opcode.OPEN, Status.NFS4ERR_DELAY, Status.NFS4ERR_DELAY);
        assembly.delegations().recall(FakeServer.HANDLE, server.delegations.held.get(FakeServer.HANDLE), false);
        server.restart();
        delegation.ended().get(20, TimeUnit.SECONDS);
        assertReadable(file);
        assertThat(assembly.delegations().size()).isZero();
        assertThat(server.delegations.held).isEmpty();
        file.close();
    }

    /** Another client may have the file open by now, and claims that. */
    @Test
    void shouldNotClaimADelegationThatTheServerMayHaveTakenBack() throws Exception {
        NfsFile file = open("/file");
        Delegation delegation = file.state().delegation();
        server.hold(Opcode.DELEGRETURN);
        assembly.delegations().recall(FakeServer.HANDLE, server.delegations.held.get(FakeServer.HANDLE), false);
        server.awaitHeld();
        int opens = server.delegations.opens.size();
        AtomicBoolean restarted = new AtomicBoolean();
        server.onRequest = () -> {
            if (restarted.compareAndSet(false, true)) {
                server.restart();
            }
        };
        server.loseNextReply(new TransportLostException("cut off", null));
        server.letGo();
        delegation.ended().get(20, TimeUnit.SECONDS);
        assertReadable(file);
        assertThat(claimsSince(opens)).containsExactly(new OpenClaim.Previous(0));
        assertThat(server.executed(Opcode.DELEGRETURN)).isOne();
        file.close();
    }

    @Test
    void shouldOpenAnewWhatRestedOnARevokedDelegation() throws Exception {
        NfsFile used = open("/file");
        NfsFile idle = open("/file");
        NfsFile locked = open("/file");
        assertThat(locked.tryLock(0, 1, false)).isPresent();
        StateId revoked = server.delegations.held.remove(FakeServer.HANDLE);
        server.failNext(Opcode.READ, Status.NFS4ERR_DELEG_REVOKED);
        int opens = server.delegations.opens.size();
        assertReadable(used);
        assertReadable(idle);
        assertThat(server.delegations.freed).containsExactly(revoked.withoutSeqid());
        assertThat(claimsSince(opens)).isNotEmpty().allMatch(claim -> claim instanceof OpenClaim.ByHandle);
        assertThatThrownBy(() -> assertReadable(locked))
                .hasMessageContaining("a lock on it was lost, since the server revoked the delegation");
        used.close();
        idle.close();
        locked.close();
        assertThat(assembly.delegations().size()).isZero();
    }

    @Test
    void shouldFindOutWhatTheServerSaysItHasRevoked() throws Exception {
        NfsFile file = open("/file");
        Delegation delegation = file.state().delegation();
        StateId revoked = server.delegations.held.remove(FakeServer.HANDLE);
        server.statusFlags = Sequence.RECALLABLE_STATE_REVOKED;
        Blocking.await(RUNTIME, assembly.caller().call(new LeaseRenewalRequest()));
        delegation.ended().get(20, TimeUnit.SECONDS);
        server.statusFlags = 0;
        Blocking.await(RUNTIME, file.state().makeKnown());
        assertReadable(file);
        assertThat(server.delegations.freed).containsExactly(revoked.withoutSeqid());
        assertThat(server.used).containsOnly(server.stateId.withoutSeqid());
        file.close();
    }

    @Test
    void shouldGoOnWhereADelegationWasRevokedWhileItWasRecalled() throws Exception {
        NfsFile file = open("/file");
        Delegation delegation = file.state().delegation();
        StateId revoked = server.delegations.held.remove(FakeServer.HANDLE);
        assembly.delegations().recall(FakeServer.HANDLE, revoked, false);
        delegation.ended().get(20, TimeUnit.SECONDS);
        assertReadable(file);
        file.close();
    }

    @Test
    void shouldNotTrustADelegationWithoutASession() throws Exception {
        NfsFile file = open("/file");
        assertThat(file.attributes().size()).isEqualTo(3);
        int before = server.seen.size();
        assertThat(file.attributes().size()).isEqualTo(3);
        assertThat(server.seen).hasSize(before);
        server.gate = new CountDownLatch(1);
        assembly.sessions().lost(assembly.sessions().present(), Status.NFS4ERR_BADSESSION);
        assertThat(assembly.delegations().areTrusted()).isFalse();
        FutureTask<Long> asking = new FutureTask<>(() -> file.attributes().size());
        Thread asker = new Thread(asking);
        asker.start();
        while (asker.getState() != Thread.State.WAITING && !asking.isDone()) {
            Thread.onSpinWait(); // for it to wait for the server
        }
        assertThat(asking.isDone()).isFalse();
        server.gate.countDown();
        assertThat(asking.get(20, TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(server.opcodesSince(before)).contains(Opcode.GETATTR);
        file.close();
    }

    @Test
    void shouldNotOpenAnewWhatIsBeingClosed() throws Exception {
        server.delegations.type = 0;
        NfsFile file = Blocking.await(RUNTIME, assembly.opener().open("/other", DelegationFixture.READ, 0600));
        server.failNext(
                Opcode.CLOSE, Collections.nCopies(1000, Status.NFS4ERR_DELAY).toArray(Status[]::new));
        int opens = server.delegations.opens.size();
        CompletableFuture<Void> closing = file.closeAsync();
        Blocking.await(RUNTIME, file.state().reopen(file.state().openStateId()));
        assertThat(claimsSince(opens)).isEmpty();
        assertThat(closing).isNotDone();
        server.failNoMore(Opcode.CLOSE);
        closing.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldNotOpenAnewWhatTheServerGaveUpBeforeItWasClosed() throws Exception {
        server.delegations.type = 0;
        server.handles.put("other", FileHandle.of((byte) 9));
        NfsFile file = Blocking.await(RUNTIME, assembly.opener().open("/other", DelegationFixture.READ, 0600));
        server.failNext(Opcode.CLOSE, Status.NFS4ERR_EXPIRED);
        int opens = server.delegations.opens.size();
        StateId expired = file.state().openStateId();
        file.close();
        assertThat(claimsSince(opens)).isEmpty();
        assertThat(server.delegations.freed).containsExactly(expired);
    }

    @Test
    void shouldLetNothingThatIsClosedJoinADelegation() throws Exception {
        NfsFile file = open("/file");
        Delegation delegation = file.state().delegation();
        file.close();
        assembly.delegations().rejoin(file.state());
        assertThat(delegation.isIdle()).isTrue();
    }

    @Test
    void shouldForgetTheDelegationOfAFileWhoseOnlyOpenIsBeingClosed() throws Exception {
        server.delegations.type = 2;
        server.handles.put("other", FileHandle.of((byte) 9));
        NfsFile file = Blocking.await(RUNTIME, assembly.opener().open("/other", DelegationFixture.READ, 0600));
        Delegation delegation = file.state().delegation();
        server.failNext(
                Opcode.CLOSE, Collections.nCopies(1000, Status.NFS4ERR_DELAY).toArray(Status[]::new));
        CompletableFuture<Void> closing = file.closeAsync();
        server.restart();
        delegation.ended().get(20, TimeUnit.SECONDS);
        server.failNoMore(Opcode.CLOSE);
        closing.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldNotTrustADelegationThatCannotBeRecalled() throws Exception {
        NfsFile file = open("/file");
        assembly.delegations().attach(() -> false);
        int before = server.seen.size();
        assertThat(file.tryLock(0, 1, false)).isPresent();
        assertThat(server.opcodesSince(before)).contains(Opcode.LOCK);
        file.close();
    }

    @Test
    void shouldCountTheLeaseFromWhenARequestWasSent() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        server.gate = new CountDownLatch(1);
        server.onRequest = arrived::countDown;
        CompletableFuture<Void> renewal = assembly.caller().call(new LeaseRenewalRequest());
        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
        long sent = System.nanoTime();
        server.gate.countDown();
        renewal.get(20, TimeUnit.SECONDS);
        long now = System.nanoTime();
        assertThat(assembly.sessions().idleNanos()).isGreaterThanOrEqualTo(now - sent);
    }

    @Test
    void shouldFreeADelegationThatWasRevokedBeforeItsReturn() throws Exception {
        Delegation delegation = open("/file").state().delegation();
        StateId revoked = delegation.stateId();
        server.failNext(Opcode.DELEGRETURN, Status.NFS4ERR_DELEG_REVOKED);
        assembly.delegations().recall(FakeServer.HANDLE, revoked, false);
        delegation.ended().get(20, TimeUnit.SECONDS);
        Blocking.await(RUNTIME, assembly.caller().call(new LeaseRenewalRequest())); // behind what was sent before
        assertThat(server.delegations.freed).containsExactly(revoked);
    }

    @Test
    void shouldEndAReplacedSessionInWhichTheServerHasLostItsWay() throws Exception {
        Session replaced = assembly.sessions().present();
        CountDownLatch arrived = new CountDownLatch(1);
        server.gate = new CountDownLatch(1);
        server.onRequest = arrived::countDown;
        server.failNext(Opcode.SEQUENCE, Status.NFS4ERR_SEQ_MISORDERED);
        CompletableFuture<Void> renewal = assembly.caller().call(new LeaseRenewalRequest());
        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
        assembly.sessions().replace(replaced, "a test");
        server.gate.countDown();
        assertThat(server.destroyed.poll(20, TimeUnit.SECONDS)).isEqualTo(replaced.id());
        renewal.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldKeepFilesApart() throws Exception {
        server.handles.put("other", FileHandle.of((byte) 9));
        NfsFile one = open("/file");
        NfsFile two = open("/other");
        assertThat(one.tryLock(0, 1, false)).isPresent();
        assertThat(two.tryLock(0, 1, false)).isPresent();
        one.close();
        two.close();
    }
}
