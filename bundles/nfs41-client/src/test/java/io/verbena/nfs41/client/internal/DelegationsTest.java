package io.verbena.nfs41.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.Access;
import io.verbena.nfs41.AccessControlEntry;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a delegation spares the server, and how it goes back. */
@Timeout(60)
class DelegationsTest {
    static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);
    static final Set<StandardOpenOption> WRITE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);

    private final FakeServer server = new FakeServer();
    private Engine engine;

    @AfterEach
    void close() {
        if (engine != null) {
            engine.close(Duration.ofSeconds(20));
        }
        server.close();
    }

    private void mount(String options, int type) throws IOException {
        server.delegations.type = type;
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(options));
        engine = new Engine(settings, new TransportSource(server), new Lifetime("m"), ClientOwner.of("m"));
        engine.delegations().attach(() -> true);
        engine.start();
        engine.connect(Duration.ofSeconds(20));
    }

    private NfsFile open(String path, Set<StandardOpenOption> options) throws IOException {
        return Blocking.await(engine.opener().open(path, options, 0600));
    }

    /** A file that is open without the server's knowledge. */
    private NfsFile openLocally(Set<StandardOpenOption> options) throws IOException {
        open("/file", options).close();
        NfsFile file = open("/file", options);
        assertThat(file.state().openStateId()).isNull();
        return file;
    }

    private StateId delegation() {
        return server.delegations.held.get(FakeServer.HANDLE);
    }

    private StateId returned() throws InterruptedException {
        return server.delegations.returned.poll(20, TimeUnit.SECONDS);
    }

    private Status recall() {
        return engine.delegations().recall(FakeServer.HANDLE, delegation(), false);
    }

    /** Waits until the file's delegation is gone. */
    private void awaitReturn() throws Exception {
        engine.delegations().giveBack(FakeServer.HANDLE).get(20, TimeUnit.SECONDS);
    }

    private int seen() {
        return server.seen.size();
    }

    /** The operations since then, without those that stand before every other. */
    private List<Integer> since(int before) {
        return server.opcodesSince(before).stream()
                .filter(opcode -> opcode != Opcode.SEQUENCE && opcode != Opcode.PUTFH)
                .toList();
    }

    private static ByteBuffer bytes(int... octets) {
        ByteBuffer bytes = ByteBuffer.allocate(octets.length);
        for (int octet : octets) {
            bytes.put((byte) octet);
        }
        return bytes.flip();
    }

    @Test
    void shouldAskForNoneWhereTheyAreSwitchedOff() throws IOException {
        mount("delegations=off", 1);
        int before = seen();
        open("/file", READ).close();
        open("/file", READ).close();
        assertThat(since(before))
                .containsExactly(
                        Opcode.GETATTR,
                        Opcode.OPEN,
                        Opcode.GETFH,
                        Opcode.CLOSE,
                        Opcode.GETATTR,
                        Opcode.OPEN,
                        Opcode.GETFH,
                        Opcode.CLOSE);
        assertThat(server.delegations.opens)
                .allMatch(args -> args.shareAccess() == (Open.SHARE_ACCESS_READ | Open.WANT_NO_DELEGATION));
    }

    @Test
    void shouldAskForNoneWithoutABackChannel() throws IOException {
        mount("", 1);
        engine.delegations().attach(() -> false);
        open("/file", READ).close();
        assertThat(server.delegations.opens)
                .allMatch(args -> args.shareAccess() == (Open.SHARE_ACCESS_READ | Open.WANT_NO_DELEGATION));
        assertThat(engine.delegations().size()).isZero();
    }

    @Test
    void shouldOpenReadAndCloseWithoutTheServersKnowledge() throws IOException {
        mount("", 1);
        server.size = 3;
        open("/file", READ).close();
        int before = seen();
        try (NfsFile file = open("/file", READ)) {
            assertThat(file.read(ByteBuffer.allocate(3), 0)).isEqualTo(3);
        }
        assertThat(since(before))
                .containsExactly(Opcode.LOOKUP, Opcode.GETATTR, Opcode.GETFH, Opcode.ACCESS, Opcode.READ);
        assertThat(server.used).containsExactly(delegation().withoutSeqid());
    }

    @Test
    void shouldOpenForWritingByADelegationForWriting() throws IOException {
        mount("", 2);
        open("/file", WRITE).close();
        int before = seen();
        try (NfsFile file = open("/file", WRITE)) {
            file.write(bytes(1, 2, 3), 0);
        }
        assertThat(since(before))
                .containsExactly(
                        Opcode.LOOKUP, Opcode.GETATTR, Opcode.GETFH, Opcode.ACCESS, Opcode.WRITE, Opcode.COMMIT);
        assertThat(server.content).startsWith(1, 2, 3);
    }

    @Test
    void shouldTruncateWhatItOpensWithoutTheServersKnowledge() throws IOException {
        mount("", 2);
        open("/file", WRITE).close();
        server.size = 3;
        int before = seen();
        open("/file", Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING))
                .close();
        assertThat(server.size).isZero();
        assertThat(since(before)).contains(Opcode.SETATTR).doesNotContain(Opcode.OPEN, Opcode.CLOSE);
        assertThat(server.used).containsExactly(delegation().withoutSeqid());
    }

    @Test
    void shouldOpenOnTheServerForWhatADelegationForReadingDoesNotCover() throws IOException {
        mount("", 1);
        open("/file", READ).close();
        int before = seen();
        open("/file", WRITE).close();
        assertThat(since(before)).contains(Opcode.OPEN, Opcode.CLOSE).doesNotContain(Opcode.ACCESS);
    }

    @Test
    void shouldLeaveItToTheServerToRefuse() throws IOException {
        mount("", 2);
        open("/file", WRITE).close();
        server.denied = Access.EXTEND;
        int before = seen();
        open("/file", READ).close();
        assertThat(since(before)).doesNotContain(Opcode.OPEN);
        open("/file", WRITE).close();
        assertThat(since(before)).contains(Opcode.OPEN);
    }

    @Test
    void shouldOpenOnTheServerWhereThePathLeadsElsewhereByNow() throws IOException {
        mount("", 1);
        open("/file", READ).close();
        server.handles.put("file", FileHandle.of((byte) 9));
        int before = seen();
        try (NfsFile file = open("/file", READ)) {
            assertThat(file.state().handle()).isEqualTo(FileHandle.of((byte) 9));
            assertThat(since(before)).contains(Opcode.OPEN);
        }
    }

    @Test
    void shouldAlwaysAskTheServerToCreateAFileThatMustNotExist() throws IOException {
        mount("", 2);
        open("/file", WRITE).close();
        int before = seen();
        open("/file", Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
                .close();
        assertThat(since(before)).contains(Opcode.OPEN).doesNotContain(Opcode.ACCESS);
    }

    @Test
    void shouldKnowTheAttributesUntilItChangesThem() throws IOException {
        mount("", 2);
        server.size = 3;
        try (NfsFile file = open("/file", WRITE)) {
            int before = seen();
            assertThat(file.attributes().size()).isEqualTo(3);
            assertThat(seen()).isEqualTo(before);
            file.write(bytes(1, 2, 3, 4), 0);
            assertThat(file.attributes().size()).isEqualTo(4);
            int behind = seen();
            assertThat(file.attributes().size()).isEqualTo(4);
            assertThat(seen()).isEqualTo(behind);
            file.truncate(1);
            assertThat(file.attributes().size()).isEqualTo(1);
        }
    }

    @Test
    void shouldAskForTheAttributesAgainBehindARename() throws IOException {
        mount("", 1);
        try (NfsFile file = open("/file", READ)) {
            Blocking.await(engine.namespace().rename("/other", "/another"));
            int before = seen();
            assertThat(file.attributes().size()).isZero();
            assertThat(since(before)).containsExactly(Opcode.GETATTR);
        }
    }

    @Test
    void shouldLockAndUnlockWithoutTheServer() throws IOException {
        mount("", 2);
        NfsFile one = openLocally(WRITE);
        NfsFile two = openLocally(WRITE);
        int before = seen();
        RemoteLock lock = one.tryLock(0, 10, false).orElseThrow();
        assertThat(two.tryLock(9, 1, true)).isEmpty();
        assertThat(two.isLocked(0, 1, true)).isTrue();
        assertThat(two.isLocked(10, 1, false)).isFalse();
        assertThat(one.isLocked(0, 1, false)).isFalse();
        assertThat(two.tryLock(10, Long.MAX_VALUE, false)).isPresent();
        lock.close();
        assertThat(two.tryLock(9, 1, true)).isPresent();
        assertThat(one.tryLock(9, 1, true)).isPresent();
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
    void shouldNotWaitForTheServersHintWhereItIsNotTheServerThatDenies() throws Exception {
        server.openFlags = Open.RESULT_MAY_NOTIFY_LOCK;
        mount("", 2);
        NfsFile one = openLocally(WRITE);
        NfsFile two = openLocally(WRITE);
        RemoteLock lock = one.tryLock(0, 1, false).orElseThrow();
        CompletableFuture<Optional<RemoteLock>> waiting = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                waiting.complete(two.tryLock(0, 1, false, Duration.ofMinutes(1)));
            } catch (IOException e) {
                waiting.completeExceptionally(e);
            }
        });
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING && !waiting.isDone()) {
            Thread.onSpinWait(); // for it to find the range locked
        }
        lock.close();
        assertThat(waiting.get(8, TimeUnit.SECONDS)).isPresent(); // who waits for a hint asks again after ten
        one.close();
        two.close();
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

    private Open.Args lastOpen() {
        return server.delegations.opens.get(server.delegations.opens.size() - 1);
    }

    @Test
    void shouldMakeAllKnownBeforeARecalledDelegationGoesBack() throws Exception {
        mount("", 2);
        NfsFile file = openLocally(WRITE);
        StateId stateId = delegation();
        assertThat(file.tryLock(0, 10, false)).isPresent();
        file.write(bytes(1), 0);
        SeekableByteChannel channel = file.channel();
        channel.position(1).write(bytes(2, 3));
        int before = seen();
        assertThat(recall()).isEqualTo(Status.NFS4_OK);
        awaitReturn();
        assertThat(returned()).isEqualTo(stateId.withoutSeqid());
        assertThat(since(before))
                .containsExactly(Opcode.WRITE, Opcode.COMMIT, Opcode.OPEN, Opcode.LOCK, Opcode.DELEGRETURN);
        assertThat(lastOpen().claim()).isEqualTo(new OpenClaim.DelegateCurrentByHandle(stateId.withoutSeqid()));
        assertThat(lastOpen().shareAccess()).isEqualTo(Open.SHARE_ACCESS_BOTH | Open.WANT_NO_DELEGATION);
        assertThat(server.content).startsWith(1, 2, 3);
        int behind = seen();
        file.close();
        assertThat(since(behind)).containsExactly(Opcode.LOCKU, Opcode.CLOSE);
        open("/file", READ).close();
        assertThat(since(behind)).contains(Opcode.OPEN);
    }

    @Test
    void shouldNotCommitWhatIsAboutToBeTruncated() throws Exception {
        mount("", 2);
        NfsFile file = openLocally(WRITE);
        file.write(bytes(1), 0);
        int before = seen();
        engine.delegations().recall(FakeServer.HANDLE, delegation(), true);
        awaitReturn();
        assertThat(since(before)).containsExactly(Opcode.OPEN, Opcode.DELEGRETURN);
        file.close();
    }

    @Test
    void shouldGoOnWithTheOpenItselfOnceTheDelegationIsBack() throws Exception {
        mount("", 1);
        server.size = 3;
        NfsFile file = openLocally(READ);
        recall();
        awaitReturn();
        assertThat(file.read(ByteBuffer.allocate(3), 0)).isEqualTo(3);
        assertThat(server.used).containsExactly(server.stateId.withoutSeqid());
        int before = seen();
        assertThat(file.attributes().size()).isEqualTo(3);
        assertThat(file.attributes().size()).isEqualTo(3);
        assertThat(since(before)).containsExactly(Opcode.GETATTR, Opcode.GETATTR);
        file.close();
        assertThat(engine.delegations().size()).isZero();
    }

    @Test
    void shouldRepeatAReadThatTheReturnOvertook() throws Exception {
        mount("", 1);
        server.size = 3;
        NfsFile file = openLocally(READ);
        // the server has the delegation back while a READ by it is on its way
        server.failNext(Opcode.READ, Status.NFS4ERR_DELAY);
        CompletableFuture<Integer> reading = file.readAsync(ByteBuffer.allocate(3), 0);
        recall();
        awaitReturn();
        assertThat(reading.get(20, TimeUnit.SECONDS)).isEqualTo(3);
        file.close();
    }

    @Test
    void shouldCloseWhatTheRecallHasJustMadeKnown() throws Exception {
        mount("", 1);
        NfsFile file = openLocally(READ);
        int before = seen();
        server.failNext(Opcode.OPEN, Status.NFS4ERR_DELAY, Status.NFS4ERR_DELAY); // it is on its way for a while
        CompletableFuture<Void> claiming = file.state().makeKnown();
        CompletableFuture<Void> closing = file.closeAsync();
        recall();
        closing.get(20, TimeUnit.SECONDS);
        assertThat(claiming).isCompleted();
        awaitReturn();
        assertThat(since(before))
                .containsSubsequence(Opcode.OPEN, Opcode.CLOSE)
                .filteredOn(opcode -> opcode == Opcode.CLOSE)
                .hasSize(1);
    }

    @Test
    void shouldNotMakeKnownWhatWasClosedBeforeTheRecall() throws Exception {
        mount("", 1);
        openLocally(READ).close();
        int before = seen();
        recall();
        awaitReturn();
        assertThat(since(before)).containsExactly(Opcode.DELEGRETURN);
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

    @Test
    void shouldOpenOnTheServerWhileTheDelegationGoesBack() throws Exception {
        mount("", 1);
        open("/file", READ).close();
        server.failNext(
                Opcode.DELEGRETURN,
                Collections.nCopies(1000, Status.NFS4ERR_DELAY).toArray(Status[]::new));
        int before = seen();
        recall();
        open("/file", READ).close();
        assertThat(since(before)).contains(Opcode.OPEN, Opcode.CLOSE);
        assertThat(recall()).isEqualTo(Status.NFS4_OK); // on its way already
        server.failNoMore(Opcode.DELEGRETURN);
        awaitReturn();
    }

    @Test
    void shouldTellWhatIsNotHeld() throws Exception {
        mount("", 1);
        open("/file", READ).close();
        FileHandle other = FileHandle.of((byte) 9);
        assertThat(engine.delegations().recall(other, delegation(), false)).isEqualTo(Status.NFS4ERR_BADHANDLE);
        assertThat(engine.delegations().recall(FakeServer.HANDLE, new StateId(1, 3, 3), false))
                .isEqualTo(Status.NFS4ERR_BAD_STATEID);
    }

    @Test
    void shouldPutOffARecallThatMayHaveOvertakenTheGrant() throws Exception {
        mount("", 1);
        server.gate = new CountDownLatch(1);
        CompletableFuture<NfsFile> opening = engine.opener().open("/file", READ, 0600);
        assertThat(engine.delegations().recall(FakeServer.HANDLE, new StateId(1, 3, 3), false))
                .isEqualTo(Status.NFS4ERR_DELAY);
        server.gate.countDown();
        opening.get(20, TimeUnit.SECONDS).close();
    }

    @Test
    void shouldGiveBackAtOnceWhatWasRecalledWhenItWasGranted() throws Exception {
        mount("", 1);
        server.delegations.recalled = true;
        NfsFile file = open("/file", READ);
        assertThat(returned()).isNotNull();
        file.close();
    }

    @Test
    void shouldKeepOneOfTwoDelegationsOfAFile() throws Exception {
        mount("", 1);
        NfsFile one = open("/file", READ);
        StateId first = delegation();
        server.delegations.twice = true;
        server.denied = Access.READ; // so that the server opens it
        NfsFile two = open("/file", READ);
        assertThat(returned()).isEqualTo(new StateId(0, first.otherHigh(), first.otherLow() + 1));
        assertThat(one.state().delegation().isFor(first)).isTrue();
        one.close();
        two.close();
    }

    @Test
    void shouldGiveAllBackWhenItIsUnmounted() throws Exception {
        mount("", 2);
        server.handles.put("a", FileHandle.of((byte) 3));
        server.handles.put("b", FileHandle.of((byte) 4));
        open("/a", WRITE).close();
        NfsFile open = open("/b", WRITE);
        int before = seen();
        engine.close(Duration.ofSeconds(20));
        assertThat(open.isOpen()).isFalse();
        assertThat(server.delegations.held).isEmpty();
        assertThat(since(before))
                .containsSubsequence(
                        Opcode.CLOSE,
                        Opcode.DELEGRETURN,
                        Opcode.DELEGRETURN,
                        Opcode.DESTROY_SESSION,
                        Opcode.DESTROY_CLIENTID);
    }

    @Test
    void shouldGiveBackWhatWasUsedLeastRecentlyWhereTooManyAreKept() throws Exception {
        mount("", 1);
        for (int i = 0; i < 258; i++) {
            server.handles.put("f" + i, FileHandle.of((byte) 5, (byte) (i >> 8), (byte) i));
        }
        for (int i = 0; i < 256; i++) {
            open("/f" + i, READ).close();
        }
        open("/f0", READ).close();
        StateId second = server.delegations.held.get(server.handles.get("f1"));
        NfsFile open = open("/f256", READ);
        assertThat(server.delegations.returned).isEmpty();
        open.close();
        assertThat(returned()).isEqualTo(second.withoutSeqid());
    }

    @Test
    void shouldGiveBackAsManyAsTheServerWants() throws Exception {
        mount("", 1);
        server.handles.put("a", FileHandle.of((byte) 3));
        server.handles.put("b", FileHandle.of((byte) 4));
        NfsFile open = open("/a", READ);
        open("/b", READ).close();
        StateId idle = server.delegations.held.get(FileHandle.of((byte) 4));
        engine.delegations().recallAny(1, false, true);
        engine.delegations().recallAny(2, true, false);
        engine.delegations().recallAny(1, true, true);
        assertThat(returned()).isEqualTo(idle.withoutSeqid());
        engine.delegations().recallAny(0, true, false);
        assertThat(returned()).isNotNull();
        open.close();
    }

    @Test
    void shouldTellTheServerSizeAndChangeOfWhatItHasWritten() throws Exception {
        mount("", 2);
        server.size = 3;
        server.change = 40;
        AttributeMask asked = AttributeMask.of(Attribute.SIZE, Attribute.CHANGE, Attribute.FILEID);
        try (NfsFile file = open("/file", WRITE)) {
            assertThat(told(asked)).isEqualTo(sizeAndChange(3, 40));
            file.channel().write(bytes(1, 2, 3, 4)); // not sent yet
            assertThat(told(asked)).isEqualTo(sizeAndChange(4, 41));
            file.write(bytes(1, 2), 8);
            assertThat(told(asked)).isEqualTo(sizeAndChange(10, 41));
            file.truncate(5);
            assertThat(told(asked)).isEqualTo(sizeAndChange(5, 41));
        }
        assertThat(engine.delegations().attributes(FileHandle.of((byte) 9), asked))
                .isEmpty();
    }

    private Attributes told(AttributeMask asked) {
        return engine.delegations().attributes(FakeServer.HANDLE, asked).orElseThrow();
    }

    private static Attributes sizeAndChange(long size, long change) {
        return Attributes.builder()
                .put(Attribute.SIZE, size)
                .put(Attribute.CHANGE, change)
                .build();
    }

    @Test
    void shouldNotAnswerForAFileThatIsDelegatedForReading() throws Exception {
        mount("", 1);
        open("/file", READ).close();
        assertThat(engine.delegations().attributes(FakeServer.HANDLE, AttributeMask.of(Attribute.SIZE)))
                .isEqualTo(Optional.empty());
    }

    @Test
    void shouldGiveBackBeforeItDoesWhatTheServerWouldRecallFor() throws Exception {
        mount("", 2);
        open("/file", WRITE).close();
        int before = seen();
        Blocking.await(engine.namespace().setAttributes("/file", AttributeChanges.NONE.withMode(0644)));
        assertThat(since(before)).containsSubsequence(Opcode.DELEGRETURN, Opcode.SETATTR);
        open("/file", WRITE).close();
        before = seen();
        Blocking.await(engine.namespace().rename("/file", "/other"));
        assertThat(since(before)).containsSubsequence(Opcode.DELEGRETURN, Opcode.RENAME);
        open("/file", WRITE).close();
        before = seen();
        Blocking.await(engine.namespace().rename("/other", "/file"));
        assertThat(since(before)).containsSubsequence(Opcode.DELEGRETURN, Opcode.RENAME);
        open("/file", WRITE).close();
        before = seen();
        Blocking.await(engine.namespace().createLink("/other", "/file"));
        assertThat(since(before)).containsSubsequence(Opcode.DELEGRETURN, Opcode.LINK);
        NfsFile open = openLocally(WRITE);
        before = seen();
        Blocking.await(engine.namespace().remove("/file"));
        assertThat(since(before)).containsSubsequence(Opcode.OPEN, Opcode.DELEGRETURN, Opcode.REMOVE);
        open.close();
    }

    @Test
    void shouldLeaveItToWhoWroteToHearOfAFailure() throws Exception {
        mount("", 2);
        NfsFile file = openLocally(WRITE);
        file.write(bytes(1), 0);
        server.failNext(Opcode.COMMIT, Status.NFS4ERR_NOSPC);
        recall();
        awaitReturn();
        assertThatThrownBy(file::sync).hasMessageContaining("NFS4ERR_NOSPC");
        file.close();
    }

    @Test
    void shouldNotTakeADelegationThatAnOpenBringsWhenItWentBackMeanwhile() throws Exception {
        mount("", 1);
        try (NfsFile file = open("/file", READ)) {
            StateId stateId = delegation();
            long open = engine.delegations().begin();
            recall();
            awaitReturn();
            OpenDelegation late = new OpenDelegation.ForReading(stateId, false, new AccessControlEntry(0, 0, 0, ""));
            engine.delegations().opened(open, file.state(), late, null, "m:/file");
            engine.delegations().answered(open);
            assertThat(engine.delegations().size()).isZero();
        }
    }

    @Test
    void shouldKnowWhatWentBackBeforeAnOpenThatIsUnderWay() throws Exception {
        mount("", 1);
        open("/file", READ).close();
        StateId stateId = delegation();
        recall();
        awaitReturn();
        long open = engine.delegations().begin();
        assertThat(engine.delegations().recall(FakeServer.HANDLE, stateId, false))
                .isEqualTo(Status.NFS4ERR_BADHANDLE);
        engine.delegations().answered(open);
    }

    @Test
    void shouldForgetWhatEndedOnceNoOpenUnderWayCanBringIt() {
        EndedDelegations ended = new EndedDelegations(1);
        long first = ended.begin();
        ended.add(new StateId(1, 3, 1));
        long second = ended.begin(); // opens overlap: there is always one under way
        ended.add(new StateId(1, 3, 2));
        assertThat(ended.hasEndedSince(first, new StateId(2, 3, 1))).isTrue();
        assertThat(ended.hasEndedSince(second, new StateId(1, 3, 1))).isFalse();
        ended.answered(first);
        assertThat(ended.contains(new StateId(1, 3, 1))).isFalse();
        assertThat(ended.hasEndedSince(second, new StateId(1, 3, 2))).isTrue();
        long third = ended.begin();
        ended.answered(second);
        assertThat(ended.contains(new StateId(1, 3, 2))).isTrue(); // the last
        assertThat(ended.hasEndedSince(third, new StateId(1, 3, 2))).isFalse();
        assertThat(ended.isOpening()).isTrue();
        ended.answered(third);
        assertThat(ended.isOpening()).isFalse();
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
