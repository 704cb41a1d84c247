package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.NameFilter;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests synchronisations that find an object of another type in the place of a file or directory. */
class SyncObstacleTest extends TransferCase {
    private static final CopyOptions MIRROR =
            CopyOptions.of(Flag.RECURSIVE, Flag.SYNC).with(Flag.DELETE, true);

    private static DirectoryMount.Hook refused(String operation, String end) {
        return (each, path, position) -> {
            if (each.equals(operation) && path.endsWith(end)) {
                throw new AccessDeniedException(path);
            }
        };
    }

    private CopySummary get(CopyOptions options) throws Exception {
        return host.engine().copy(List.of(there("/from")), here("to"), options).run();
    }

    private CopySummary put(CopyOptions options) throws Exception {
        return host.engine()
                .copy(List.of(here("tree")), there("/copy"), options)
                .run();
    }

    private List<String> rehearsed(CopyOptions options) throws Exception {
        List<String> lines = new ArrayList<>();
        host.engine().copy(List.of(there("/from")), here("to"), options).rehearse(step -> lines.add(line(step)));
        return lines;
    }

    @Test
    void shouldPutFilesLinksAndDirectoriesInThePlaceOfEachOther() throws Exception {
        write(served.resolve("from/file"), 10);
        write(served.resolve("from/dir/x"), 10);
        Files.createSymbolicLink(served.resolve("from/link"), Path.of("file"));
        Files.createSymbolicLink(served.resolve("from/other"), Path.of("file"));
        write(served.resolve("from/hard"), 10);
        Files.createLink(served.resolve("from/more"), served.resolve("from/hard"));
        for (String name : List.of("file/a/b", "link/a", "hard/a", "more/a")) {
            write(local.resolve("to").resolve(name), 1);
        }
        write(local.resolve("to/dir"), 1);
        write(local.resolve("to/other"), 1);

        assertThat(rehearsed(MIRROR.with(Flag.HARD_LINKS, true)))
                .filteredOn(line -> line.startsWith("remove"))
                .hasSize(11)
                .contains("remove " + local + "/to/file/a/b", "remove " + local + "/to/dir");
        CopySummary summary = get(MIRROR.with(Flag.HARD_LINKS, true));

        assertThat(summary.failed()).isEmpty();
        assertThat(names(local.resolve("to"))).containsExactly("dir", "file", "hard", "link", "more", "other");
        assertThat(local.resolve("to/file")).hasSize(10);
        assertThat(local.resolve("to/dir/x")).hasSize(10);
        assertThat(local.resolve("to/link")).isSymbolicLink();
        assertThat(local.resolve("to/other")).isSymbolicLink();
        assertThat(Files.isSameFile(local.resolve("to/hard"), local.resolve("to/more")))
                .isTrue();
        assertThat(summary.removed())
                .as("file/a/b, three of two, dir and other")
                .isEqualTo(11);
        assertThat(get(MIRROR.with(Flag.HARD_LINKS, true)).removed()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"open, /x", "read, /x", "readLink, /link"})
    void shouldKeepADirectoryWhoseReplacementCannotBeCopied(String operation, String what) throws Exception {
        write(served.resolve("from/x"), 10);
        Files.createSymbolicLink(served.resolve("from/link"), Path.of("x"));
        write(local.resolve("to" + what + "/precious"), 10);
        mount.hook(refused(operation, what));

        CopySummary summary = get(MIRROR);

        assertThat(summary.failed()).hasSize(1);
        assertThat(summary.removed()).isZero();
        assertThat(local.resolve("to" + what + "/precious")).hasSize(10);
        assertThat(names(local.resolve("to"))).containsExactly("link", "x");
    }

    @Test
    void shouldKeepALinkWhoseReplacementCannotBeMade() throws Exception {
        Files.createDirectories(local.resolve("tree"));
        Files.createSymbolicLink(local.resolve("tree/link"), Path.of("new"));
        Files.createDirectories(served.resolve("copy"));
        Files.createSymbolicLink(served.resolve("copy/link"), Path.of("old"));
        mount.hook((operation, path, position) -> {
            if (operation.equals("createSymbolicLink")) {
                throw new FileSystemException(path, null, "refused");
            }
        });

        assertThat(put(MIRROR).failed()).hasSize(1);

        assertThat(Files.readSymbolicLink(served.resolve("copy/link"))).hasToString("old");
    }

    @Test
    void shouldKeepAFileWhoseDirectoryCannotBeMade() throws Exception {
        write(local.resolve("tree/dir/x"), 10);
        write(served.resolve("copy/dir"), 3);
        mount.hook((operation, path, position) -> {
            if (operation.equals("createDirectory")) {
                throw new AccessDeniedException(path);
            }
        });

        assertThat(put(MIRROR).failed()).hasSize(1);

        assertThat(served.resolve("copy/dir")).hasSize(3);
    }

    /** The rename replaces the name atomically. */
    @Test
    void shouldNeverBeWithoutAFileWhereALinkReplacesIt() throws Exception {
        Files.createDirectories(local.resolve("tree"));
        Files.createSymbolicLink(local.resolve("tree/link"), Path.of("new"));
        write(served.resolve("copy/link"), 3);
        mount.hook((operation, path, position) -> {
            if (operation.equals("rename")) {
                throw new AccessDeniedException(path);
            }
        });

        assertThat(put(MIRROR).failed()).hasSize(1);

        assertThat(names(served.resolve("copy"))).containsExactly("link");
        assertThat(served.resolve("copy/link")).isRegularFile().hasSize(3);
        mount.hook((operation, path, position) -> {});
        assertThat(put(MIRROR).removed()).isEqualTo(1);
        assertThat(served.resolve("copy/link")).isSymbolicLink();
    }

