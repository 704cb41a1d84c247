package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.NameFilter;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests synchronisations of trees. */
class SyncTest extends TransferCase {
    private static final CopyOptions SYNC = CopyOptions.of(Flag.RECURSIVE, Flag.SYNC);
    private static final CopyOptions MIRROR = SYNC.with(Flag.DELETE, true);

    private CopySummary sync(CopyOptions options) throws Exception {
        return host.engine()
                .copy(List.of(here("tree")), there("/copy"), options)
                .run();
    }

    @Test
    void shouldCopyOnlyWhatDiffers() throws Exception {
        write(local.resolve("tree/same"), 10);
        write(local.resolve("tree/dir/size"), 10);
        write(local.resolve("tree/dir/time"), 10);
        write(local.resolve("tree/mode"), 10);
        Files.createSymbolicLink(local.resolve("tree/link"), Path.of("same"));

        assertThat(sync(SYNC).files()).isEqualTo(5);
        assertThat(sync(SYNC)).matches(each -> each.files() == 0 && each.unchanged() == 5);

        write(local.resolve("tree/dir/size"), 11);
        Files.setLastModifiedTime(local.resolve("tree/dir/time"), FileTime.from(MODIFIED.plusNanos(5000)));
        Files.delete(local.resolve("tree/link"));
        Files.createSymbolicLink(local.resolve("tree/link"), Path.of("mode"));
        Files.setPosixFilePermissions(local.resolve("tree/mode"), PosixFilePermissions.fromString("r--------"));
        CopySummary summary = sync(SYNC);

        assertThat(summary.files()).isEqualTo(2);
        assertThat(summary.unchanged()).isEqualTo(3);
        assertThat(served.resolve("copy/dir/size")).hasSize(11);
        assertThat(Files.readSymbolicLink(served.resolve("copy/link"))).hasToString("mode");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(served.resolve("copy/mode"))))
                .isEqualTo("r--------");
    }

    @Test
    void shouldCompareContentWhereAskedTo() throws Exception {
        write(local.resolve("tree/x"), 10);
        write(local.resolve("tree/y"), 10);
        sync(SYNC);
        Files.writeString(served.resolve("copy/x"), "0123456789");
        Files.setLastModifiedTime(served.resolve("copy/x"), FileTime.from(MODIFIED));
        Files.setLastModifiedTime(served.resolve("copy/y"), FileTime.from(MODIFIED.plusSeconds(5)));

        assertThat(sync(SYNC.with(Flag.CHECKSUM, true)).files()).isEqualTo(1);

        assertThat(Files.mismatch(local.resolve("tree/x"), served.resolve("copy/x")))
                .isEqualTo(-1);
        assertThat(Files.getLastModifiedTime(served.resolve("copy/y")).toInstant())
                .isEqualTo(MODIFIED);
    }

    @Test
    void shouldRemoveOnlyWhereAskedTo() throws Exception {
        write(local.resolve("tree/x"), 10);
        Files.createDirectories(local.resolve("tree/was-file"));
        write(served.resolve("copy/old/deep/y"), 1);
        write(served.resolve("copy/keep.log"), 1);
        CopyOptions options = MIRROR.withFilter(new NameFilter(List.of(), List.of("*.log")));

        assertThat(sync(SYNC).removed()).isZero();
        Files.delete(served.resolve("copy/was-file"));
        write(served.resolve("copy/was-file"), 1);
        assertThat(sync(SYNC).failed()).hasSize(1);
        CopySummary summary = sync(options);

        assertThat(names(served.resolve("copy"))).containsExactly("keep.log", "was-file", "x");
        assertThat(served.resolve("copy/was-file")).isDirectory();
        assertThat(summary.removed()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"'', *.log", "*.txt, ''"})
    void shouldKeepWhatTheFilterLeavesOutOfADirectoryThatGoes(String included, String excluded) throws Exception {
        write(local.resolve("tree/x.txt"), 10);
        for (String name : List.of("old/a.txt", "old/deep/b.log", "gone/c.txt")) {
            write(served.resolve("copy").resolve(name), 1);
        }
        CopyOptions options = MIRROR.withFilter(new NameFilter(patterns(included), patterns(excluded)));
        List<String> lines = new ArrayList<>();
        CopySummary rehearsed = host.engine()
                .copy(List.of(here("tree")), there("/copy"), options)
                .rehearse(step -> lines.add(line(step)));

        CopySummary summary = sync(options);

        assertThat(names(served.resolve("copy"))).containsExactly("old", "x.txt");
        assertThat(names(served.resolve("copy/old"))).containsExactly("deep");
        assertThat(served.resolve("copy/old/deep/b.log")).exists();
        assertThat(summary.removed()).isEqualTo(3);
        assertThat(rehearsed.removed()).isEqualTo(3);
        assertThat(lines)
                .filteredOn(line -> line.startsWith("remove"))
                .containsExactlyInAnyOrder(
                        "remove a:/copy/old/a.txt", "remove a:/copy/gone/c.txt", "remove a:/copy/gone");
    }

    @Test
    void shouldKeepWhatTheFilterLeavesOutWhereAnotherKindOfFileShallBe() throws Exception {
        write(local.resolve("tree/file.txt"), 10);
        write(local.resolve("tree/nothing.txt/x.log"), 10);
        write(served.resolve("copy/file.txt/d.log"), 1);
        write(served.resolve("copy/nothing.txt"), 1);
        NameFilter filter = new NameFilter(List.of("*.txt"), List.of());

        CopySummary summary = sync(MIRROR.withFilter(filter));

        assertThat(summary.failed()).singleElement().satisfies(failure -> assertThat(failure.reason())
                .contains("is a directory"));
        assertThat(served.resolve("copy/file.txt/d.log")).exists();
        assertThat(served.resolve("copy/nothing.txt")).isRegularFile();
        assertThat(summary.removed()).isZero();
    }

    private static List<String> patterns(String pattern) {
        return pattern.isEmpty() ? List.of() : List.of(pattern);
    }

    /** The entry may be a file, which the filter leaves out, or a directory, which the filter selects. */
    @ParameterizedTest
    @CsvSource({"*.txt, '', 1", "'', bad, 0", "'', '', 1"})
    void shouldKeepTheCopyOfWhatTheSourceCannotDescribe(String included, String excluded, int failed) throws Exception {
        write(served.resolve("from/x.txt"), 10);
        mount.listBad("from");
        write(local.resolve("to/bad/precious.txt"), 10);
        CopyOptions options = MIRROR.withFilter(new NameFilter(patterns(included), patterns(excluded)));

        CopySummary summary =
                host.engine().copy(List.of(there("/from")), here("to"), options).run();

        assertThat(summary.failed()).hasSize(failed);
        assertThat(summary.removed()).isZero();
        assertThat(local.resolve("to/bad/precious.txt")).exists();
    }

    /** An object that could not be read may only seem to be missing. */
    @Test
    void shouldRemoveNothingWhereSomethingFailed() throws Exception {
        write(served.resolve("from/x"), 10);
        write(local.resolve("to/old"), 10);
        mount.hook((operation, path, position) -> {
            if (operation.equals("open")) {
                throw new AccessDeniedException(path);
            }
        });

        CopySummary summary =
                host.engine().copy(List.of(there("/from")), here("to"), MIRROR).run();

        assertThat(summary.failed()).hasSize(1);
        assertThat(names(local.resolve("to"))).containsExactly("old");
    }

    @Test
    void shouldTellWhatItWouldDoAndChangeNothing() throws Exception {
        write(local.resolve("tree/x"), 10);
        write(local.resolve("tree/dir/y"), 20);
        write(served.resolve("copy/old"), 10);
        List<String> lines = new ArrayList<>();

        CopySummary summary = host.engine()
                .copy(List.of(here("tree")), there("/copy"), MIRROR)
                .rehearse(step -> lines.add(line(step)));

        assertThat(lines)
                .containsExactly(
                        "make a:/copy/dir/",
                        "copy " + local + "/tree/x to a:/copy/x",
                        "copy " + local + "/tree/dir/y to a:/copy/dir/y",
                        "remove a:/copy/old");
        assertThat(summary.files()).isEqualTo(2);
        assertThat(summary.octets()).isEqualTo(30);
        assertThat(names(served.resolve("copy"))).containsExactly("old");
    }

    @Test
    void shouldRefuseWhatIsNoDirectoryOrTheSameOne() throws Exception {
        write(served.resolve("file"), 1);
        assertThatThrownBy(() -> host.engine()
                        .copy(List.of(there("/file")), here("x"), SYNC)
                        .run())
                .hasMessage("a:/file: is no directory, which a synchronisation needs");
        assertThatThrownBy(() -> host.engine()
                        .copy(List.of(there("/")), there("/"), MIRROR)
                        .run())
                .hasMessage("a:/ and a:/ are the same directory");
        write(served.resolve("x/y/z"), 1);
        for (String path : List.of("/", "/x")) {
            assertThatThrownBy(() -> host.engine()
                            .copy(List.of(there("/x/y")), there(path), MIRROR)
                            .run())
                    .hasMessage("a:/x/y and a:" + path + ": one is in the other, so they cannot be alike");
        }
        assertThatThrownBy(() -> host.engine()
                        .copy(List.of(there("/x")), there("/x/y"), SYNC)
                        .run())
                .hasMessageContaining("one is in the other");
    }

    /** The mount is replaced without an answer to the change, and another process uses the name meanwhile. */
    private void loseTheAnswerTo(String change, String path, Path put) {
        AtomicBoolean isOver = new AtomicBoolean();
        mount.hook(new DirectoryMount.Hook() {
            @Override
            public void before(String operation, String on, long position) {}

            @Override
            public void after(String operation, String on) throws IOException {
                if (operation.equals(change) && on.equals(path) && isOver.compareAndSet(false, true)) {
                    Files.writeString(put, "of another process");
                    host.replace("a");
                    throw new MountReplacedException("a", true);
                }
            }
        });
    }

    @Test
    void shouldNotRemoveWhatAnotherProcessHasMadeSinceTheAnswerWasLost() throws Exception {
        write(local.resolve("tree/x"), 10);
        Path old = served.resolve("copy/old");
        write(old, 10);
        loseTheAnswerTo("remove", "/copy/old", old);

        CopySummary summary = sync(MIRROR);

        assertThat(old).hasContent("of another process");
        assertThat(summary.failed())
                .extracting(failure -> failure.reason())
                .containsExactly("was changed or replaced while it was removed, and is left");
    }

    @Test
    void shouldNotKeepWhatAnotherProcessHasMadeSinceTheAnswerWasLost() throws Exception {
        write(local.resolve("tree/x"), 10);
        Path old = served.resolve("copy/old");
        Files.createDirectories(old.getParent());
        Files.createSymbolicLink(old, Path.of("nowhere")); // gets no further name
        loseTheAnswerTo("rename", "/copy/old", old);

        CopySummary summary = sync(MIRROR.withBackup(there("/kept")));

        assertThat(Files.readSymbolicLink(served.resolve("kept/old"))).hasToString("nowhere");
        assertThat(old).hasContent("of another process");
        assertThat(summary.failed()).isEmpty();
    }
}
