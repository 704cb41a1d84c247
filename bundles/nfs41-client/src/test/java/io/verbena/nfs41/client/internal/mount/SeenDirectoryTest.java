package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileType;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls on directories, and on names in directories, that are others by now. */
@Timeout(60)
final class SeenDirectoryTest {
    private static final Set<OpenOption> WRITE = Set.of(StandardOpenOption.WRITE);
    private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    private static final AttributeChanges MODE_700 = AttributeChanges.NONE.withMode(0700);

    @TempDir
    Path folder;

    private Stack stack;
    private Path exported;
    private NfsServer server;
    private RpcListener listener;
    private NfsMount mount;

    @BeforeEach
    void mount() throws IOException {
        exported = Files.createDirectory(folder.resolve("export"));
        Files.createDirectories(exported.resolve("others"));
        Files.createFile(exported.resolve("others/file"));
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        stack = new Stack();
        server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
        listener = stack.transport()
                .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server);
        mount = NfsMount.create(
                "own",
                "127.0.0.1",
                "/",
                "port=" + listener.localAddress().getPort(),
                stack.transport(),
                new DirectMemory(),
                new SystemRuntime());
        mount.connect(Duration.ofSeconds(30));
    }

    @AfterEach
    void unmount() throws IOException {
        mount.close();
        listener.close();
        server.close();
        stack.close();
    }

    private FileKey made(String directory) throws IOException {
        Files.createDirectories(exported.resolve(directory));
        Files.createFile(exported.resolve(directory + "/file"));
        return FileKey.of(mount.attributes("/" + directory, false));
    }

    private void replaceByLink(String directory) throws IOException {
        Path place = exported.resolve(directory);
        Files.move(place, exported.resolve("away"));
        Files.createSymbolicLink(place, place.getParent().relativize(exported.resolve("others")));
    }

    private static void assertIsAnother(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        NfsException.class, e -> assertThat(e.status()).isEqualTo("NFS4ERR_NOT_SAME"))
                .hasMessageContaining("another object is there by now");
    }

    /** The second one lies so deep that the client keeps its handle. */
    @ParameterizedTest
    @ValueSource(strings = {"d", "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20"})
    void shouldGoThroughNoLinkThatHasComeSince(String directory) throws Exception {
        FileKey seen = made(directory);
        replaceByLink(directory);
        assertIsAnother(() -> mount.listing("/" + directory, seen));
        assertIsAnother(() -> mount.attributes("/" + directory + "/file", seen));
        assertIsAnother(() -> mount.createLink("/new", null, "/" + directory + "/file", seen));
        assertIsAnother(() -> mount.rename("/" + directory + "/file", seen, "/new", null));
        assertIsAnother(() -> mount.rename("/" + directory + "/file", seen, "/" + directory + "/new", null));
        assertIsAnother(() -> mount.rename("/others/file", null, "/" + directory + "/new", seen));
        assertIsAnother(() -> mount.createLink("/" + directory + "/new", seen, "/others/file", null));
        assertIsAnother(() -> mount.createDirectory("/" + directory + "/new", seen, 0700));
        assertIsAnother(() -> mount.createSymbolicLink("/" + directory + "/new", seen, "text"));
        assertIsAnother(() -> mount.createSpecial("/" + directory + "/new", seen, FileType.FIFO, 0700, 0, 0));
        assertIsAnother(() -> mount.open("/" + directory + "/new", seen, NEW, 0600));
        assertIsAnother(() -> mount.open("/" + directory + "/file", seen, WRITE, 0600));
        assertIsAnother(() -> create("/" + directory + "/new", seen, 1));
        assertIsAnother(() -> create("/" + directory + "/new", seen, 4 << 20));
        assertIsAnother(() -> mount.setAttributes("/" + directory, seen, MODE_700));
        assertIsAnother(() -> mount.remove("/" + directory + "/file", seen));
        assertThat(exported.resolve("others")).isDirectoryContaining("glob:**/file");
        assertThat(exported.resolve("others/new")).doesNotExist();
        assertThatThrownBy(
                        () -> mount.removeAsync("/" + directory + "/file", seen).get())
                .cause()
                .hasMessageContaining("another object is there by now");
        assertThat(exported.resolve("others/file")).exists();
    }

    @Test
    void shouldGoThroughNoLinkWhileAFileIsOpen() throws Exception {
        FileKey seen = made("d");
        try (RemoteFile open = mount.open("/others/file", Set.of(StandardOpenOption.READ), 0)) {
            replaceByLink("d");
            assertIsAnother(() -> mount.rename("/d/file", seen, "/new", null));
            assertIsAnother(() -> mount.rename("/d/file", seen, "/d/new", null));
            assertIsAnother(() -> mount.rename("/others/file", null, "/d/new", seen));
            assertIsAnother(() -> mount.remove("/d/file", seen));
            assertThat(exported.resolve("others/file")).exists();
            assertThat(open.attributes().size()).isZero();
        }
    }

    @Test
    void shouldListAndRemoveWhatIsThere() throws Exception {
        FileKey seen = made("d");
        Files.createSymbolicLink(exported.resolve("link"), Path.of("d"));
        DirectoryListing listing = mount.listing("/link", seen);
        assertThat(listing.next().name()).isEqualTo("file");
        assertThat(listing.hasNext()).isFalse();
        assertThat(mount.attributes("/link/file", seen).isRegularFile()).isTrue();
        Files.createSymbolicLink(exported.resolve("d/inner"), Path.of("file"));
        assertThat(mount.attributes("/d/inner", seen).isSymbolicLink()).isTrue();
        mount.createLink("/d/inner-too", seen, "/link/inner", seen);
        assertThat(exported.resolve("d/inner-too")).isSymbolicLink();
        mount.remove("/d/inner-too", seen);
        mount.rename("/link/file", seen, "/link/renamed", seen);
        mount.rename("/link/renamed", seen, "/moved", null);
        assertThat(exported.resolve("moved")).exists();
        mount.remove("/link/inner", seen);
        assertThat(exported.resolve("d")).isEmptyDirectory();
    }

    @Test
    void shouldMakeWhatIsAskedInADirectoryThatWasSeen() throws Exception {
        FileKey seen = made("d");
        Files.createSymbolicLink(exported.resolve("link"), Path.of("d"));
        mount.createDirectory("/link/directory", seen, 0750);
        mount.createSymbolicLink("/link/inner", seen, "file");
        mount.createSpecial("/link/fifo", seen, FileType.FIFO, 0600, 0, 0);
        mount.createLink("/link/linked", seen, "/others/file", null);
        mount.rename("/others/file", null, "/link/moved", seen);
        assertThat(create("/link/small", seen, 3).size()).isEqualTo(3);
        assertThat(create("/link/large", seen, 4 << 20).size()).isEqualTo(4 << 20);
        try (RemoteFile file = mount.open("/link/opened", seen, NEW, 0640)) {
            file.write(ByteBuffer.allocate(5), 0);
            assertThat(mount.attributes("/link/opened", seen).size()).isEqualTo(5);
        }
        assertThat(mount.attributes("/link/opened", seen).mode()).isEqualTo(0640);
        assertThat(exported.resolve("d").toFile().list())
                .containsExactlyInAnyOrder(
                        "file", "directory", "inner", "fifo", "linked", "moved", "small", "large", "opened");
        assertThatThrownBy(() -> mount.open("/link/inner", seen, WRITE, 0))
                .isInstanceOfSatisfying(
                        NfsException.class, e -> assertThat(e.status()).isEqualTo("NFS4ERR_SYMLINK"));
    }

    @Test
    void shouldChangeTheObjectThatWasSeen() throws Exception {
        FileKey seen = made("d");
        assertThat(mount.setAttributes("/d", seen, MODE_700).mode()).isEqualTo(0700);
        FileKey file = FileKey.of(mount.attributes("/d/file", seen));
        Files.move(exported.resolve("d/file"), exported.resolve("d/away"));
        Files.createFile(exported.resolve("d/file"));
        assertIsAnother(() -> mount.setAttributes("/d/file", file, MODE_700));
        try (RemoteFile written = mount.open("/d/away", seen, WRITE, 0)) {
            written.write(ByteBuffer.allocate(5), 0);
            assertIsAnother(() -> mount.setAttributes("/d/file", file, AttributeChanges.NONE.withSize(3L)));
            assertThat(mount.setAttributes("/d/away", file, AttributeChanges.NONE.withSize(3L))
                            .size())
                    .isEqualTo(3);
        }
    }

    private FileAttributes create(String path, FileKey directory, int size) throws IOException {
        try {
            return mount.createFileAsync(path, directory, ByteBuffer.allocate(size), MODE_700)
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            if (e.getCause() instanceof IOException io) {
                throw io;
            }
            throw new AssertionError(e);
        }
    }

    /** The client has the handle of the former directory, and looks for the present one. */
    @Test
    void shouldFindADirectoryThatHasTakenThePlaceOfAKnownOne() throws Exception {
        String deep = "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20";
        FileKey former = made(deep);
        mount.remove("/" + deep + "/file", former);
        Files.move(exported.resolve(deep), exported.resolve("away"));
        Files.createDirectory(exported.resolve(deep));
        Files.createFile(exported.resolve(deep + "/file"));
        FileKey present = FileKey.of(mount.attributes("/" + deep, false));
        assertThat(present).isNotEqualTo(former);
        mount.remove("/" + deep + "/file", present);
        assertThat(exported.resolve(deep + "/file")).doesNotExist();
    }
}
