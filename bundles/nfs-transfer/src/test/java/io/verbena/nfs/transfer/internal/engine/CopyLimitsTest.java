package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.verbena.nfs.NfsException;
import io.verbena.nfs.transfer.Check;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyListener;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.CopyStep.Kind;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.FileSelection;
import io.verbena.nfs.transfer.NameList;
import io.verbena.nfs.transfer.internal.block.Bandwidth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what limits a copy: selections, the number of removals, backups, retries and the rate. */
class CopyLimitsTest extends TransferCase {
    private static final CopyOptions MIRROR = CopyOptions.of(Flag.RECURSIVE, Flag.SYNC, Flag.DELETE);

    private CopySummary sync(CopyOptions options) throws Exception {
        return host.engine().copy(here("tree"), there("/copy"), options).run();
    }

    private CopySummary putTree(FileSelection selection) throws Exception {
        return host.engine()
                .copy(here("tree/."), there("/copy"), TREE.withSelection(selection))
                .run();
    }

    @Test
    void shouldCopyAndRemoveOnlyFilesOfTheSelectedSizesAndTimes() throws Exception {
        write(local.resolve("tree/small"), 1);
        write(local.resolve("tree/dir/fit"), 10);
        write(local.resolve("tree/other/large"), 100);
        write(local.resolve("tree/new"), 10);
        Files.setLastModifiedTime(local.resolve("tree/new"), FileTime.from(MODIFIED.plusSeconds(1)));
        write(served.resolve("copy/gone"), 10);
        write(served.resolve("copy/stays"), 9);
        FileSelection selection = FileSelection.ALL.withSizes(10, 99).withTimes(Instant.MIN, MODIFIED);

        CopySummary summary = sync(MIRROR.withSelection(selection));

        assertThat(names(served.resolve("copy"))).containsExactly("dir", "stays");
        assertThat(names(served.resolve("copy/dir"))).containsExactly("fit");
        assertThat(summary.removed()).isEqualTo(1);
        Check check = host.engine()
                .check(here("tree"), there("/copy"), CopyOptions.of().withSelection(selection));
        assertThat(check.isSame()).isTrue();
        assertThat(check.unchanged()).isEqualTo(1);
    }

    @Test
    void shouldCopyWhatAListNames() throws Exception {
        for (String name : List.of("a", "b", "dir/c", "dir/sub/d", "dir/sub/e", "whole/f", "whole/g/h", "none/i")) {
            write(local.resolve("tree").resolve(name), 10);
        }
        Files.createDirectory(local.resolve("tree/empty"));
        Files.createDirectory(served.resolve("copy"));
        NameList list = NameList.of(List.of("a", "dir/sub/d", "whole", "empty", "dir/missing"));

        CopySummary summary = putTree(FileSelection.ALL.withNames(list));

        assertThat(names(served.resolve("copy"))).containsExactly("a", "dir", "empty", "whole");
        assertThat(names(served.resolve("copy/dir/sub"))).containsExactly("d");
        assertThat(names(served.resolve("copy/dir"))).containsExactly("sub");
        assertThat(names(served.resolve("copy/whole"))).containsExactly("f", "g");
        assertThat(summary.files()).isEqualTo(4);
        assertThat(summary.failed())
                .extracting(CopyFailure::path, CopyFailure::reason)
                .containsExactly(tuple(local + "/tree/./dir/missing", "no such file or directory"));
    }

    @Test
    void shouldWantOneDirectoryForAList() throws Exception {
        write(local.resolve("x"), 10);
        CopyOptions options = TREE.withSelection(FileSelection.ALL.withNames(NameList.of(List.of("x"))));

        assertThatThrownBy(() ->
                        host.engine().copy(here("x"), there("/y"), options).run())
                .hasMessageEndingWith("/x: is no directory, which a list of names needs");
        assertThatThrownBy(() -> host.engine().copy(List.of(here("x"), here("x")), there("/y"), options))
                .hasMessageContaining("is of one directory, and not of 2 sources");
    }

