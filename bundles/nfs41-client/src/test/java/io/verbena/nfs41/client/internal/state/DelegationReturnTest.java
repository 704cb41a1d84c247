package io.verbena.nfs41.client.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.file.NfsFile;
import io.verbena.nfs41.client.internal.testing.DelegationFixture;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** How a delegation goes back, and what is made known to the server before. */
class DelegationReturnTest extends DelegationFixture {
    private static final Runtime RUNTIME = new SystemRuntime();

    @Test
    void shouldMakeAllKnownBeforeARecalledDelegationGoesBack() throws Exception {
        mount("", 2);
        NfsFile file = openLocally(WRITE);
        StateId stateId = delegation();
        assertThat(file.tryLock(0, 10, false)).isPresent();
        file.write(bytes(1), 0);
        SeekableByteChannel channel = file.channel();
        int before = seen();
        channel.position(1).write(bytes(2, 3));
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
        assembly.delegations().recall(FakeServer.HANDLE, delegation(), true);
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
        assertThat(assembly.delegations().size()).isZero();
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
    void shouldGiveAllBackWhenItIsUnmounted() throws Exception {
        mount("", 2);
        server.handles.put("a", FileHandle.of((byte) 3));
        server.handles.put("b", FileHandle.of((byte) 4));
        open("/a", WRITE).close();
        NfsFile open = open("/b", WRITE);
        int before = seen();
        assembly.close(Duration.ofSeconds(20));
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
        assembly.delegations().recallAny(1, false, true);
        assembly.delegations().recallAny(2, true, false);
        assembly.delegations().recallAny(1, true, true);
        assertThat(returned()).isEqualTo(idle.withoutSeqid());
        assembly.delegations().recallAny(0, true, false);
        assertThat(returned()).isNotNull();
        open.close();
    }

    @Test
    void shouldGiveBackBeforeItDoesWhatTheServerWouldRecallFor() throws Exception {
        mount("", 2);
        open("/file", WRITE).close();
        int before = seen();
        Blocking.await(
                RUNTIME, assembly.namespace().setAttributes("/file", AttributeChanges.NONE.withMode(0644), true));
        assertThat(since(before)).containsSubsequence(Opcode.DELEGRETURN, Opcode.SETATTR);
        open("/file", WRITE).close();
        before = seen();
        Blocking.await(RUNTIME, assembly.namespace().rename("/file", null, "/other", null));
        assertThat(since(before)).containsSubsequence(Opcode.DELEGRETURN, Opcode.RENAME);
        open("/file", WRITE).close();
        before = seen();
        Blocking.await(RUNTIME, assembly.namespace().rename("/other", null, "/file", null));
        assertThat(since(before)).containsSubsequence(Opcode.DELEGRETURN, Opcode.RENAME);
        open("/file", WRITE).close();
        before = seen();
        Blocking.await(RUNTIME, assembly.namespace().createLink("/other", null, "/file", null));
        assertThat(since(before)).containsSubsequence(Opcode.DELEGRETURN, Opcode.LINK);
        NfsFile open = openLocally(WRITE);
        before = seen();
        Blocking.await(RUNTIME, assembly.namespace().remove("/file", null));
        // it is open still
        assertThat(since(before)).containsSubsequence(Opcode.OPEN, Opcode.DELEGRETURN, Opcode.RENAME);
        open.close();
        assertThat(since(before)).containsSubsequence(Opcode.RENAME, Opcode.CLOSE, Opcode.REMOVE);
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
}
