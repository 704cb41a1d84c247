package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.attributes;
import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.CbRecall;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.FreeStateId;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.TestStateId;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Delegations in somebody's way: asked for, given back, or revoked. */
class RecallTest extends DelegationFixture {
    private Status open(int access) throws Exception {
        return other.statusOfOpen("file", access, 0, EXISTING);
    }

    @Test
    void shouldRecallADelegationAndLetTheOtherInWhenItIsBack() throws Exception {
        Granted read = open(holder, "file", READ);
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        FakePeer.Received call = holder.peer().take();
        assertThat(call.header.program()).isEqualTo(FakePeer.PROGRAM);
        assertThat(call.sequence.sessionId()).isEqualTo(holder.session());
        assertThat(call.sequence.sequenceId()).isEqualTo(1);
        assertThat(call.sequence.slotId()).isZero();
        assertThat(call.recall).isEqualTo(new CbRecall.Args(read.delegated(), false, read.handle()));
        call.answer(Status.NFS4_OK);
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(giveBack(holder, read)).isEqualTo(Status.NFS4_OK);
        // the holder still has the file open, which excludes nobody
        Granted theirs = open(other, "file", WRITE);
        assertThat(theirs.delegation()).isEqualTo(new OpenDelegation.None());
        assertThat(server.counters()).containsEntry("recalls", 1L);
    }

    @Test
    void shouldNotDelegateAgainWhatOthersNeededUntilAWhileHasPassed() throws Exception {
        Granted written = open(holder, "file", BOTH);
        assertThat(open(READ)).isEqualTo(Status.NFS4ERR_DELAY);
        holder.peer().take().answer(Status.NFS4_OK);
        holder.close(written.open());
        giveBack(holder, written);
        assertThat(open(holder, "file", READ | Open.WANT_ANY_DELEGATION).delegation())
                .isEqualTo(new OpenDelegation.NoneExtended(OpenDelegation.NoneExtended.CONTENTION, false));
        pass(Duration.ofSeconds(31));
        assertThat(open(holder, "file", READ).delegation()).isInstanceOf(OpenDelegation.ForReading.class);
    }

