package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FreeStateId;
import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockDenied;
import io.verbena.nfs41.LockT;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.LockU;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDowngrade;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.TestStateId;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Share reservations, locks, stateids and their recovery. */
class StateTest extends ServerFixture {
    private static final OpenHow EXISTING = new OpenHow.NoCreate();
    private static final long TO_END = -1;

    private TestClient other;

    @BeforeEach
    void another() throws Exception {
        Files.writeString(directory.resolve("file"), "0123456789");
        other = TestClient.connected(server, "second");
    }

    @Test
    void shouldDenyWhatAnotherOpenExcludes() throws Exception {
        Opened mine = client.opened("file", 1, Open.SHARE_DENY_WRITE, EXISTING);
        assertThat(other.statusOfOpen("file", 2, 0, EXISTING)).isEqualTo(Status.NFS4ERR_SHARE_DENIED);
        assertThat(other.statusOfOpen("file", 1, Open.SHARE_DENY_READ, EXISTING))
                .isEqualTo(Status.NFS4ERR_SHARE_DENIED);
        assertThat(other.statusOfOpen("file", 1, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
        client.close(mine);
        assertThat(other.statusOfOpen("file", 2, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
    }

    /** Each OPEN looks through all opens of its file, while no other request goes on. */
    @Test
    void shouldRefuseAClientThatOpensOneFileBeyondReason() throws Exception {
        Status status = Status.NFS4_OK;
        int opens = 0;
        while (status.isOk() && opens <= 10_000) {
            Op open = client.open("owner " + opens, "file", 1, 0, EXISTING);
            status = client.inSession(root(), open).status();
            opens++;
        }
        assertThat(status).isEqualTo(Status.NFS4ERR_SERVERFAULT);
        assertThat(client.inSession(root(), client.open("owner 0", "file", 1, 0, EXISTING))
                        .status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(client.statusOfOpen("new", 3, 0, unchecked(0644))).isEqualTo(Status.NFS4_OK);
        assertThat(other.statusOfOpen("file", 1, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldRefuseAClientThatHasLockOwnersBeyondReason() throws Exception {
        Opened mine = client.opened("file", 3, 0, EXISTING);
        Status status = Status.NFS4_OK;
        int owners = 0;
        while (status.isOk() && owners <= 10_000) {
            Lock.Locker locker = new Lock.NewLockOwner(
                    0, mine.stateId(), 0, new StateOwner(client.clientId(), Opaque.of("owner " + owners)));
            status = client.inSession(
                            fh(mine.handle()),
                            out -> Lock.encodeArgs(out, new Lock.Args(LockType.READ_LT, false, 0, 1, locker)),
                            out -> LockU.encodeArgs(
                                    out, new LockU.Args(LockType.READ_LT, 0, StateId.CURRENT, 0, TO_END)))
                    .status();
            owners++;
        }
        assertThat(status).isEqualTo(Status.NFS4ERR_SERVERFAULT);
        assertThat(client.close(mine)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldNotTruncateWhatAnotherOpenDeniesToWriters() throws Exception {
        Opened mine = client.opened("file", 1, Open.SHARE_DENY_WRITE, EXISTING);
        Attributes empty = Attributes.builder().put(Attribute.SIZE, 0L).build();
        assertThat(other.statusOfOpen("file", 1, 0, new OpenHow.Unchecked(empty)))
                .isEqualTo(Status.NFS4ERR_SHARE_DENIED);
        assertThat(client.read(mine, 0, 10)).isEqualTo("0123456789");
        client.close(mine);
        assertThat(other.statusOfOpen("file", 1, 0, new OpenHow.Unchecked(empty)))
                .isEqualTo(Status.NFS4_OK);
        assertThat(directory.resolve("file")).isEmptyFile();
        assertThat(client.statusOfOpen("file", 1, Open.SHARE_DENY_WRITE, EXISTING))
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldKeepAnonymousReadsOutOfWhatIsDeniedButNotBypasses() throws Exception {
        Opened mine = client.opened("file", 1, Open.SHARE_DENY_READ, EXISTING);
        assertThat(readWith(other, mine, StateId.ANONYMOUS)).isEqualTo(Status.NFS4ERR_LOCKED);
        assertThat(readWith(other, mine, StateId.READ_BYPASS)).isEqualTo(Status.NFS4_OK);
    }

    private static Status readWith(TestClient by, Opened file, StateId stateId) throws Exception {
        return by.inSession(fh(file.handle()), out -> Read.encodeArgs(out, new Read.Args(stateId, 0, 1)))
                .status();
    }

    @Test
    void shouldUpgradeAndDowngradeAnOpen() throws Exception {
        Opened first = client.opened("file", 1, 0, EXISTING);
        Opened second = client.opened("file", 2, 0, EXISTING);
        assertThat(second.stateId().isSameState(first.stateId())).isTrue();
        assertThat(second.stateId().seqid()).isEqualTo(first.stateId().seqid() + 1);
        assertThat(readWith(client, first, first.stateId())).isEqualTo(Status.NFS4ERR_OLD_STATEID);
        assertThat(readWith(client, first, first.stateId().withoutSeqid())).isEqualTo(Status.NFS4_OK);
        Reply reply = client.inSession(
                fh(first.handle()),
                out -> OpenDowngrade.encodeArgs(out, new OpenDowngrade.Args(second.stateId(), 0, 2, 0)));
        reply.ok(Opcode.PUTFH, Opcode.OPEN_DOWNGRADE);
        StateId narrowed = OpenDowngrade.decodeResult(reply.in).stateId();
        assertThat(readWith(client, first, narrowed)).isEqualTo(Status.NFS4ERR_OPENMODE);
        assertThat(client.inSession(
                                fh(first.handle()),
                                out -> OpenDowngrade.encodeArgs(out, new OpenDowngrade.Args(narrowed, 0, 3, 0)))
                        .status())
                .isEqualTo(Status.NFS4ERR_INVAL);
    }

    @Test
    void shouldRefuseStateidsThatAreNotTheClientsOwnOrOfThisFile() throws Exception {
        Files.writeString(directory.resolve("another"), "x");
        Opened mine = client.opened("file", 1, 0, EXISTING);
        Opened another = client.opened("another", 1, 0, EXISTING);
        assertThat(readWith(other, mine, mine.stateId())).isEqualTo(Status.NFS4ERR_BAD_STATEID);
        assertThat(readWith(client, another, mine.stateId())).isEqualTo(Status.NFS4ERR_BAD_STATEID);
        StateId future =
                new StateId(99, mine.stateId().otherHigh(), mine.stateId().otherLow());
        assertThat(readWith(client, mine, future)).isEqualTo(Status.NFS4ERR_BAD_STATEID);
        client.close(mine);
        assertThat(readWith(client, mine, mine.stateId())).isEqualTo(Status.NFS4ERR_BAD_STATEID);
        assertThat(readWith(client, mine, StateId.CURRENT)).isEqualTo(Status.NFS4ERR_BAD_STATEID);
    }

    @Test
    void shouldTakeTheCurrentStateidOfTheCompound() throws Exception {
        Op read = out -> Read.encodeArgs(out, new Read.Args(StateId.CURRENT, 0, 4));
        Reply reply = client.inSession(root(), client.open("file", 1, 0, EXISTING), read);
        assertThat(reply.status()).isEqualTo(Status.NFS4_OK);
    }

    private static Op lock(Opened file, String owner, LockType type, long offset, long length) {
        return out -> Lock.encodeArgs(
                out,
                new Lock.Args(
                        type,
                        false,
                        offset,
                        length,
                        new Lock.NewLockOwner(0, file.stateId(), 0, new StateOwner(0, Opaque.of(owner)))));
    }

    private static StateId locked(TestClient by, Opened file, LockType type, long offset, long length)
            throws Exception {
        Reply reply = by.inSession(fh(file.handle()), lock(file, "owner", type, offset, length));
        reply.ok(Opcode.PUTFH, Opcode.LOCK);
        return Lock.decodeResult(reply.in).stateId();
    }

    private static LockDenied test(TestClient by, Opened file, LockType type, long offset, long length)
            throws Exception {
        Op test = out ->
                LockT.encodeArgs(out, new LockT.Args(type, offset, length, new StateOwner(0, Opaque.of("tester"))));
        Reply reply = by.inSession(fh(file.handle()), test);
        if (reply.status().isOk()) {
            return null;
        }
        reply.ok(Opcode.PUTFH).expect(Opcode.LOCKT, Status.NFS4ERR_DENIED);
        return LockT.decodeDenied(reply.in);
    }

    private static StateId unlocked(TestClient by, Opened file, StateId lock, long offset, long length)
            throws Exception {
        Op unlock = out -> LockU.encodeArgs(out, new LockU.Args(LockType.WRITE_LT, 0, lock, offset, length));
        Reply reply = by.inSession(fh(file.handle()), unlock);
        reply.ok(Opcode.PUTFH, Opcode.LOCKU);
        return LockU.decodeResult(reply.in).stateId();
    }

    @Test
    void shouldShareReadLocksAndDenyWriteLocks() throws Exception {
        Opened mine = client.opened("file", 3, 0, EXISTING);
        Opened theirs = other.opened("file", 3, 0, EXISTING);
        locked(client, mine, LockType.READ_LT, 0, 10);
        locked(other, theirs, LockType.READ_LT, 5, 10);
        Reply denied = other.inSession(fh(theirs.handle()), lock(theirs, "owner", LockType.WRITE_LT, 9, TO_END));
        denied.ok(Opcode.PUTFH).expect(Opcode.LOCK, Status.NFS4ERR_DENIED);
        LockDenied conflict = Lock.decodeDenied(denied.in);
        assertThat(conflict.offset()).isZero();
        assertThat(conflict.length()).isEqualTo(10);
        assertThat(conflict.type()).isEqualTo(LockType.READ_LT);
        assertThat(conflict.owner()).isEqualTo(new StateOwner(client.clientId(), Opaque.of("owner")));
        locked(other, theirs, LockType.WRITE_LT, 10, TO_END);
    }

    @Test
    void shouldSplitAndMergeRanges() throws Exception {
        Opened mine = client.opened("file", 3, 0, EXISTING);
        Opened theirs = other.opened("file", 3, 0, EXISTING);
        StateId lock = locked(client, mine, LockType.WRITE_LT, 0, 100);
        StateId split = unlocked(client, mine, lock, 40, 20);
        assertThat(test(other, theirs, LockType.READ_LT, 40, 20)).isNull();
        assertThat(test(other, theirs, LockType.READ_LT, 39, 1).length()).isEqualTo(40);
        assertThat(test(other, theirs, LockType.READ_LT, 60, 1).offset()).isEqualTo(60);
        Op more = out -> Lock.encodeArgs(
                out, new Lock.Args(LockType.WRITE_LT, false, 40, 20, new Lock.ExistingLockOwner(split, 0)));
        assertThat(client.inSession(fh(mine.handle()), more).status()).isEqualTo(Status.NFS4_OK);
        assertThat(test(other, theirs, LockType.READ_LT, 50, 1).length()).isEqualTo(100);
    }

    @Test
    void shouldRefuseEmptyAndOverlongRanges() throws Exception {
        Opened mine = client.opened("file", 3, 0, EXISTING);
        assertThat(client.inSession(fh(mine.handle()), lock(mine, "owner", LockType.WRITE_LT, 0, 0))
                        .status())
                .isEqualTo(Status.NFS4ERR_INVAL);
        assertThat(client.inSession(fh(mine.handle()), lock(mine, "owner", LockType.WRITE_LT, -2, 5))
                        .status())
                .isEqualTo(Status.NFS4ERR_INVAL);
    }

    @Test
    void shouldWantTheAccessThatALockIsFor() throws Exception {
        Opened reader = client.opened("file", 1, 0, EXISTING);
        assertThat(client.inSession(fh(reader.handle()), lock(reader, "owner", LockType.WRITE_LT, 0, 1))
                        .status())
                .isEqualTo(Status.NFS4ERR_OPENMODE);
    }

    @Test
    void shouldReleaseLocksWithTheirOpen() throws Exception {
        Opened mine = client.opened("file", 3, 0, EXISTING);
        Opened theirs = other.opened("file", 3, 0, EXISTING);
        locked(client, mine, LockType.WRITE_LT, 0, TO_END);
        assertThat(test(other, theirs, LockType.READ_LT, 0, 1)).isNotNull();
        client.close(mine);
        assertThat(test(other, theirs, LockType.READ_LT, 0, 1)).isNull();
    }

    @Test
    void shouldFreeLockOwnersThatHoldNothing() throws Exception {
        Opened mine = client.opened("file", 3, 0, EXISTING);
        StateId lock = locked(client, mine, LockType.WRITE_LT, 0, 10);
        assertThat(client.inSession(out -> FreeStateId.encodeArgs(out, new FreeStateId.Args(lock)))
                        .status())
                .isEqualTo(Status.NFS4ERR_LOCKS_HELD);
        StateId empty = unlocked(client, mine, lock, 0, TO_END);
        assertThat(client.inSession(out -> FreeStateId.encodeArgs(out, new FreeStateId.Args(empty)))
                        .status())
                .isEqualTo(Status.NFS4_OK);
        Op test = out ->
                TestStateId.encodeArgs(out, new TestStateId.Args(List.of(mine.stateId(), empty, StateId.INVALID)));
        Reply reply = client.inSession(test);
        reply.ok(Opcode.TEST_STATEID);
        assertThat(TestStateId.decodeResult(reply.in).statuses())
                .containsExactly(Status.NFS4_OK, Status.NFS4ERR_BAD_STATEID, Status.NFS4ERR_BAD_STATEID);
    }

    private Op reclaim(TestClient by) {
        return out -> Open.encodeArgs(
                out,
                new Open.Args(
                        0,
                        3,
                        0,
                        new StateOwner(by.clientId(), Opaque.of("owner")),
                        EXISTING,
                        new OpenClaim.Previous(0)));
    }

    @Test
    void shouldLetKnownClientsReclaimInTheGracePeriodAndEndItWhenAllHave() throws Exception {
        Opened mine = client.opened("file", 3, 0, EXISTING);
        restart(settings());
        client = new TestClient(server, "first");
        client.connect(1);
        TestClient stranger = TestClient.connected(server, "third");
        assertThat(stranger.statusOfOpen("file", 1, 0, EXISTING)).isEqualTo(Status.NFS4ERR_GRACE);
        assertThat(stranger.inSession(fh(mine.handle()), reclaim(stranger)).status())
                .isEqualTo(Status.NFS4ERR_NO_GRACE);
        assertThat(client.inSession(fh(mine.handle()), reclaim(client)).status())
                .isEqualTo(Status.NFS4_OK);
        complete(client);
        assertThat(client.inSession(fh(mine.handle()), reclaim(client)).status())
                .isEqualTo(Status.NFS4ERR_NO_GRACE);
        assertThat(stranger.statusOfOpen("file", 1, 0, EXISTING)).isEqualTo(Status.NFS4ERR_GRACE);
        TestClient.connected(server, "second");
        assertThat(stranger.statusOfOpen("file", 1, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldWantPermissionForAReclaimToo() throws Exception {
        Opened mine = client.opened("file", 3, 0, EXISTING);
        Files.setPosixFilePermissions(directory.resolve("file"), PosixFilePermissions.fromString("r--r--r--"));
        int owner = (int) Files.getAttribute(directory.resolve("file"), "unix:uid");
        restart(settings());
        client = new TestClient(server, "first");
        client.connect(1);
        client.as(owner + 1, 4711);
        assertThat(client.inSession(fh(mine.handle()), reclaim(client)).status())
                .isEqualTo(Status.NFS4ERR_ACCESS);
        client.as(owner, 4711);
        assertThat(client.inSession(fh(mine.handle()), reclaim(client)).status())
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldEndTheGracePeriodInTime() throws Exception {
        restart(settings());
        client = TestClient.connected(server, "third");
        assertThat(client.statusOfOpen("file", 1, 0, EXISTING)).isEqualTo(Status.NFS4ERR_GRACE);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(91));
        assertThat(client.statusOfOpen("file", 1, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
        restart(settings());
        client = new TestClient(server, "first");
        client.connect(1);
        assertThat(client.inSession(fh(client.handle("file")), reclaim(client)).status())
                .isEqualTo(Status.NFS4ERR_NO_GRACE);
    }

    @Test
    void shouldKnowARepeatedExclusiveCreateAfterARestart() throws Exception {
        OpenHow how = new OpenHow.ExclusiveWithAttributes(77, Attributes.EMPTY);
        Opened made = client.opened("made", 3, 0, how);
        // the last record is cut short where the process was killed
        Path kept = state.resolve("exclusive-creates");
        Files.write(kept, new byte[7], StandardOpenOption.APPEND);

        restart(settings());

        clock.addAndGet(TimeUnit.SECONDS.toNanos(91)); // the others do not come back
        client = TestClient.connected(server, "first");
        assertThat(client.opened("made", 3, 0, how).handle()).isEqualTo(made.handle());
        assertThat(client.statusOfOpen("made", 3, 0, new OpenHow.ExclusiveWithAttributes(78, Attributes.EMPTY)))
                .isEqualTo(Status.NFS4ERR_EXIST);
        assertThat(kept).hasSize(24);
    }

    @Test
    void shouldNotKeepEveryExclusiveCreateForEver() throws Exception {
        ByteBuffer records = ByteBuffer.allocate(20_000 * 24);
        for (long number = 0; number < 20_000; number++) {
            records.putLong(number).putLong(1).putLong(2);
        }
        Path kept = Files.write(state.resolve("exclusive-creates"), records.array());

        restart(settings());

        assertThat(kept).hasSize(16_384 * 24);
        assertThat(ByteBuffer.wrap(Files.readAllBytes(kept)).getLong()).isEqualTo(20_000 - 16_384);
    }

    private static void complete(TestClient by) throws Exception {
        by.inSession(out -> ReclaimComplete.encodeArgs(out, new ReclaimComplete.Args(false)))
                .ok(Opcode.RECLAIM_COMPLETE);
    }

    @Test
    void shouldOpenExistingFilesAnewWithUnchecked() throws Exception {
        Opened mine = client.opened("file", 3, 0, unchecked(0600));
        assertThat(client.read(mine, 0, 100)).isEqualTo("0123456789");
    }
}