    @Test
    void shouldKeepWhatIsInTheWayWhereNotAllCouldBeRead() throws Exception {
        write(served.resolve("from/x"), 10);
        write(served.resolve("from/dir/y"), 10);
        write(served.resolve("from/z"), 10);
        mount.listBad("from");
        write(local.resolve("to/x/precious"), 10);
        write(local.resolve("to/dir"), 7);

        assertThat(rehearsed(MIRROR)).containsExactly("copy a:/from/z to " + local + "/to/z");
        CopySummary summary = get(MIRROR);

        assertThat(summary.failed())
                .extracting(CopyFailure::reason)
                .containsExactlyInAnyOrder(
                        "the server cannot tell of 'bad'",
                        local + "/to/x: is a directory, which a:/from/x cannot replace: not all of the source could be"
                                + " read",
                        local + "/to/dir: is no directory, so a:/from/dir cannot be copied there: not all of the"
                                + " source could be read");
        assertThat(summary.removed()).isZero();
        assertThat(local.resolve("to/x/precious")).hasSize(10);
        assertThat(local.resolve("to/dir")).hasSize(7);
        assertThat(local.resolve("to/z")).hasSize(10);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepAllOfADirectoryOfWhichTheFilterLeavesOutSome(boolean isRehearsed) throws Exception {
        write(served.resolve("from/x"), 10);
        write(local.resolve("to/x/a"), 10);
        write(local.resolve("to/x/b.log"), 10);
        CopyOptions options = MIRROR.withFilter(new NameFilter(List.of(), List.of("*.log")));

        if (isRehearsed) {
            assertThat(rehearsed(options)).isEmpty();
        } else {
            assertThat(get(options).failed())
                    .extracting(CopyFailure::reason)
                    .containsExactly(local + "/to/x: is a directory, which a:/from/x cannot replace: the filter leaves"
                            + " out some of it");
        }

        assertThat(names(local.resolve("to/x"))).containsExactly("a", "b.log");
    }

    @Test
    void shouldRemoveWhatIsBesideAFileThatStays() throws Exception {
        write(local.resolve("tree/x"), 10);
        for (String name : List.of("old/a/stays", "old/b/x", "old/c")) {
            write(served.resolve("copy").resolve(name), 1);
        }
        mount.hook(refused("remove", "/stays"));

        CopySummary summary = put(MIRROR);

        assertThat(summary.failed()).extracting(CopyFailure::path).containsExactly("a:/copy/old/a/stays");
        assertThat(summary.removed()).isEqualTo(3);
        assertThat(names(served.resolve("copy/old"))).containsExactly("a");
    }

    private void makeObstacles() throws Exception {
        Files.createDirectories(local.resolve("tree/dir"));
        Files.createSymbolicLink(local.resolve("tree/link"), Path.of("new"));
        Files.createDirectories(served.resolve("copy"));
    }

    /** Interrupts the copy when it has created a temporary link or directory. Removals fail while it is interrupted. */
    private static DirectoryMount.Hook interruptAfter(String creation) {
        return new DirectoryMount.Hook() {
            @Override
            public void before(String operation, String path, long position) throws IOException {
                if (operation.equals("remove") && Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException();
                }
            }

            @Override
            public void after(String operation, String path) throws IOException {
                if (operation.equals(creation)) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException();
                }
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"createSymbolicLink, link", "createDirectory, dir"})
    void shouldLeaveNothingBesideWhereItIsInterrupted(String creation, String name) throws Exception {
        makeObstacles();
        write(served.resolve("copy/" + name), 1);
        mount.hook(interruptAfter(creation));

        assertThatThrownBy(() -> put(MIRROR)).isInstanceOf(InterruptedIOException.class);
        boolean unused = Thread.interrupted(); // directories are created by this thread

        assertThat(names(served.resolve("copy"))).allMatch(each -> each.equals("dir") || each.equals("link"));
    }

    @Test
    void shouldRemoveALinkThatTheServerCreatesAfterTheInterrupt() throws Exception {
        CopyOptions options = MIRROR.with(Flag.DELETE, false); // else what is too much is removed anyway
        makeObstacles();
        Files.createSymbolicLink(served.resolve("copy/link"), Path.of("old"));
        AtomicReference<String> requested = new AtomicReference<>();
        mount.hook((operation, path, position) -> {
            if (operation.equals("createSymbolicLink")) {
                requested.set(path);
                Thread.currentThread().interrupt();
                throw new InterruptedIOException();
            }
        });
        assertThatThrownBy(() -> put(options)).isInstanceOf(InterruptedIOException.class);
        boolean unused = Thread.interrupted(); // directories are created by this thread
        Files.createSymbolicLink(served.resolve(requested.get().substring(1)), Path.of("new"));
        mount.hook((operation, path, position) -> {});

        put(options).orThrow();

        assertThat(names(served.resolve("copy"))).containsExactly("dir", "link");
    }
}