    @Test
    void shouldRecallFromAllWhoAreInTheWay() throws Exception {
        Granted one = open(holder, "file", READ);
        Granted two = open(other, "file", READ);
        TestClient third = TestClient.callable(server, "third");
        assertThat(third.statusOfOpen("file", BOTH, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        holder.peer().take().answer(Status.NFS4_OK);
        other.peer().take().answer(Status.NFS4_OK);
        giveBack(holder, one);
        assertThat(third.statusOfOpen("file", BOTH, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        giveBack(other, two);
        assertThat(third.statusOfOpen("file", BOTH, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldAskOnceHoweverManyWait() throws Exception {
        open(holder, "file", READ);
        open(holder, "another", READ);
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(other.statusOfOpen("another", WRITE, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        FakePeer.Received first = holder.peer().take();
        FakePeer.Received second = holder.peer().take();
        assertThat(second.recall.object()).isNotEqualTo(first.recall.object());
        assertThat(List.of(first.sequence.slotId(), second.sequence.slotId())).containsExactly(0, 1);
        assertThat(second.sequence.highestSlotId()).isEqualTo(1);
    }

    private Op conflicting(String what, StateId special) {
        return switch (what) {
            case "truncate" ->
                out -> SetAttr.encodeArgs(
                        out,
                        new SetAttr.Args(
                                special,
                                Attributes.builder().put(Attribute.SIZE, 3L).build()));
            case "chmod" ->
                out -> SetAttr.encodeArgs(
                        out,
                        new SetAttr.Args(
                                special,
                                Attributes.builder().put(Attribute.MODE, 0600).build()));
            case "write" ->
                out -> Write.encodeArgs(
                        out, new Write.Args(special, 0, StableHow.UNSTABLE4, ByteBuffer.wrap(new byte[1])));
            case "write through" ->
                out -> Write.encodeArgs(
                        out, new Write.Args(special, 0, StableHow.FILE_SYNC4, ByteBuffer.wrap(new byte[1])));
            case "read" -> out -> Read.encodeArgs(out, new Read.Args(special, 0, 1));
            case "size" -> attributes(Attribute.SIZE);
            case "mode" -> attributes(Attribute.MODE);
            case "open" -> claim(other, READ, new OpenClaim.ByHandle());
            default -> throw new IllegalArgumentException(what);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "truncate, 1, true",
        "truncate, 3, true",
        "chmod, 1, true",
        "chmod, 3, true",
        "write, 1, true",
        "write, 3, true",
        "write through, 1, true",
        "read, 1, false",
        "read, 3, true",
        "size, 1, false",
        "size, 3, true",
        "mode, 3, false",
        "open, 1, false",
        "open, 3, true",
    })
    void shouldRecallWhatIsInTheWayOfAnOperation(String what, int access, boolean isInTheWay) throws Exception {
        Granted granted = open(holder, "file", access);
        holder.close(granted.open());
        Op operation = conflicting(what, StateId.ANONYMOUS);
        assertThat(other.inSession(fh(granted.handle()), operation).status())
                .isEqualTo(isInTheWay ? Status.NFS4ERR_DELAY : Status.NFS4_OK);
        assertThat(server.counters()).containsEntry("recalls", isInTheWay ? 1L : 0L);
        if (isInTheWay) {
            holder.peer().take().answer(Status.NFS4_OK);
            giveBack(holder, granted);
            assertThat(other.inSession(fh(granted.handle()), operation).status())
                    .isEqualTo(Status.NFS4_OK);
        }
    }

    @ParameterizedTest
    @CsvSource({"truncate", "chmod", "write", "read", "size"})
    void shouldNotAskAClientToGiveBackForItsOwnSake(String what) throws Exception {
        Granted written = open(holder, "file", BOTH);
        assertThat(holder.inSession(fh(written.handle()), conflicting(what, StateId.ANONYMOUS))
                        .status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(server.counters()).containsEntry("recalls", 0L);
    }

    private Op name(String what) {
        return switch (what) {
            case "remove" -> out -> Remove.encodeArgs(out, new Remove.Args("file"));
            case "rename" -> out -> Rename.encodeArgs(out, new Rename.Args("file", "moved"));
            case "replace" -> out -> Rename.encodeArgs(out, new Rename.Args("another", "file"));
            case "link" -> out -> Link.encodeArgs(out, new Link.Args("linked"));
            case "cut" ->
                other.open(
                        "file",
                        READ,
                        0,
                        new OpenHow.Unchecked(
                                Attributes.builder().put(Attribute.SIZE, 0L).build()));
            case "deny" -> other.open("file", READ, Open.SHARE_DENY_READ, EXISTING);
            default -> throw new IllegalArgumentException(what);
        };
    }

    @ParameterizedTest
    @CsvSource({"remove", "rename", "replace", "link", "cut", "deny"})
    void shouldRecallAReadDelegationFirst(String what) throws Exception {
        Granted read = open(holder, "file", READ);
        holder.close(read.open());
        FileHandle saved = what.equals("link") ? read.handle() : holder.handle();
        Op[] operations = {fh(saved), SaveFh::encodeArgs, root(), name(what)};
        assertThat(other.inSession(operations).status()).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(directory.resolve("file")).hasContent("0123456789");
        assertThat(directory.resolve("another")).hasContent("abc");
        holder.peer().take().answer(Status.NFS4_OK);
        giveBack(holder, read);
        assertThat(other.inSession(operations).status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldForgetTheDelegationOfAFileThatItsHolderRemoves() throws Exception {
        Granted read = open(holder, "file", READ);
        holder.close(read.open());
        assertThat(holder.inSession(root(), name("remove")).status()).isEqualTo(Status.NFS4_OK);
        assertThat(test(read)).isEqualTo(Status.NFS4ERR_BAD_STATEID);
        assertThat(server.counters()).containsEntry("recalls", 0L).containsEntry("openStates", 0L);
    }

    private Status test(Granted granted) throws Exception {
        Reply reply = holder.inSession(
                out -> TestStateId.encodeArgs(out, new TestStateId.Args(List.of(granted.delegated()))));
        reply.ok(Opcode.TEST_STATEID);
        return TestStateId.decodeResult(reply.in).statuses().get(0);
    }

    @Test
    void shouldLetAHolderOpenWhatItIsAskedFor() throws Exception {
        Granted written = open(holder, "file", BOTH);
        assertThat(open(READ)).isEqualTo(Status.NFS4ERR_DELAY);
        holder.peer().take().answer(Status.NFS4_OK);
        assertThat(statusOfClaim(
                        holder, written.handle(), WRITE, new OpenClaim.DelegateCurrentByHandle(written.delegated())))
                .isEqualTo(Status.NFS4_OK);
        holder.write(written.byDelegation(), 0, "late", StableHow.UNSTABLE4);
        giveBack(holder, written);
        assertThat(open(READ)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldRevokeWhatIsNotGivenBackAndSayUntilTheClientKnows() throws Exception {
        Granted written = open(holder, "file", BOTH);
        assertThat(open(READ)).isEqualTo(Status.NFS4ERR_DELAY);
        holder.peer().take().answer(Status.NFS4_OK);
        passAlive(Duration.ofSeconds(90), holder, other);
        server.expireLeases();
        assertThat(test(written)).isEqualTo(Status.NFS4_OK);
        passAlive(Duration.ofSeconds(30), holder, other);
        server.expireLeases();
        assertThat(test(written)).isEqualTo(Status.NFS4ERR_DELEG_REVOKED);
        assertThat(holder.statusFlags()).isEqualTo(Sequence.RECALLABLE_STATE_REVOKED);
        assertThat(giveBack(holder, written)).isEqualTo(Status.NFS4ERR_DELEG_REVOKED);
        Op write = out -> Write.encodeArgs(
                out, new Write.Args(written.delegated(), 0, StableHow.UNSTABLE4, ByteBuffer.wrap(new byte[1])));
        assertThat(holder.inSession(fh(written.handle()), write).status()).isEqualTo(Status.NFS4ERR_DELEG_REVOKED);
        assertThat(open(READ)).isEqualTo(Status.NFS4_OK);
        assertThat(holder.inSession(out -> FreeStateId.encodeArgs(out, new FreeStateId.Args(written.delegated())))
                        .status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(test(written)).isEqualTo(Status.NFS4ERR_BAD_STATEID);
        assertThat(holder.statusFlags()).isZero();
        assertThat(server.counters()).containsEntry("revocations", 1L);
    }

    @Test
    void shouldRevokeForWhoeverWaitsWithoutWaitingForTheClock() throws Exception {
        open(holder, "file", BOTH);
        assertThat(open(READ)).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(holder.peer().take()).as("the time begins with CB_RECALL").isNotNull();
        passAlive(Duration.ofMinutes(2), holder, other);
        assertThat(open(READ)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldAskAgainAClientThatIsBusyButNotTooSoon() throws Exception {
        open(holder, "file", READ);
        open(holder, "another", READ);
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        FakePeer.Received first = holder.peer().take();
        first.answer(Status.NFS4ERR_DELAY);
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(other.statusOfOpen("another", WRITE, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(holder.peer().take().recall.object()).isNotEqualTo(first.recall.object());
        pass(Duration.ofSeconds(1));
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        FakePeer.Received again = holder.peer().take();
        assertThat(again.recall).isEqualTo(first.recall);
        assertThat(again.sequence.slotId()).isEqualTo(1); // the other file's recall is in slot 0
    }

    @Test
    void shouldAskAgainAClientThatWasBusyThoughNobodyComesAgain() throws Exception {
        Granted read = open(holder, "file", READ);
        Granted unrelated = open(holder, "another", READ);
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        holder.peer().take().answer(Status.NFS4ERR_DELAY);
        pass(Duration.ofSeconds(1));
        server.expireLeases();
        FakePeer.Received again = holder.peer().take();
        assertThat(again.recall.stateId()).isEqualTo(read.delegated());
        again.answer(Status.NFS4_OK);
        pass(Duration.ofSeconds(1));
        server.expireLeases();
        assertThat(other.statusOfOpen("another", WRITE, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        // callbacks go out in turn: a client that has agreed is not asked again
        assertThat(holder.peer().take().recall.stateId()).isEqualTo(unrelated.delegated());
    }

    @Test
    void shouldBelieveAClientThatSaysTwiceThatItHasNoDelegation() throws Exception {
        open(holder, "file", READ);
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        holder.peer().take().answer(Status.NFS4ERR_BAD_STATEID);
        pass(Duration.ofSeconds(1));
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        holder.peer().take().answer(Status.NFS4ERR_BAD_STATEID);
        assertThat(open(WRITE)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldNameTheOpenWhoseReplyMayNotHaveBeenSeen() throws Exception {
        open(holder, "file", READ);
        assertThat(open(WRITE)).isEqualTo(Status.NFS4ERR_DELAY);
        CbSequence.ReferringCallList referral =
                holder.peer().take().sequence.referringCalls().get(0);
        assertThat(referral.sessionId()).isEqualTo(holder.session());
        // RECLAIM_COMPLETE was the slot's first request
        assertThat(referral.calls()).containsExactly(new CbSequence.ReferringCall(2, 0));
        open(holder, "another", READ);
        holder.inSession(root());
        assertThat(other.statusOfOpen("another", WRITE, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(holder.peer().take().sequence.referringCalls()).isEmpty();
    }
}
