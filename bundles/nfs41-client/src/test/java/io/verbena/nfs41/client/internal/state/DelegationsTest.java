package io.verbena.nfs41.client.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Access;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.client.internal.file.NfsFile;
import io.verbena.nfs41.client.internal.testing.DelegationFixture;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a delegation spares the server, and what the client answers for it. */
class DelegationsTest extends DelegationFixture {
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
        assembly.delegations().attach(() -> false);
        open("/file", READ).close();
        assertThat(server.delegations.opens)
                .allMatch(args -> args.shareAccess() == (Open.SHARE_ACCESS_READ | Open.WANT_NO_DELEGATION));
        assertThat(assembly.delegations().size()).isZero();
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
            Blocking.await(new SystemRuntime(), assembly.namespace().rename("/other", null, "/another", null));
            int before = seen();
            assertThat(file.attributes().size()).isZero();
            assertThat(since(before)).containsExactly(Opcode.GETATTR);
        }
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
        assertThat(assembly.delegations().attributes(FileHandle.of((byte) 9), asked))
                .isEmpty();
    }

    private Attributes told(AttributeMask asked) {
        return assembly.delegations().attributes(FakeServer.HANDLE, asked).orElseThrow();
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
        assertThat(assembly.delegations().attributes(FakeServer.HANDLE, AttributeMask.of(Attribute.SIZE)))
                .isEqualTo(Optional.empty());
    }
}
