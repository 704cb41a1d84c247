package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests copies that are interrupted and resumed. */
class ResumeTest extends TransferCase {
    private static final CopyOptions RESUME =
            CopyOptions.of(Flag.RECURSIVE, Flag.RESUME).withJobs(1);
    private static final long SIZE = 3 * STRETCH + 7;
    /** The size in octets of what is kept or moved as a whole. */
    private static final long UNIT = 1 << 20;

    private final AtomicInteger moved = new AtomicInteger();

    private CopySummary copy(boolean isPut) throws Exception {
        Location from = isPut ? here("file") : there("/file");
        Location to = isPut ? there("/copy") : here("copy");
        return copyByStretches(from, to, RESUME);
    }

    /** Interrupts a copy in the third of four parts, and returns the temporary file. */
    private Path breakOff(boolean isPut) throws Exception {
        sparse(
                (isPut ? local : served).resolve("file"),
                SIZE,
                5,
                STRETCH + 6,
                2 * STRETCH + 1,
                2 * STRETCH + (3 << 20),
                SIZE - 1);
        String moving = isPut ? "write" : "read";
        mount.hook((operation, path, position) -> {
            if (operation.equals(moving) && position > 2 * STRETCH) {
                throw new IOException("connection lost");
            }
        });
        assertThatThrownBy(() -> copy(isPut)).hasMessageEndingWith("connection lost");
        mount.hook((operation, path, position) -> {
            if (operation.equals(moving)) {
                moved.incrementAndGet();
            }
        });
        Path directory = isPut ? served : local;
        return directory.resolve(names(directory).stream()
                .filter(name -> name.matches("\\.verbena-[0-9a-f]{16}\\.part"))
                .findFirst()
                .orElseThrow());
    }

    private void assertSameAndNothingLeft(boolean isPut) throws IOException {
        assertThat(Files.mismatch((isPut ? local : served).resolve("file"), (isPut ? served : local).resolve("copy")))
                .isEqualTo(-1);
        assertThat(names(isPut ? served : local)).containsExactly("copy");
    }

    @Test
    void shouldPutOnlyThePartsThatAreNotThere() throws Exception {
        breakOff(true);

        CopySummary summary = copy(true);

        // The blocks of the first two parts are verified, and so are those of the third that had been moved.
        assertSameAndNothingLeft(true);
        assertThat(summary.kept()).isBetween(2 * STRETCH, 2 * STRETCH + UNIT);
        assertThat(summary.kept() + summary.octets()).isEqualTo(SIZE);
        assertThat(moved.get()).as("with the first octet, for the COMMIT").isLessThanOrEqualTo(1 + 4 + 1);
    }

    @Test
    void shouldGetOnlyThePartsThatAreNotThere() throws Exception {
        breakOff(false);

        CopySummary summary = copy(false);

        assertSameAndNothingLeft(false);
        assertThat(summary.kept()).isBetween(2 * STRETCH, 2 * STRETCH + UNIT);
        assertThat(moved.get()).as("reads").isBetween(4, 4 + 1);
    }

    /** A stop in the middle of a part loses what is in flight, and not the whole part. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGoOnBehindTheLastBlockThatIsSafe(boolean isPut) throws Exception {
        long size = 20 * UNIT + 3;
        write((isPut ? local : served).resolve("file"), (int) size);
        String moving = isPut ? "write" : "read";
        mount.hook((operation, path, position) -> {
            if (operation.equals(moving) && position == 17 * UNIT) {
                throw new IOException("connection lost");
            }
        });
        Location from = isPut ? here("file") : there("/file");
        Location to = isPut ? there("/copy") : here("copy");
        assertThatThrownBy(() -> copy(from, to)).hasMessageEndingWith("connection lost");
        AtomicLong octets = new AtomicLong();
        mount.hook((operation, path, position) -> {
            if (operation.equals(moving) && position > 0) {
                octets.addAndGet(UNIT);
            }
        });

        CopySummary summary = copy(from, to);

        assertSameAndNothingLeft(isPut);
        assertThat(summary.kept()).isBetween(9 * UNIT, 17 * UNIT);
        assertThat(summary.kept() + summary.octets()).isEqualTo(size);
        assertThat(octets.get()).isLessThanOrEqualTo(size - summary.kept() + UNIT);
    }

    private CopySummary copy(Location from, Location to) throws Exception {
        return host.engine().copy(List.of(from), to, RESUME).run();
    }

    /** What an earlier client wrote may be in the server's memory only, as that client was killed before its COMMIT. */
    @Test
    void shouldCommitWhatIsThereBeforeItIsCompared() throws Exception {
        breakOff(true);
        List<String> calls = new CopyOnWriteArrayList<>();
        mount.hook((operation, path, position) -> {
            if (path.endsWith(".part") && Set.of("write", "close", "read").contains(operation)) {
                calls.add(operation);
            }
        });

        copy(true);

        assertThat(calls).startsWith("write", "close", "read");
    }

