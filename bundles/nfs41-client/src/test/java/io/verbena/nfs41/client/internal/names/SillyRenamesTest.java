package io.verbena.nfs41.client.internal.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a file that is removed, or replaced, while it is open. */
@Timeout(60)
class SillyRenamesTest {
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.WRITE, StandardOpenOption.READ);
    private static final String ASIDE = "\\.nfs[0-9a-f]{24}";

    private final FakeServer server = new FakeServer();
    private NfsMount mount;

    @BeforeEach
    void mount() throws IOException {
        server.handles.put("a", FileHandle.of((byte) 10));
        server.handles.put("b", FileHandle.of((byte) 11));
        mount = server.mount("");
    }

    @AfterEach
    void close() {
        mount.close();
        server.close();
    }

    private String sillyName(int event) {
        String[] words = server.named.get(event).split(" ", -1);
        return words[words.length - 1];
    }

    @Test
    void shouldRenameAnOpenFileAndRemoveItWithTheLastClose() throws IOException {
        RemoteFile one = mount.open("/a", WRITE, 0600);
        RemoteFile two = mount.open("/a", WRITE, 0600);
        mount.remove("/a");
        assertThat(server.named).singleElement().asString().matches("rename a " + ASIDE);
        one.close();
        assertThat(server.named).hasSize(1);
        two.write(ByteBuffer.wrap(new byte[] {1}), 0);
        assertThat(two.read(ByteBuffer.allocate(1), 0)).isEqualTo(1);
        two.close();
        assertThat(server.named).hasSize(2).last().isEqualTo("remove " + sillyName(0));
    }

    @Test
    void shouldRemoveAtOnceWhatTheServerPreserves() throws IOException {
        server.openFlags = Open.RESULT_PRESERVE_UNLINKED;
        try (RemoteFile file = mount.open("/a", WRITE, 0600)) {
            int before = server.seen.size();
            mount.remove("/a");
            assertThat(server.named).containsExactly("remove a");
            mount.rename("/b", "/a");
            assertThat(server.named).containsExactly("remove a", "rename b a");
            assertThat(server.opcodesSince(before)).doesNotContain(Opcode.LOOKUP, Opcode.LINK);
            assertThat(file.path()).isEqualTo("/a");
        }
        assertThat(server.named).hasSize(2);
    }

    @Test
    void shouldRemoveAtOnceWhatIsNotOpen() throws IOException {
        int before = server.seen.size();
        mount.remove("/b");
        assertThat(server.opcodesSince(before)).doesNotContain(Opcode.LOOKUP);
        try (RemoteFile file = mount.open("/a", WRITE, 0600)) {
            mount.remove("/b");
            assertThat(file.path()).isEqualTo("/a");
        }
        mount.remove("/a");
        assertThat(server.named).containsExactly("remove b", "remove b", "remove a");
    }

    @Test
    void shouldTakeNoFurtherRequestWhereTheDirectoryWasSeen() throws IOException {
        server.fileId = 7;
        FileKey root = FileKey.of(mount.attributes("/", false));
        FileKey other = new FileKey(root.fileSystemMajor(), root.fileSystemMinor(), 8);
        try (RemoteFile file = mount.open("/a", WRITE, 0600)) {
            int before = server.seen.size();
            mount.rename("/b", "/c");
            int after = server.seen.size();
            mount.rename("/b", root, "/c", root);
            assertThat(server.opcodesSince(after)).contains(Opcode.VERIFY);
            assertThat(server.seen).hasSize(after + after - before);
            assertThatThrownBy(() -> mount.rename("/b", other, "/c", null)).hasMessageContaining("NFS4ERR_NOT_SAME");
            assertThat(server.named).containsExactly("rename b c", "rename b c");
            assertThat(file.path()).isEqualTo("/a");
        }
    }

    @Test
    void shouldKeepAnOpenFileThatAnotherReplaces() throws IOException {
        try (RemoteFile file = mount.open("/a", WRITE, 0600)) {
            mount.rename("/b", "/a");
            assertThat(server.named).hasSize(2).last().isEqualTo("rename b a");
            assertThat(server.named.get(0)).matches("link " + ASIDE);
            assertThat(file.path()).isEqualTo("/a");
        }
        assertThat(server.named).hasSize(3).last().isEqualTo("remove " + sillyName(0));
    }

    @Test
    void shouldLeaveNothingOfAReplacementThatFailed() throws IOException {
        try (RemoteFile file = mount.open("/a", WRITE, 0600)) {
            server.failNext(Opcode.RENAME, Status.NFS4ERR_NOTDIR);
            assertThatThrownBy(() -> mount.rename("/b", "/a")).isInstanceOf(NotDirectoryException.class);
            assertThat(server.named).hasSize(2).last().isEqualTo("remove " + sillyName(0));
            assertThat(file.path()).isEqualTo("/a");
        }
        assertThat(server.named).hasSize(2);
    }

    @Test
    void shouldRenameAnOpenFileThatAnotherReplacesWhereThereAreNoLinks() throws IOException {
        try (RemoteFile file = mount.open("/a", WRITE, 0600)) {
            server.failNext(Opcode.LINK, Status.NFS4ERR_NOTSUPP, Status.NFS4ERR_NOTSUPP);
            server.failNext(Opcode.RENAME, Status.NFS4_OK, Status.NFS4ERR_NOTDIR);
            assertThatThrownBy(() -> mount.rename("/b", "/a")).isInstanceOf(NotDirectoryException.class);
            assertThat(server.named).hasSize(2).last().isEqualTo("rename " + sillyName(0) + " a");
            mount.rename("/b", "/a");
            assertThat(server.named).hasSize(4).last().isEqualTo("rename b a");
            assertThat(file.path()).isEqualTo("/a");
        }
        assertThat(server.named).hasSize(5).last().isEqualTo("remove " + sillyName(2));
    }

    @Test
    void shouldNotRemoveTheNameOfARemovedFileThatIsOpenStill() throws IOException {
        RemoteFile file = mount.open("/a", WRITE, 0600);
        mount.remove("/a");
        server.handles.put(sillyName(0), FileHandle.of((byte) 10));
        assertThatThrownBy(() -> mount.remove("/" + sillyName(0)))
                .hasMessageContaining("it was removed while it was open here")
                .hasMessageContaining("NFS4ERR_FILE_OPEN");
        file.close();
        assertThat(server.named).hasSize(2);
    }

    @Test
    void shouldCloseAFileWhoseNameCannotBeRemoved() throws IOException {
        RemoteFile file = mount.open("/a", WRITE, 0600);
        mount.remove("/a");
        server.failNext(Opcode.REMOVE, Status.NFS4ERR_IO);
        file.close();
        assertThat(server.named).hasSize(1);
        mount.remove("/b");
        assertThat(server.named).last().isEqualTo("remove b");
    }

    @Test
    void shouldRemoveWithTheEndOfTheMount() throws IOException {
        RemoteFile file = mount.open("/a", WRITE, 0600);
        mount.remove("/a");
        mount.close();
        assertThat(server.named).hasSize(2).last().isEqualTo("remove " + sillyName(0));
        file.close();
        assertThat(server.named).hasSize(2);
    }

    @Test
    void shouldTellThatThereIsNothingToRemove() throws IOException {
        try (RemoteFile file = mount.open("/a", WRITE, 0600)) {
            server.failNext(Opcode.LOOKUP, Status.NFS4ERR_NOENT);
            server.failNext(Opcode.REMOVE, Status.NFS4ERR_NOENT);
            assertThatThrownBy(() -> mount.remove("/none"))
                    .isInstanceOf(NoSuchFileException.class)
                    .hasMessageContaining("m:/none");
            assertThat(file.path()).isEqualTo("/a");
        }
    }
}
