package io.verbena.cli.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Trees, by the rules of {@code cp -r}. */
class CopyTreeTest extends TransferCase {
    @Test
    void shouldCopyTreesAsCpDoes() throws Exception {
        write(local.resolve("tree/deep/er/é ✓ file"), 10);
        write(local.resolve("tree/one"), 1);
        Files.createDirectories(local.resolve("tree/empty"));
        Files.createSymbolicLink(local.resolve("tree/link"), Path.of("deep/er/é ✓ file"));
        Files.createSymbolicLink(local.resolve("tree/dangling"), Path.of("nowhere"));
        Files.setPosixFilePermissions(local.resolve("tree/deep"), PosixFilePermissions.fromString("r-xr-x---"));
        Files.setLastModifiedTime(local.resolve("tree/deep"), FileTime.from(MODIFIED));

        assertThat(put("tree", "/new").files()).isEqualTo(4);
        put("tree", "/new");
        put("tree/.", "/new");
        get("/new", "back");

        assertThat(names(served.resolve("new"))).containsExactly("dangling", "deep", "empty", "link", "one", "tree");
        assertThat(names(served.resolve("new/tree"))).containsExactly("dangling", "deep", "empty", "link", "one");
        for (Path copy : List.of(served.resolve("new"), local.resolve("back"))) {
            assertThat(copy.resolve("deep/er/é ✓ file")).hasSize(10);
            assertThat(Files.readSymbolicLink(copy.resolve("link"))).hasToString("deep/er/é ✓ file");
            assertThat(Files.readSymbolicLink(copy.resolve("dangling"))).hasToString("nowhere");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy.resolve("deep"))))
                    .isEqualTo("r-xr-x---");
            assertThat(Files.getLastModifiedTime(copy.resolve("deep")).toInstant())
                    .isEqualTo(MODIFIED);
        }
    }

    @Test
    void shouldSayWhatItLeavesOut() throws Exception {
        write(local.resolve("dir/file"), 10);
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(local.resolve("dir/socket")));

            Summary put = put("dir", "/dir");

            assertThat(put.skipped()).containsExactly(local + "/dir/socket");
            assertThat(put.toString()).contains("left out 1 that is neither file, directory nor link: " + local);
            assertThat(names(served.resolve("dir"))).containsExactly("file");
        }
    }

    @Test
    void shouldRefuseTwoSourcesOfOneName() throws Exception {
        write(local.resolve("a/file"), 10);
        write(local.resolve("b/file"), 20);
        Files.createDirectories(served.resolve("into"));

        assertThatThrownBy(() -> Copy.run(
                        List.of(Location.local(local + "/a/file"), Location.local(local + "/b/file")),
                        Location.remote("a:/into", host.mounts()),
                        CopyOptions.of()))
                .hasMessageContaining("b/file: another source has that name too");
        assertThat(names(served.resolve("into"))).isEmpty();
    }

    @Test
    void shouldCopyAWholeMount() throws Exception {
        write(served.resolve("x"), 5);

        get("/", "all");

        assertThat(local.resolve("all/x")).hasSize(5);
    }

    @Test
    void shouldRefuseNamesThatLeadElsewhere() throws Exception {
        Files.createDirectory(served.resolve("evil"));
        mount.lie("evil", "../escaped");

        assertThatThrownBy(() -> get("/evil", "evil"))
                .hasMessage("a:/evil/../escaped: the server lists a name that no file can have");
        assertThat(local.resolve("escaped")).doesNotExist();
    }

    @Test
    void shouldWriteThroughALinkButNotThroughOnesWithinATree() throws Exception {
        write(served.resolve("tree/x"), 3);
        write(served.resolve("y"), 4);
        Files.createDirectories(local.resolve("into/tree"));
        Files.writeString(local.resolve("precious"), "precious");
        Files.createSymbolicLink(local.resolve("into/tree/x"), Path.of("../../precious"));
        Files.createSymbolicLink(local.resolve("to-y"), Path.of("real-y"));
        Files.writeString(local.resolve("real-y"), "old");

        get("/tree", "into");
        get("/y", "to-y");

        assertThat(local.resolve("precious")).hasContent("precious");
        assertThat(local.resolve("into/tree/x")).hasSize(3);
        assertThat(local.resolve("to-y")).isSymbolicLink();
        assertThat(local.resolve("real-y")).hasSize(4);
    }

    @Test
    void shouldRefuseWhatCpRefuses() throws Exception {
        write(served.resolve("file"), 3);
        write(served.resolve("tree/x"), 3);
        write(local.resolve("plain"), 3);
        Files.createDirectories(local.resolve("dir/file"));
        List<Location> two = new ArrayList<>();
        two.add(Location.remote("a:/file", host.mounts()));
        two.add(Location.remote("a:/tree", host.mounts()));

        assertThatThrownBy(() -> get("/none", "x")).hasMessage("a:/none: no such file or directory");
        assertThatThrownBy(() -> get("/file", "dir"))
                .hasMessageContaining("is a directory, which a:/file cannot replace");
        assertThatThrownBy(() -> get("/tree", "plain")).hasMessageContaining("is no directory");
        assertThatThrownBy(() -> get("/file", "nodir/")).hasMessageContaining("no such file or directory");
        assertThatThrownBy(() -> get("/file", "nodir/x")).hasMessageContaining("no such file or directory");
        assertThatThrownBy(() -> Copy.run(two, Location.local(local + "/plain"), TREE))
                .hasMessageContaining("several sources need");
        assertThatThrownBy(() -> Copy.run(List.of(two.get(1)), Location.local(local + "/dir"), CopyOptions.of()))
                .hasMessageContaining("a:/tree: is a directory; -r copies it");
    }

    @Test
    void shouldReplaceAReadOnlyFileOnlyByForce() throws Exception {
        write(local.resolve("file"), 3);
        Files.writeString(served.resolve("file"), "old");
        Files.setPosixFilePermissions(served.resolve("file"), PosixFilePermissions.fromString("r--r--r--"));
        List<Location> sources = List.of(Location.local(local + "/file"));
        Location target = Location.remote("a:/", host.mounts());

        assertThatThrownBy(() -> Copy.run(sources, target, CopyOptions.of()))
                .hasMessageContaining("a:/file: permission denied");
        Copy.run(sources, target, CopyOptions.of(CopyOptions.Flag.FORCE));

        assertThat(served.resolve("file")).hasSize(3);
    }

    @Test
    void shouldCopyIntoItsOwnSourceAndEnd() throws Exception {
        write(served.resolve("sub/x"), 3);
        Location source = Location.local(served.toString());

        Copy.run(List.of(source), Location.remote("a:/sub", host.mounts()), TREE);

        assertThat(served.resolve("sub").resolve(served.getFileName()).resolve("sub/x"))
                .hasSize(3);
    }

    /** Names are read first, and looked at one after the other then. */
    @Test
    void shouldListADirectoryFromWhichFilesGoMeanwhile() throws Exception {
        write(local.resolve("stays"), 1);
        AtomicBoolean isDone = new AtomicBoolean();
        FutureTask<Void> coming = new FutureTask<>(() -> {
            while (!isDone.get()) {
                for (int i = 0; i < 50; i++) {
                    Files.createFile(local.resolve("goes" + i));
                }
                for (int i = 0; i < 50; i++) {
                    Files.delete(local.resolve("goes" + i));
                }
            }
            return null;
        });
        new Thread(coming).start();

        try {
            for (int i = 0; i < 300; i++) {
                assertThat(here("").list(new ArrayList<>()))
                        .extracting(Node::name)
                        .contains("stays");
            }
        } finally {
            isDone.set(true);
            coming.get(20, TimeUnit.SECONDS);
        }
    }
}