    @Test
    void shouldChangeNothingWhereTooMuchWouldGo() throws Exception {
        write(local.resolve("tree/new"), 10);
        write(local.resolve("tree/was-directory"), 10);
        write(served.resolve("copy/was-directory/x"), 1);
        write(served.resolve("copy/old/y"), 1);

        assertThatThrownBy(() -> sync(MIRROR.withMaxRemovals(3)))
                .hasMessage("a:/copy: 4 files and directories would be removed, and the limit is 3:"
                        + " nothing was changed");
        assertThat(names(served.resolve("copy"))).containsExactly("old", "was-directory");
        assertThat(served.resolve("copy/was-directory")).isDirectory();

        assertThat(sync(MIRROR.withMaxRemovals(4)).removed()).isEqualTo(4);
        assertThat(names(served.resolve("copy"))).containsExactly("new", "was-directory");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepWhatItReplacesOrRemoves(boolean isPut) throws Exception {
        Path from = isPut ? local : served;
        Path to = isPut ? served : local;
        write(from.resolve("tree/dir/x"), 10);
        Files.createSymbolicLink(from.resolve("tree/link"), Path.of("new"));
        write(to.resolve("copy/dir/x"), 11);
        write(to.resolve("copy/gone/deep/y"), 12);
        Files.createSymbolicLink(to.resolve("copy/link"), Path.of("old"));
        CopyOptions options = MIRROR.withBackup(isPut ? there("/old") : here("old"));

        for (int i = 0; i < 2; i++) {
            host.engine()
                    .copy(isPut ? here("tree") : there("/tree"), isPut ? there("/copy") : here("copy"), options)
                    .run()
                    .orThrow();
            write(from.resolve("tree/dir/x"), 20 + i);
        }

        assertThat(names(to.resolve("copy"))).containsExactly("dir", "link");
        assertThat(to.resolve("copy/dir/x")).hasSize(20);
        assertThat(to.resolve("old/dir/x")).hasSize(11);
        assertThat(to.resolve("old/dir/x.~1~")).hasSize(10);
        assertThat(to.resolve("old/gone/deep/y")).hasSize(12);
        assertThat(Files.readSymbolicLink(to.resolve("old/link"))).hasToString("old");
    }

    @Test
    void shouldReplaceNothingThatCannotBeKept() throws Exception {
        write(local.resolve("x"), 10);
        write(served.resolve("x"), 11);
        write(served.resolve("y"), 1);

        assertThatThrownBy(() -> host.engine()
                        .copy(here("x"), there("/x"), TREE.withBackup(there("/y")))
                        .run())
                .hasMessageContaining("is no directory");
        assertThat(served.resolve("x")).hasSize(11);
        assertThat(names(served)).containsExactly("x", "y");
        assertThatThrownBy(() -> host.engine().copy(here("x"), there("/x"), TREE.withBackup(here("old"))))
                .hasMessageContaining("is not on the mount of a:/x");
    }

    @Test
    void shouldKeepNoFilesWhereTheyWouldBeRemovedOrCopied() throws Exception {
        write(local.resolve("tree/x"), 10);

        assertThatThrownBy(() -> sync(MIRROR.withBackup(there("/copy/old"))))
                .hasMessage("a:/copy/old: is in a:/copy, which the copy changes; keep files elsewhere");
        for (String place : List.of("/copy", "/copy/.", "/./copy/old", "/x/../copy/old")) {
            assertThatThrownBy(() -> sync(MIRROR.withBackup(there(place))))
                    .as(place)
                    .hasMessageContaining("keep files elsewhere");
        }
    }

    @Test
    void shouldTryAgainWhatFailedForAPassingReason() throws Exception {
        write(local.resolve("tree/io"), 10);
        write(local.resolve("tree/denied"), 10);
        write(local.resolve("tree/well"), 10);
        AtomicInteger opened = new AtomicInteger();
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && opened.getAndIncrement() % 2 == 0) {
                throw new NfsException(path, "NFS4ERR_IO", "input or output error");
            }
        });
        FakeClock clock = new FakeClock();
        Queue<String> retried = new ConcurrentLinkedQueue<>();
        Queue<CopyStep> done = new ConcurrentLinkedQueue<>();
        try (TransferEngine engine = new TransferEngine(clock, STRETCH)) {
            Copy copy =
                    engine.copy(here("tree"), there("/copy"), TREE.withJobs(1).withRetries(3));
            copy.addListener(new CopyListener() {
                @Override
                public void retried(CopyFailure failure) {
                    retried.add(failure.path());
                }

                @Override
                public void done(CopyStep step) {
                    done.add(step);
                }
            });

            CopySummary summary = copy.run();

            assertThat(summary.failed()).isEmpty();
            assertThat(summary.files()).isEqualTo(3);
        }
        assertThat(retried).isNotEmpty();
        assertThat(done)
                .extracting(CopyStep::kind)
                .containsExactly(Kind.MAKE_DIRECTORY, Kind.COPY, Kind.COPY, Kind.COPY);
        assertThat(names(served.resolve("copy"))).containsExactly("denied", "io", "well");
    }

    @Test
    void shouldGiveUpAfterTheRetriesAndAtFailuresThatStay() throws Exception {
        write(local.resolve("tree/io"), 10);
        write(local.resolve("tree/perm"), 10);
        AtomicInteger writes = new AtomicInteger();
        mount.hook((operation, path, position) -> {
            if (operation.equals("write")) {
                writes.incrementAndGet();
                throw new NfsException(path, "NFS4ERR_IO", "input or output error");
            }
        });
        FakeClock clock = new FakeClock();
        try (TransferEngine engine = new TransferEngine(clock, STRETCH)) {
            CopySummary summary = engine.copy(here("tree"), there("/copy"), TREE.withRetries(2))
                    .run();

            assertThat(summary.failed()).hasSize(2);
        }
        assertThat(writes).hasValue(6);
        writes.set(0);
        mount.hook((operation, path, position) -> {
            if (operation.equals("write")) {
                writes.incrementAndGet();
                throw new IOException("no");
            }
        });
        assertThat(host.engine()
                        .copy(here("tree/."), there("/copy"), TREE.withRetries(2))
                        .run()
                        .failed())
                .hasSize(2);
        assertThat(writes).hasValue(2);
    }

    /** The source is looked at anew: its time is not that of the plan any more. */
    @Test
    void shouldCopyASourceAgainThatHasChanged() throws Exception {
        write(local.resolve("file"), 10);
        AtomicInteger writes = new AtomicInteger();
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && writes.getAndIncrement() == 0) {
                write(local.resolve("file"), 12);
            }
        });
        try (TransferEngine engine = new TransferEngine(new FakeClock(), STRETCH)) {
            assertThat(engine.copy(here("file"), there("/file"), TREE.withRetries(1))
                            .run()
                            .files())
                    .isEqualTo(1);
        }
        assertThat(served.resolve("file")).hasSize(12);
    }

    @Test
    void shouldFollowARateThatChangesWhileItWaits() throws Exception {
        FakeClock clock = new FakeClock();
        long start = clock.nanoTime();
        AtomicLong asked = new AtomicLong();
        // a second at 1 octet a second, then at 1 MiB a second
        Bandwidth bandwidth = new Bandwidth(() -> asked.getAndIncrement() < 1 ? 1 : 1 << 20, clock);

        bandwidth.acquire(1 << 20);

        assertThat((clock.nanoTime() - start) / 1e9).isCloseTo(1, Offset.offset(1.1));
        Bandwidth lifted = new Bandwidth(() -> asked.getAndIncrement() < 3 ? 1 : 0, clock);
        lifted.acquire(1 << 20);
    }
}