    @ParameterizedTest
    @CsvSource({"true, 1", "false, 1", "true, 4", "false, 4"})
    void shouldKeepWhatACancelledCopyHasMovedIfAskedTo(boolean isPut, int jobs) throws Exception {
        long size = 20 * UNIT + 3;
        write((isPut ? local : served).resolve("file"), (int) size);
        Location from = isPut ? here("file") : there("/file");
        Location to = isPut ? there("/copy") : here("copy");
        CopyOptions options = CopyOptions.of(Flag.KEEP_PARTIAL).withJobs(jobs);
        Copy cancelled = host.engine().copy(from, to, options);
        CountDownLatch never = new CountDownLatch(1);
        mount.hook((operation, path, position) -> {
            if (operation.equals(isPut ? "write" : "read") && position >= 12 * UNIT) {
                cancelled.cancel();
                awaitOrFail(never);
            }
        });
        CompletableFuture<CopySummary> end = cancelled.start();
        assertThatThrownBy(() -> end.get(20, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
        never.countDown();
        mount.hook((operation, path, position) -> {});
        assertThat(names(isPut ? served : local))
                .allMatch(name -> name.matches("\\.verbena-[0-9a-f]{16}\\.(part|sums)"));

        CopySummary summary = copy(from, to);

        assertSameAndNothingLeft(isPut);
        assertThat(summary.kept()).isBetween(4 * UNIT, 12 * UNIT);
        assertThat(summary.kept() + summary.octets()).isEqualTo(size);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotTrustWhatWasChangedSince(boolean isPut) throws Exception {
        Path part = breakOff(isPut);
        try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "rw")) {
            // The positions are zeros in the source: in a complete part, in an incomplete part, and after the end.
            for (long position : new long[] {STRETCH + 3_000_000, 2 * STRETCH + 2_500_000, SIZE + 100}) {
                file.seek(position);
                file.write(7);
            }
        }

        CopySummary summary = copy(isPut);

        assertSameAndNothingLeft(isPut);
        assertThat(summary.kept()).as("up to the unit that was changed").isBetween(STRETCH + 2 * UNIT, 2 * STRETCH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "0 67108864 zz\n", "0 9999999999999999999 \u0000"})
    void shouldNotTrustAJournalThatIsBroken(String content) throws Exception {
        breakOff(false);
        Path journal = local.resolve(names(local).stream()
                .filter(name -> name.endsWith(".sums"))
                .findFirst()
                .orElseThrow());
        Files.writeString(journal, content);

        CopySummary summary = copy(false);

        assertSameAndNothingLeft(false);
        assertThat(summary.kept()).isZero();
    }

    @Test
    void shouldNotMixTwoVersionsOfASourceOfOneSizeAndTime() throws Exception {
        breakOff(false);
        Path source = served.resolve("file");
        FileTime time = Files.getLastModifiedTime(source);
        try (RandomAccessFile file = new RandomAccessFile(source.toFile(), "rw")) {
            file.seek(9);
            file.write(7);
        }
        Files.setLastModifiedTime(source, time);

        CopySummary summary = copy(false);

        assertSameAndNothingLeft(false);
        assertThat(summary.kept()).isZero();
    }

    @Test
    void shouldBeginAJournalAnewThatIsTooLarge() throws Exception {
        Path part = breakOff(false);
        Path journal = part.resolveSibling(part.getFileName().toString().replace(".part", ".sums"));
        try (RandomAccessFile file = new RandomAccessFile(journal.toFile(), "rw")) {
            file.setLength((64 << 20) + 1);
        }
        mount.hook((operation, path, position) -> {
            if (operation.equals("read") && position > 2 * STRETCH) {
                throw new IOException("connection lost");
            }
        });
        assertThatThrownBy(() -> copy(false)).hasMessageEndingWith("connection lost");
        assertThat(Files.size(journal)).isBetween(1L, 10_000L);
        mount.hook((operation, path, position) -> {});

        CopySummary summary = copy(false);

        assertSameAndNothingLeft(false);
        assertThat(summary.kept()).isBetween(2 * STRETCH, 2 * STRETCH + UNIT);
    }

    @Test
    void shouldBeginAnewWhereTheSourceHasChanged() throws Exception {
        Path part = breakOff(true);
        Files.setLastModifiedTime(local.resolve("file"), FileTime.from(MODIFIED));

        CopySummary summary = copy(true);

        assertThat(summary.kept()).isZero();
        assertThat(names(served))
                .containsExactly(part.getFileName().toString(), "copy")
                .hasSize(2);
    }

    /** No later copy would find the temporary file under its name. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLeaveNothingOfASourceThatChangesMeanwhile(boolean isPut) throws Exception {
        Path source = (isPut ? local : served).resolve("file");
        sparse(source, SIZE, 5, 2 * STRETCH + 1, SIZE - 1);
        mount.hook((operation, path, position) -> {
            if (operation.equals(isPut ? "write" : "read") && position >= 2 * STRETCH) {
                Files.setLastModifiedTime(source, FileTime.from(MODIFIED));
            }
        });

        assertThatThrownBy(() -> copy(isPut)).hasMessageContaining("while it was copied; copy it again");

        assertThat(names(isPut ? served : local)).isEmpty();
    }

    @Test
    void shouldRefuseALinkInThePlaceOfWhatIsTakenUp() throws Exception {
        Path part = breakOff(false);
        Files.writeString(local.resolve("precious"), "precious");
        Files.delete(part);
        Files.createSymbolicLink(part, Path.of("precious"));

        assertThatThrownBy(() -> copy(false)).hasMessageContaining("in the place of its temporary file is no file");
        assertThat(local.resolve("precious")).hasContent("precious");
    }

    @Test
    void shouldGiveDirectoriesTheAttributesThatAnEarlierCopyDidNotComeTo() throws Exception {
        write(local.resolve("tree/dir/x"), 10);
        for (String directory : List.of("tree/dir", "tree")) {
            Files.setPosixFilePermissions(local.resolve(directory), PosixFilePermissions.fromString("rwxr-x---"));
            Files.setLastModifiedTime(local.resolve(directory), FileTime.from(MODIFIED));
        }
        mount.hook((operation, path, position) -> {
            if (operation.equals("write")) {
                throw new ServerUnavailableException("server lost", null);
            }
        });
        assertThatThrownBy(() -> host.engine()
                        .copy(List.of(here("tree")), there("/"), RESUME)
                        .run())
                .hasMessageEndingWith("server lost");
        mount.hook((operation, path, position) -> {});

        host.engine().copy(List.of(here("tree")), there("/"), RESUME).run();

        for (String directory : List.of("tree/dir", "tree")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(served.resolve(directory))))
                    .isEqualTo("rwxr-x---");
            assertThat(Files.getLastModifiedTime(served.resolve(directory)).toInstant())
                    .isEqualTo(MODIFIED);
        }
    }

    @Test
    void shouldLeaveADirectoryAsItIsOfWhichOnlyTheContentsAreCopiedTo() throws Exception {
        write(local.resolve("tree/x"), 10);
        Path own = Files.createDirectory(
                served.resolve("own"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));

        host.engine().copy(List.of(here("tree/.")), there("/own"), RESUME).run();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
    }

    @Test
    void shouldLeaveOutFilesThatAreDone() throws Exception {
        for (int i = 0; i < 10; i++) {
            write(served.resolve("tree/f" + i), 10);
        }
        mount.hook((operation, path, position) -> {
            if (operation.equals("open") && path.endsWith("/f5")) {
                throw new IOException("no");
            }
        });
        assertThat(host.engine()
                        .copy(List.of(there("/tree")), here("tree"), RESUME)
                        .run()
                        .failed())
                .hasSize(1);
        mount.hook((operation, path, position) -> {
            if (operation.equals("open")) {
                moved.incrementAndGet();
            }
        });

        CopySummary summary = host.engine()
                .copy(List.of(there("/tree/.")), here("tree"), RESUME)
                .run();

        assertThat(summary.files()).isEqualTo(1);
        assertThat(summary.unchanged()).isEqualTo(9);
        assertThat(local.resolve("tree/f5")).hasSize(10);
        assertThat(moved.get()).isLessThanOrEqualTo(3);
    }
}
