package io.verbena.nfs41.client.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Access;
import io.verbena.nfs41.AccessControlEntry;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.file.NfsFile;
import io.verbena.nfs41.client.internal.testing.DelegationFixture;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Grants, recalls and requests that overtake one another. */
class DelegationRaceTest extends DelegationFixture {
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
    void shouldTellWhatIsNotHeld() throws Exception {
        mount("", 1);
        open("/file", READ).close();
        FileHandle other = FileHandle.of((byte) 9);
        assertThat(assembly.delegations().recall(other, delegation(), false)).isEqualTo(Status.NFS4ERR_BADHANDLE);
        assertThat(assembly.delegations().recall(FakeServer.HANDLE, new StateId(1, 3, 3), false))
                .isEqualTo(Status.NFS4ERR_BAD_STATEID);
    }

    @Test
    void shouldPutOffARecallThatMayHaveOvertakenTheGrant() throws Exception {
        mount("", 1);
        server.gate = new CountDownLatch(1);
        CompletableFuture<NfsFile> opening = assembly.opener().open("/file", READ, 0600);
        assertThat(assembly.delegations().recall(FakeServer.HANDLE, new StateId(1, 3, 3), false))
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
    void shouldNotTakeADelegationThatAnOpenBringsWhenItWentBackMeanwhile() throws Exception {
        mount("", 1);
        try (NfsFile file = open("/file", READ)) {
            StateId stateId = delegation();
            long open = assembly.delegations().begin();
            recall();
            awaitReturn();
            OpenDelegation late = new OpenDelegation.ForReading(stateId, false, new AccessControlEntry(0, 0, 0, ""));
            assembly.delegations().opened(open, file.state(), late, null, "m:/file");
            assembly.delegations().answered(open);
            assertThat(assembly.delegations().size()).isZero();
        }
    }

    @Test
    void shouldKnowWhatWentBackBeforeAnOpenThatIsUnderWay() throws Exception {
        mount("", 1);
        open("/file", READ).close();
        StateId stateId = delegation();
        recall();
        awaitReturn();
        long open = assembly.delegations().begin();
        assertThat(assembly.delegations().recall(FakeServer.HANDLE, stateId, false))
                .isEqualTo(Status.NFS4ERR_BADHANDLE);
        assembly.delegations().answered(open);
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
}
