package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.OptionException;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests copies of trees by the rules of {@code cp -r}. */
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

    /** Such a directory is in no other by a name: neither is the root of a mount, nor what dots lead to. */
    @ParameterizedTest
    @ValueSource(strings = {"/", "/.", "/d/.", "/d/..", "/d/e/.."})
    void shouldCopyToAndFromDirectoriesWithoutANameOfTheirOwn(String path) throws Exception {
        Files.createDirectories(served.resolve("d/e"));
        write(local.resolve("tree/sub/file"), 10);
        Files.createSymbolicLink(local.resolve("tree/link"), Path.of("sub/file"));
        Files.createLink(local.resolve("tree/same"), local.resolve("tree/sub/file"));
        CopyOptions mirror = CopyOptions.of(CopyOptions.Flag.RECURSIVE, CopyOptions.Flag.SYNC, CopyOptions.Flag.FORCE)
                .with(CopyOptions.Flag.PRESERVE, true)
                .with(CopyOptions.Flag.HARD_LINKS, true);
        List<CopyOptions> all = List.of(
                TREE.with(CopyOptions.Flag.VERIFY, true),
                TREE.with(CopyOptions.Flag.RESUME, true),
                mirror,
                mirror.with(CopyOptions.Flag.DELETE, true));
        for (CopyOptions options : all) {
            host.engine()
                    .copy(List.of(here("tree").contents()), there(path), options)
                    .run();
            Files.createDirectories(served.resolve("d/e"));
            Path back = Files.createDirectory(local.resolve("back" + all.indexOf(options)));
            host.engine()
                    .copy(List.of(there(path).contents()), here(back.getFileName() + "/."), options)
                    .run();
            assertThat(names(back)).contains("link", "same", "sub");
            assertThat(back.resolve("sub/file")).hasSameBinaryContentAs(local.resolve("tree/sub/file"));
        }
    }

    private static Path deep(Path top, int levels) {
        return top.resolve("d/".repeat(levels));
    }

    /** Removes directories from the bottom. A walk from the top would hold all directories above it open. */
    private static void removeDeep(Path top, int levels) throws IOException {
        Path directory = deep(top, levels);
        for (int i = 0; i <= levels; i++) {
            Files.deleteIfExists(directory.resolve("file"));
            Files.deleteIfExists(directory);
            directory = directory.getParent();
        }
    }

    @Test
    void shouldCopyAndRemoveTreesDeeperThanAStack() throws Exception {
        int levels = 1_900;
        Path tree = local.resolve("t");
        try {
            Files.createDirectories(deep(tree, levels));
            write(deep(tree, levels).resolve("file"), 10);

            assertThat(put("t", "/c").files()).isEqualTo(1);

            assertThat(deep(served.resolve("c"), levels).resolve("file")).hasSize(10);
            removeDeep(tree, levels);
            Files.createDirectories(tree);
            CopyOptions mirror =
                    CopyOptions.of(CopyOptions.Flag.RECURSIVE, CopyOptions.Flag.SYNC, CopyOptions.Flag.DELETE);
            assertThat(host.engine()
                            .copy(List.of(here("t")), there("/c"), mirror)
                            .run()
                            .removed())
                    .isEqualTo(levels + 1);
            assertThat(served.resolve("c")).isEmptyDirectory();
        } finally {
            removeDeep(tree, levels);
            removeDeep(served.resolve("c"), levels);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, the directory contains itself", "false, more than 2048 directories deep"})
    void shouldNotFollowAServerWhoseDirectoriesHaveNoEnd(boolean isLoop, String message) throws Exception {
        Files.createDirectories(served.resolve("tree"));
        Files.createDirectories(local.resolve("empty"));
        if (isLoop) {
            mount.beLoop();
        } else {
            mount.beEndless();
        }
        CopyOptions sync = CopyOptions.of(CopyOptions.Flag.RECURSIVE, CopyOptions.Flag.SYNC, CopyOptions.Flag.DELETE);

        assertThatThrownBy(() -> get("/tree", "copy")).hasMessageEndingWith("/d: " + message);
        assertThatThrownBy(() -> host.engine()
                        .copy(List.of(there("/tree")), here("copy"), sync)
                        .run())
                .hasMessageEndingWith("/d: " + message);
        assertThat(local.resolve("copy")).doesNotExist();
        mount.hook((operation, path, position) -> assertThat(operation).isNotEqualTo("remove"));
        assertThat(host.engine()
                        .copy(List.of(here("empty")), there("/tree"), sync)
                        .run()
                        .failed())
                .singleElement()
                .satisfies(failure -> assertThat(failure.reason()).endsWith("/d: " + message));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/copy", "/copy/dir"})
    void shouldTakeADirectoryThatAnotherTransferHasMade(String made) throws Exception {
        write(local.resolve("tree/dir/x"), 10);
        write(local.resolve("tree/y"), 10);
        Files.createSymbolicLink(local.resolve("tree/dir/link"), Path.of("x"));
        mount.hook((operation, path, position) -> {
            if (operation.equals("createDirectory") && path.equals(made)) {
                Files.createDirectories(served.resolve("copy/dir"));
                Files.createSymbolicLink(served.resolve("copy/dir/link"), Path.of("other"));
            }
        });

        assertThat(put("tree", "/copy").files()).isEqualTo(3);

        assertThat(served.resolve("copy/dir/x")).hasSize(10);
        assertThat(served.resolve("copy/y")).hasSize(10);
        assertThat(Files.readSymbolicLink(served.resolve("copy/dir/link"))).hasToString("x");
    }

    @Test
    void shouldNotTakeAFileForADirectoryThatAnotherTransferHasMade() throws Exception {
        write(local.resolve("tree/dir/x"), 10);
        write(local.resolve("tree/y"), 10);
        mount.hook((operation, path, position) -> {
            if (operation.equals("createDirectory") && path.equals("/copy/dir")) {
                Files.createFile(served.resolve("copy/dir"));
            }
        });

        CopySummary summary =
                host.engine().copy(List.of(here("tree")), there("/copy"), TREE).run();

        assertThat(summary.failed()).extracting(CopyFailure::path).containsExactly(local + "/tree/dir");
        assertThat(served.resolve("copy/dir")).isRegularFile();
        assertThat(served.resolve("copy/y")).hasSize(10);
    }

    /** The attributes of one directory of the target cannot be read. */
    @Test
    void shouldCopyWhatIsBesideADirectoryThatFails() throws Exception {
        write(local.resolve("tree/dir/x"), 10);
        write(local.resolve("tree/z/y"), 10);
        write(local.resolve("tree/a"), 10);
        Files.createDirectories(served.resolve("tree"));
        mount.hook((operation, path, position) -> {
            if (path.equals("/tree/dir")) {
                throw new AccessDeniedException(path);
            }
        });

        CopySummary summary =
                host.engine().copy(List.of(here("tree")), there("/"), TREE).run();

        assertThat(summary.failed()).extracting(CopyFailure::path).containsExactly(local + "/tree/dir");
        assertThat(served.resolve("tree/a")).hasSize(10);
        assertThat(served.resolve("tree/z/y")).hasSize(10);
    }

    @Test
    void shouldSayWhatItLeavesOut() throws Exception {
        write(local.resolve("dir/file"), 10);
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(local.resolve("dir/socket")));

            CopySummary put = put("dir", "/dir");

            assertThat(put.skipped()).containsExactly(local + "/dir/socket");
            assertThat(names(served.resolve("dir"))).containsExactly("file");
        }
    }

    @Test
    void shouldRefuseTwoSourcesOfOneName() throws Exception {
        write(local.resolve("a/file"), 10);
        write(local.resolve("b/file"), 20);
        Files.createDirectories(served.resolve("into"));

        assertThatThrownBy(() -> host.run(
                        List.of(MountHost.local(local + "/a/file"), MountHost.local(local + "/b/file")),
                        host.at("a:/into"),
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
        two.add(host.at("a:/file"));
        two.add(host.at("a:/tree"));

        assertThatThrownBy(() -> get("/none", "x")).hasMessage("a:/none: no such file or directory");
        assertThatThrownBy(() -> get("/file", "dir"))
                .hasMessageContaining("is a directory, which a:/file cannot replace");
        assertThatThrownBy(() -> get("/tree", "plain")).hasMessageContaining("is no directory");
        assertThatThrownBy(() -> get("/file", "nodir/")).hasMessageContaining("no such file or directory");
        assertThatThrownBy(() -> get("/file", "nodir/x")).hasMessageContaining("no such file or directory");
        assertThatThrownBy(() -> host.run(two, MountHost.local(local + "/plain"), TREE))
                .hasMessageContaining("several sources need");
        assertThatThrownBy(() -> host.run(List.of(two.get(1)), MountHost.local(local + "/dir"), CopyOptions.of()))
                .hasMessage("a:/tree: is a directory")
                .asInstanceOf(InstanceOfAssertFactories.type(OptionException.class))
                .returns(CopyOptions.Flag.RECURSIVE, OptionException::flag);
    }

    @Test
    void shouldReplaceAReadOnlyFileOnlyByForce() throws Exception {
        write(local.resolve("file"), 3);
        Files.writeString(served.resolve("file"), "old");
        Files.setPosixFilePermissions(served.resolve("file"), PosixFilePermissions.fromString("r--r--r--"));
        List<Location> sources = List.of(MountHost.local(local + "/file"));
        Location target = host.at("a:/");

        assertThatThrownBy(() -> host.run(sources, target, CopyOptions.of()))
                .hasMessageContaining("a:/file: permission denied");
        host.run(sources, target, CopyOptions.of(CopyOptions.Flag.FORCE));

        assertThat(served.resolve("file")).hasSize(3);
    }

    @Test
    void shouldCopyIntoItsOwnSourceAndEnd() throws Exception {
        write(served.resolve("sub/x"), 3);
        Location source = MountHost.local(served.toString());

        host.run(List.of(source), host.at("a:/sub"), TREE);

        assertThat(served.resolve("sub").resolve(served.getFileName()).resolve("sub/x"))
                .hasSize(3);
    }

    /** The names are read first, and then the attributes of each entry. */
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
            TreePath directory = path(here(""));
            FileEntry seen = directory.find(true).orElseThrow();
            for (int i = 0; i < 300; i++) {
                assertThat(directory.list(seen, new ArrayList<>()))
                        .extracting(FileEntry::name)
                        .contains("stays");
            }
        } finally {
            isDone.set(true);
            coming.get(20, TimeUnit.SECONDS);
        }
    }
}
