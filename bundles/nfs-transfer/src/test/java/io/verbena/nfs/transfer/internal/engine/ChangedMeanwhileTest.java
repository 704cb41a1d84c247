package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import io.verbena.nfs.transfer.internal.engine.TreeTransfer.Direction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests transfers whose files change while their mount is being replaced. */
@Timeout(120)
class ChangedMeanwhileTest {
    private static final String CHANGED = "was changed or replaced while it was copied; copy it again";

    @TempDir
    Path folder;

    /** The change of a transfer's files while the mount is being replaced. */
    @FunctionalInterface
    private interface Gap {
        void happen(TreeTransfer transfer) throws Exception;
    }

    /** Replaces a mount at the first call of the operation at the given position, and applies a change meanwhile. */
    private static DirectoryMount.Hook replacedAt(
            TreeTransfer transfer, String operation, long position, boolean isUndecided, Gap gap) {
        AtomicInteger times = new AtomicInteger();
        return (each, path, at) -> {
            if (each.equals(operation) && at == position && times.getAndIncrement() == 0) {
                String mount = path.startsWith("/to") ? "b" : "a";
                transfer.host.takeAway(mount);
                try {
                    gap.happen(transfer);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
                transfer.host.comeBack(mount);
                throw new MountReplacedException(mount, isUndecided);
            }
        };
    }

    private static Path part(TreeTransfer transfer) throws IOException {
        try (Stream<Path> files = Files.list(transfer.to)) {
            return files.filter(file -> file.toString().endsWith(".part"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void assertNothingIsHalfDone(TreeTransfer transfer) throws IOException {
        assertThat(TreeTransfer.look(transfer.to)).containsOnlyKeys("empty", "link");
    }

    @ParameterizedTest
    @CsvSource({"RENAMED", "REWRITTEN", "GROWN", "OTHER_SERVER"})
    void shouldNotMixTwoFilesThatHaveHadTheName(String what) throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, "mixed", Direction.GET)) {
            transfer.what = "deep/big";
            Path big = transfer.from.resolve("deep/big");

            assertThatThrownBy(() -> transfer.run(replacedAt(transfer, "read", TreeTransfer.MIB, false, each -> {
                        switch (what) {
                            case "RENAMED" -> {
                                Path other = transfer.from.resolve("deep/new");
                                TreeTransfer.make(other, 2 * TreeTransfer.MIB + 5);
                                Files.move(other, big, StandardCopyOption.REPLACE_EXISTING);
                            }
                            case "REWRITTEN" -> {
                                Object before = Files.getAttribute(big, "unix:ctime");
                                do {
                                    TreeTransfer.make(big, 2 * TreeTransfer.MIB + 5); // size and time are unchanged
                                } while (Files.getAttribute(big, "unix:ctime").equals(before));
                            }
                            case "GROWN" -> Files.write(big, new byte[1], StandardOpenOption.APPEND);
                            default -> {
                                Path other = transfer.served.resolveSibling("other");
                                transfer.host.serve(other);
                                Files.createDirectories(other.resolve("from/deep"));
                                Files.copy(big, other.resolve("from/deep/big"), StandardCopyOption.COPY_ATTRIBUTES);
                            }
                        }
                    })))
                    .hasMessage("a:/from/deep/big: " + CHANGED);

            assertNothingIsHalfDone(transfer);
        }
    }

    @Test
    void shouldCopyTheOthersWhereOneWasReplaced() throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, "partial", Direction.GET)) {
            transfer.jobs = 1;
            DirectoryMount.Hook hook = replacedAt(
                    transfer,
                    "read",
                    TreeTransfer.MIB,
                    false,
                    each -> Files.write(transfer.from.resolve("deep/big"), new byte[1], StandardOpenOption.APPEND));
            transfer.host.mount("a").hook(hook);

            CopySummary summary = transfer.host
                    .engine()
                    .copy(
                            List.of(transfer.host.at("a:/from/.")),
                            MountHost.local(transfer.to.toString()),
                            CopyOptions.of(CopyOptions.Flag.RECURSIVE))
                    .run();

            assertThat(summary.failed()).extracting(CopyFailure::reason).containsExactly(CHANGED);
            assertThat(TreeTransfer.look(transfer.to))
                    .containsOnlyKeys("empty", "link", "deep", "deep/small", "deep/other");
        }
    }

    @Test
    void shouldGoOnWhereTheFileWasOnlyRead() throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, "accessed", Direction.GET)) {
            transfer.what = "deep/big";
            transfer.run(replacedAt(transfer, "read", TreeTransfer.MIB, false, each -> {}));
            assertThat(TreeTransfer.describe(transfer.to.resolve("big")))
                    .isEqualTo(TreeTransfer.describe(transfer.from.resolve("deep/big")));
        }
    }

    @ParameterizedTest
    @CsvSource({"write, 1048576", "setAttributes, 0"})
    void shouldNotWriteOnInAFileThatIsNotItsOwn(String operation, long position) throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, "foreign", Direction.PUT)) {
            transfer.what = "deep/big";
            assertThatThrownBy(() -> transfer.run(replacedAt(transfer, operation, position, true, each -> {
                        Path other = transfer.to.resolve("other");
                        TreeTransfer.make(other, 5);
                        Files.move(other, part(transfer), StandardCopyOption.REPLACE_EXISTING);
                    })))
                    .hasMessage("b:/to/big: its temporary file was replaced while it was copied; copy it again");

            assertThat(part(transfer)).as("somebody else's").hasSize(5);
            Files.delete(part(transfer));
            assertNothingIsHalfDone(transfer);
        }
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldTakeARenameForDoneOnlyWhereItsFileHasTheName(boolean isOther) throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, "renamed", Direction.PUT)) {
            transfer.what = "deep/big";
            DirectoryMount.Hook hook = replacedAt(transfer, "rename", 0, true, each -> {
                Files.move(part(transfer), transfer.to.resolve(isOther ? "elsewhere" : "big"));
                if (isOther) {
                    TreeTransfer.make(transfer.to.resolve("big"), 5);
                }
            });
            if (isOther) {
                assertThatThrownBy(() -> transfer.run(hook)).hasMessage("b:/to/big: " + CHANGED);
                assertThat(transfer.to.resolve("big")).hasSize(5);
            } else {
                transfer.run(hook);
                assertThat(TreeTransfer.describe(transfer.to.resolve("big")))
                        .isEqualTo(TreeTransfer.describe(transfer.from.resolve("deep/big")));
            }
        }
    }
}
