package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.AccessControlEntry;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.FreeStateId;
import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenDelegation.NoneExtended;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.server.internal.TestClient.Op;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What OPEN delegates to whom, and what can be done by a delegation. */
class GrantTest extends DelegationFixture {
    private static String name(OpenDelegation delegation) {
        if (delegation instanceof OpenDelegation.ForReading) {
            return "read";
        } else if (delegation instanceof OpenDelegation.ForWriting) {
            return "write";
        }
        return delegation instanceof NoneExtended none ? "none " + none.why() : "none";
    }

    /** The first two columns: what another client has the file open for, and what it denies; it holds no delegation. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 1, 0x000, read",
        "0, 0, 2, 0x000, write",
        "0, 0, 3, 0x000, write",
        "1, 0, 1, 0x000, read",
        "1, 0, 3, 0x000, none",
        "2, 0, 1, 0x000, none",
        "3, 0, 3, 0x000, none",
        "1, 2, 1, 0x000, read",
        "0, 0, 1, 0x100, read",
        "0, 0, 3, 0x100, read",
        "0, 0, 3, 0x200, write",
        "0, 0, 1, 0x200, read",
        "0, 0, 1, 0x300, read",
        "0, 0, 3, 0x300, write",
        "2, 0, 1, 0x100, none 1",
        "1, 0, 3, 0x200, none 1",
        "0, 0, 3, 0x400, none 0",
        "0, 0, 1, 0x500, none 7",
    })
    void shouldDelegateWhatOthersLeaveRoomFor(int theirs, int denied, int access, String want, String expected)
            throws Exception {
        if (theirs != 0) {
            TestClient mute = client;
            mute.opened("file", theirs, denied, EXISTING);
        }
        Granted granted = open(holder, "file", access | Integer.decode(want));
        assertThat(name(granted.delegation())).isEqualTo(expected);
    }

    @Test
    void shouldDelegateOnlyToClientsThatCanBeCalled() throws Exception {
        assertThat(name(open(client, "file", READ).delegation())).isEqualTo("none");
        assertThat(name(open(client, "file", READ | Open.WANT_ANY_DELEGATION).delegation()))
                .isEqualTo("none 2");
        server.disconnected(holder.peer());
        assertThat(name(open(holder, "file", READ | Open.WANT_READ_DELEGATION).delegation()))
                .isEqualTo("none 2");
    }

    @Test
    void shouldDelegateNothingWhereThatIsTurnedOff() throws Exception {
        restart(settings().withDelegations(false));
        pass(Duration.ofSeconds(91));
        holder = TestClient.callable(server, "holder");
        assertThat(name(open(holder, "file", READ).delegation())).isEqualTo("none");
        assertThat(name(open(holder, "file", READ | Open.WANT_ANY_DELEGATION).delegation()))
                .isEqualTo("none 3");
    }

    @Test
    void shouldDelegateAFileToAClientOnce() throws Exception {
        Granted first = open(holder, "file", READ);
        assertThat(name(first.delegation())).isEqualTo("read");
        assertThat(name(open(holder, "file", READ).delegation())).isEqualTo("none");
        assertThat(name(open(holder, "file", READ | Open.WANT_READ_DELEGATION).delegation()))
                .isEqualTo("none 2");
        assertThat(name(open(holder, "file", BOTH | Open.WANT_WRITE_DELEGATION).delegation()))
                .isEqualTo("none 5");
        open(holder, "another", BOTH);
        assertThat(name(open(holder, "another", READ | Open.WANT_READ_DELEGATION)
                        .delegation()))
                .isEqualTo("none 6");
        assertThat(name(open(other, "file", READ).delegation())).isEqualTo("none");
    }

    @Test
    void shouldLetManyClientsReadByDelegations() throws Exception {
        open(holder, "file", READ);
        assertThat(name(open(other, "file", READ).delegation())).isEqualTo("read");
        assertThat(server.counters()).containsEntry("delegationsGranted", 2L).containsEntry("recalls", 0L);
    }

    @Test
    void shouldBoundTheDelegationsOfAClient() throws Exception {
        for (int i = 0; i <= 1024; i++) {
            Files.createFile(directory.resolve("many" + i));
            Granted granted = open(holder, "many" + i, READ | Open.WANT_READ_DELEGATION);
            assertThat(name(granted.delegation())).isEqualTo(i < 1024 ? "read" : "none 2");
        }
    }

    @Test
    void shouldAllowNobodyAndPromiseNoRoom() throws Exception {
        OpenDelegation.ForWriting written =
                (OpenDelegation.ForWriting) open(holder, "file", BOTH).delegation();
        assertThat(written.permissions()).isEqualTo(new AccessControlEntry(0, 0, 0, "EVERYONE@"));
        assertThat(written.limit()).isEqualTo(new OpenDelegation.SpaceLimit(false, 10, 0));
        assertThat(written.recall()).isFalse();
        Granted cut = open(holder, holder.open("another", BOTH, 0, truncating()));
        assertThat(((OpenDelegation.ForWriting) cut.delegation()).limit().first())
                .isZero();
    }

    private static OpenHow truncating() {
        return new OpenHow.Unchecked(
                Attributes.builder().put(Attribute.SIZE, 0L).build());
    }

    @Test
    void shouldReadAndWriteByADelegation() throws Exception {
        Granted written = open(holder, "file", BOTH);
        holder.write(written.byDelegation(), 0, "abc", StableHow.FILE_SYNC4);
        holder.close(written.open());
        assertThat(holder.read(written.byDelegation(), 0, 10)).isEqualTo("abc3456789");
        Granted read = open(holder, "another", READ);
        assertThat(holder.read(read.byDelegation(), 0, 10)).isEqualTo("abc");
        assertThat(holder.inSession(fh(read.handle()), write(read)).status()).isEqualTo(Status.NFS4ERR_OPENMODE);
    }

    private static Op write(Granted by) {
        return out -> Write.encodeArgs(
                out, new Write.Args(by.delegated(), 0, StableHow.UNSTABLE4, ByteBuffer.wrap(new byte[4])));
    }

    @Test
    void shouldAskForPermissionWhereTheClientHasNotOpenedTheFile() throws Exception {
        int owner = (int) Files.getAttribute(directory.resolve("file"), "unix:uid");
        Files.setPosixFilePermissions(directory.resolve("file"), PosixFilePermissions.fromString("rw-rw-rw-"));
        holder.as(owner + 1, 4711);
        Granted written = open(holder, "file", BOTH);
        Files.setPosixFilePermissions(directory.resolve("file"), PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(holder.inSession(fh(written.handle()), write(written)).status())
                .isEqualTo(Status.NFS4_OK);
        holder.close(written.open());
        assertThat(holder.inSession(fh(written.handle()), write(written)).status())
                .isEqualTo(Status.NFS4ERR_ACCESS);
        assertThat(statusOfClaim(
                        holder, written.handle(), BOTH, new OpenClaim.DelegateCurrentByHandle(written.delegated())))
                .isEqualTo(Status.NFS4ERR_ACCESS);
        holder.as(owner, 4711);
        assertThat(holder.inSession(fh(written.handle()), write(written)).status())
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldNotTakeADelegationForAnOpenWhenLocking() throws Exception {
        Granted written = open(holder, "file", BOTH);
        Op lock = out -> Lock.encodeArgs(
                out,
                new Lock.Args(
                        LockType.READ_LT,
                        false,
                        0,
                        1,
                        new Lock.NewLockOwner(0, written.delegated(), 0, new StateOwner(0, Opaque.of("locker")))));
        assertThat(holder.inSession(fh(written.handle()), lock).status()).isEqualTo(Status.NFS4ERR_BAD_STATEID);
    }

    @Test
    void shouldGrantAgainWhatWasGivenBackUnasked() throws Exception {
        Granted first = open(holder, "file", READ);
        assertThat(giveBack(other, first)).isEqualTo(Status.NFS4ERR_BAD_STATEID);
        assertThat(free(first)).isEqualTo(Status.NFS4ERR_LOCKS_HELD);
        assertThat(giveBack(holder, first)).isEqualTo(Status.NFS4_OK);
        assertThat(giveBack(holder, first)).isEqualTo(Status.NFS4ERR_BAD_STATEID);
        assertThat(name(open(holder, "file", READ).delegation())).isEqualTo("read");
    }

    private Status free(Granted granted) throws Exception {
        return holder.inSession(out -> FreeStateId.encodeArgs(out, new FreeStateId.Args(granted.delegated())))
                .status();
    }

    @Test
    void shouldOpenByADelegationWhatItCovers() throws Exception {
        Granted read = open(holder, "file", READ);
        OpenClaim byHandle = new OpenClaim.DelegateCurrentByHandle(read.delegated());
        Granted again = openByHandle(holder, read.handle(), READ, byHandle);
        assertThat(again.delegation()).isEqualTo(new OpenDelegation.None());
        assertThat(statusOfClaim(holder, read.handle(), BOTH, byHandle)).isEqualTo(Status.NFS4ERR_OPENMODE);
        assertThat(statusOfClaim(other, read.handle(), READ, byHandle)).isEqualTo(Status.NFS4ERR_BAD_STATEID);
        assertThat(statusOfClaim(
                        holder, holder.handle(), READ, new OpenClaim.DelegateCurrent(read.delegated(), "file")))
                .isEqualTo(Status.NFS4_OK);
        assertThat(statusOfClaim(
                        holder, holder.handle(), READ, new OpenClaim.DelegateCurrent(read.delegated(), "another")))
                .isEqualTo(Status.NFS4ERR_BAD_STATEID);
    }

    @Test
    void shouldKnowNoDelegationsFromBeforeAClientsRestart() throws Exception {
        assertThat(statusOfClaim(holder, holder.handle("file"), READ, new OpenClaim.DelegatePreviousByHandle()))
                .isEqualTo(Status.NFS4ERR_NOTSUPP);
        assertThat(statusOfClaim(holder, holder.handle(), READ, new OpenClaim.DelegatePrevious("file")))
                .isEqualTo(Status.NFS4ERR_NOTSUPP);
    }

    @Test
    void shouldForgetDelegationsWithTheirClient() throws Exception {
        open(holder, "file", BOTH);
        pass(Duration.ofSeconds(60));
        other.inSession(TestClient.root());
        pass(Duration.ofSeconds(40));
        server.expireLeases();
        assertThat(name(open(other, "file", BOTH).delegation())).isEqualTo("write");
    }

    @Test
    void shouldReleaseWhatADeadClientHeldWhenItsSuccessorMakesASession() throws Exception {
        Granted held = open(holder, holder.open("file", BOTH, Open.SHARE_DENY_WRITE, EXISTING));
        assertThat(name(held.delegation())).isEqualTo("write");
        assertThat(holder.inSession(fh(held.handle()), lock(held)).status()).isEqualTo(Status.NFS4_OK);
        TestClient successor = new TestClient(server, "holder").callable();
        ExchangeId.Result known = successor.exchangeId(2, 0);
        successor.useClientId(known.clientId());
        assertThat(other.statusOfOpen("file", BOTH, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);

        successor.begun(successor.createSession(known.sequenceId()));

        Granted theirs = open(other, "file", BOTH);
        assertThat(name(theirs.delegation())).isEqualTo("none"); // one has just been recalled
        assertThat(other.inSession(fh(theirs.handle()), lock(theirs)).status()).isEqualTo(Status.NFS4_OK);
        assertThat(server.counters()).containsEntry("openStates", 2L);
    }

    @Test
    void shouldKeepTheDelegationOfARemovedFileForWhoHasItOpen() throws Exception {
        Granted written = open(holder, "file", BOTH);
        Granted closed = open(holder, "another", BOTH);
        holder.close(closed.open());
        assertThat(remove("file")).isEqualTo(Status.NFS4_OK);
        assertThat(remove("another")).isEqualTo(Status.NFS4_OK);
        holder.write(written.byDelegation(), 0, "abc", StableHow.FILE_SYNC4);
        assertThat(holder.read(written.open(), 0, 10)).isEqualTo("abc3456789");
        assertThat(server.counters()).containsEntry("openStates", 2L);
        assertThat(holder.close(written.open())).isEqualTo(Status.NFS4_OK);
        assertThat(server.counters()).containsEntry("openStates", 0L);
    }

    private Status remove(String name) throws Exception {
        return holder.inSession(TestClient.root(), out -> Remove.encodeArgs(out, new Remove.Args(name)))
                .status();
    }

    private static Op lock(Granted by) {
        return out -> Lock.encodeArgs(
                out,
                new Lock.Args(
                        LockType.WRITE_LT,
                        false,
                        0,
                        1,
                        new Lock.NewLockOwner(0, by.open().stateId(), 0, new StateOwner(0, Opaque.of("locker")))));
    }

    private TestClient returned(String owner, boolean callable) throws Exception {
        TestClient returned = new TestClient(server, owner);
        (callable ? returned.callable() : returned).connect(1);
        return returned;
    }

    @Test
    void shouldGiveDelegationsAgainToThoseWhoReclaimThem() throws Exception {
        Granted read = open(holder, "file", READ);
        Granted written = open(holder, "another", BOTH);
        restart(settings());
        holder = returned("holder", true);
        other = returned("other", true);
        assertThat(openByHandle(holder, read.handle(), READ, new OpenClaim.Previous(1))
                        .delegation())
                .isInstanceOfSatisfying(OpenDelegation.ForReading.class, again -> assertThat(again.recall())
                        .isFalse());
        Granted again = openByHandle(holder, written.handle(), BOTH, new OpenClaim.Previous(2));
        assertThat(name(again.delegation())).isEqualTo("write");
        assertThat(statusOfClaim(other, written.handle(), READ, new OpenClaim.Previous(0)))
                .isEqualTo(Status.NFS4ERR_RECLAIM_CONFLICT);
        assertThat(statusOfClaim(
                        holder, written.handle(), READ, new OpenClaim.DelegateCurrentByHandle(again.delegated())))
                .isEqualTo(Status.NFS4ERR_GRACE);
        holder.inSession(out -> ReclaimComplete.encodeArgs(out, new ReclaimComplete.Args(false)));
        assertThat(statusOfClaim(holder, written.handle(), BOTH, new OpenClaim.Previous(2)))
                .isEqualTo(Status.NFS4ERR_NO_GRACE);
    }

    @Test
    void shouldAskForTheReclaimedDelegationAtOnceOfWhoCannotBeCalled() throws Exception {
        Granted written = open(holder, "file", BOTH);
        restart(settings());
        holder = returned("holder", false);
        Granted again = openByHandle(holder, written.handle(), BOTH, new OpenClaim.Previous(2));
        assertThat(((OpenDelegation.ForWriting) again.delegation()).recall()).isTrue();
        assertThat(giveBack(holder, again)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldDelegateNewFilesToWhoMakesThem() throws Exception {
        assertThat(name(open(holder, holder.open("fresh", WRITE, 0, unchecked(0644)))
                        .delegation()))
                .isEqualTo("write");
    }
}
