package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.FileType;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.internal.block.BlockObserver;
import io.verbena.nfs.transfer.internal.block.BlockPump;
import io.verbena.nfs.transfer.internal.block.CountingSource;
import io.verbena.nfs.transfer.internal.block.FileRange;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the content of single files, and the time at which they become visible. */
class CopyContentTest extends TransferCase {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1048575, 1048576, 1048577, 20_000_000})
    void shouldKeepContentModeAndTimeBothWays(int size) throws Exception {
        byte[] content = write(local.resolve("file"), size);

        CopySummary put = put("file", "/copy");
        CopySummary got = get("/copy", "back");

        for (Path copy : List.of(served.resolve("copy"), local.resolve("back"))) {
            assertThat(copy).hasBinaryContent(content);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                    .isEqualTo("rwxr-x--x");
            assertThat(Files.getLastModifiedTime(copy).toInstant()).isEqualTo(MODIFIED);
        }
        assertThat(put.files()).isEqualTo(1);
        assertThat(got.octets()).isEqualTo(size);
    }

    @Test
    void shouldKeepATimeBefore1970() throws Exception {
        Path file = local.resolve("old");
        path(MountHost.local(Files.createFile(file).toString()))
                .setAttributes(FileType.REGULAR, 0600, Instant.parse("1960-01-02T03:04:05.6Z"));
        assertThat(Files.getLastModifiedTime(file).toInstant()).isEqualTo(Instant.parse("1960-01-02T03:04:05.6Z"));
    }

    @Test
    void shouldKeepSeveralReadsInFlight() throws Exception {
        write(served.resolve("file"), 10 << 20);
        CountDownLatch severalAsked = new CountDownLatch(1);
        AtomicInteger inFlight = new AtomicInteger();
        Location source = host.at("a:/file");

        try (BlockSource file = path(source).read()) {
            BlockSource counting = new CountingSource(file, inFlight, severalAsked);
            mount.hook((operation, path, position) -> {
                if (operation.equals("read")) {
                    awaitOrFail(severalAsked);
                }
            });
            try (BlockSink sink = path(here("back")).write(true)) {
                new BlockPump(
                                new SystemRuntime(),
                                counting,
                                sink,
                                new BlockPump.Names("from", "to"),
                                FileRange.WHOLE,
                                BlockObserver.NONE,
                                false)
                        .run();
            }
        }

        assertThat(Files.mismatch(served.resolve("file"), local.resolve("back")))
                .isEqualTo(-1);
    }

    @Test
    void shouldLeaveHolesAsHoles() throws Exception {
        long size = (64L << 20) + 1;
        sparse(local.resolve("sparse"), size, 30 << 20);
        AtomicInteger writes = new AtomicInteger();
        mount.hook((operation, path, position) -> {
            if (operation.equals("write")) {
                writes.incrementAndGet();
            }
        });

        put("sparse", "/sparse");
        get("/sparse", "back");

        assertThat(writes).hasValue(1);
        assertThat(served.resolve("sparse")).hasSize(size);
        assertThat(Files.mismatch(local.resolve("sparse"), local.resolve("back")))
                .isEqualTo(-1);
    }

    @Test
    void shouldReplaceAFileOnlyWhenTheNewOneIsWhole() throws Exception {
        write(served.resolve("file"), 5 << 20);
        Files.writeString(local.resolve("file"), "old");
        mount.hook((operation, path, position) -> {
            if (operation.equals("read") && position >= 3 << 20) {
                throw new IOException("connection lost");
            }
        });

        assertThatThrownBy(() -> get("/file", "file"))
                .isInstanceOf(IOException.class)
                .hasMessage("a:/file: connection lost");

        assertThat(local.resolve("file")).hasContent("old");
        assertThat(names(local)).containsExactly("file");
    }

    @Test
    void shouldNoticeAFileThatGetsShorter() throws Exception {
        write(served.resolve("file"), 5 << 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("read") && position == 0) {
                Files.write(served.resolve("file"), new byte[10]);
            }
        });

        assertThatThrownBy(() -> get("/file", "file")).hasMessageContaining("a:/file: became shorter");
        assertThat(local).isEmptyDirectory();
    }

    /** A block after a block of zeros is read directly, and the block after that through the page cache. */
    @Test
    void shouldReadHolesAndWhatIsBetweenThem() throws Exception {
        long size = (12L << 20) + 5;
        sparse(local.resolve("sparse"), size, 0, (3 << 20) - 1, 3 << 20, 7 << 20, (8 << 20) + 4096, 12 << 20);

        put("sparse", "/sparse");

        assertThat(Files.mismatch(local.resolve("sparse"), served.resolve("sparse")))
                .isEqualTo(-1);
    }

    @Test
    void shouldMoveAllPartsOfALargeFileAtATime() throws Exception {
        long size = 3 * STRETCH + 12_345;
        sparse(local.resolve("large"), size, 0, STRETCH - 1, 2 * STRETCH + 1, size - 1);
        CountDownLatch together = new CountDownLatch(3);
        mount.hook((operation, path, position) -> {
            if (operation.equals("open")) {
                together.countDown();
            } else if (operation.equals("write") && position == 0) {
                awaitOrFail(together);
            }
        });

        CopySummary put = copyByStretches(here("large"), there("/large"), TREE);

        assertThat(put.octets()).isEqualTo(size);
        assertThat(Files.mismatch(local.resolve("large"), served.resolve("large")))
                .isEqualTo(-1);
        assertThat(names(served)).containsExactly("large");
    }

    /** Changes an octet that was already read, and advances the time of modification of the file. */
    private static void change(Path file, long position) throws IOException {
        try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
            content.seek(position);
            int old = content.read();
            content.seek(position);
            content.write(old ^ 0xff);
        }
        Files.setLastModifiedTime(file, FileTime.from(MODIFIED.plusSeconds(100)));
    }

    @ParameterizedTest
    @CsvSource({"write, true", "write, false", "read, true", "read, false"})
    void shouldNoticeThatASmallFileIsChangedWhileItIsCopied(String operation, boolean isPreserving) throws Exception {
        boolean isPut = operation.equals("write");
        Path source = (isPut ? local : served).resolve("tree/x");
        Path copy = (isPut ? served : local).resolve("copy/x");
        write(source, 3 << 20);
        AtomicBoolean isChanged = new AtomicBoolean();
        mount.hook((each, path, position) -> {
            if (each.equals(operation) && isChanged.compareAndSet(false, true)) {
                change(source, position);
            }
        });
        Location from = isPut ? here("tree") : there("/tree");
        Location to = isPut ? there("/copy") : here("copy");

        CopySummary summary = host.engine()
                .copy(List.of(from), to, TREE.with(Flag.PRESERVE, isPreserving))
                .run();

        assertThat(summary.failed())
                .extracting(CopyFailure::reason)
                .containsExactly("changed while it was copied; copy it again");
        assertThat(copy).doesNotExist();
        assertThat(host.engine()
                        .copy(List.of(from), to, CopyOptions.of(Flag.RECURSIVE, Flag.SYNC))
                        .run()
                        .files())
                .isEqualTo(1);
        assertThat(Files.mismatch(source, copy)).isEqualTo(-1);
    }

    /** The time of modification of the copy determines whether the next synchronisation copies the file. */
    @Test
    void shouldShowAChangeThatComesAfterAllWasRead() throws Exception {
        Path source = served.resolve("tree/x");
        write(source, 10);
        AtomicInteger looks = new AtomicInteger();
        mount.hook((each, path, position) -> {
            // The request reads the attributes that -p keeps, after the content was read.
            if (each.equals("attributes") && path.equals("/tree/x") && looks.incrementAndGet() == 1) {
                change(source, 0);
            }
        });
        CopyOptions options = CopyOptions.of(Flag.RECURSIVE, Flag.SYNC, Flag.PRESERVE);

        assertThat(host.engine()
                        .copy(List.of(there("/tree")), here("copy"), options)
                        .run()
                        .files())
                .isEqualTo(1);
        assertThat(looks).hasValue(1);

        assertThat(host.engine()
                        .copy(List.of(there("/tree")), here("copy"), options)
                        .run()
                        .files())
                .isEqualTo(1);
        assertThat(Files.mismatch(source, local.resolve("copy/x"))).isEqualTo(-1);
    }

    @Test
    void shouldNotMixTwoFilesThatHadOneName() throws Exception {
        sparse(local.resolve("large"), 2 * STRETCH, 0);
        mount.hook((operation, path, position) -> {
            if (operation.equals("write")) {
                Files.setLastModifiedTime(local.resolve("large"), FileTime.from(MODIFIED));
            }
        });

        assertThatThrownBy(() -> copyByStretches(here("large"), there("/large"), TREE))
                .hasMessageEndingWith("changed while it was copied; copy it again");
        assertThat(served).isEmptyDirectory();
    }
}
