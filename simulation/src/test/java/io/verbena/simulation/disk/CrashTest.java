package io.verbena.simulation.disk;

import static io.verbena.simulation.disk.DiskFixture.BEST;
import static io.verbena.simulation.disk.DiskFixture.WORST;
import static io.verbena.simulation.disk.DiskFixture.force;
import static io.verbena.simulation.disk.DiskFixture.name;
import static io.verbena.simulation.disk.DiskFixture.read;
import static io.verbena.simulation.disk.DiskFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.FileReference;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CrashTest {
    private final DiskFixture fixture = new DiskFixture();

    @Test
    void shouldKeepASyncedFile() throws Exception {
        FileReference file = fixture.file("file", "content");
        force(file);
        fixture.crash(WORST);
        assertThat(fixture.content("file")).isEqualTo("content");
    }

    @Test
    void shouldForgetWhatWasNotSynced() throws Exception {
        fixture.file("file", "content").close();
        assertThat(fixture.disk.isAllStable()).isFalse();
        fixture.crash(WORST);
        assertThat(fixture.paths()).isEmpty();
        assertThat(fixture.disk.isAllStable()).isTrue();
    }

    @Test
    void shouldKeepNamesOfASyncedDirectoryAndNotTheContent() throws Exception {
        fixture.file("file", "content").close();
        fixture.root.sync();
        fixture.file("later", "").close();
        fixture.crash(WORST);
        assertThat(fixture.paths()).containsExactly("file");
        assertThat(fixture.content("file")).isEmpty();
    }

    @Test
    void shouldKeepAllOfASyncedFileSystem() throws Exception {
        Directory dir = fixture.directory("dir");
        dir.createSymbolicLink(name("link"), name("text"));
        write(dir.createFile(name("file"), 0600), 5000, "content");
        assertThat(fixture.root.syncFileSystem()).isTrue();
        long hash = fixture.disk.view().hash();
        assertThat(fixture.disk.stableView().hash()).isEqualTo(hash);
        fixture.crash(WORST);
        assertThat(fixture.disk.view().hash()).isEqualTo(hash);
    }

    @Test
    void shouldKeepEverythingWhereTheKernelHasWrittenAll() throws Exception {
        write(fixture.file("file", "content"), 9000, "more");
        long hash = fixture.disk.view().hash();
        fixture.crash(BEST);
        assertThat(fixture.disk.view().hash()).isEqualTo(hash);
    }

    @Test
    void shouldFailWhateverIsOpen() throws Exception {
        FileReference file = fixture.file("file", "content");
        FileChannel channel = file.open(true);
        force(file);
        Directory before = fixture.root;
        fixture.crash(WORST);
        assertThatThrownBy(file::status).isInstanceOfSatisfying(ErrnoException.class, e -> assertThat(e.errno())
                .isEqualTo(Errno.EIO));
        assertThatThrownBy(before::sync).isInstanceOf(ErrnoException.class);
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1))).hasMessage("Input/output error");
        assertThatThrownBy(() -> channel.force(true)).hasMessage("Input/output error");
        channel.close();
        file.close();
        assertThat(read(fixture.root.refer(name("file")))).isEqualTo("content");
    }

    @Test
    void shouldFreeAnOpenFileWithoutAName() throws Exception {
        FileReference file = fixture.file("file", "content");
        force(file);
        fixture.root.remove(name("file"), false);
        long free = fixture.disk.fileStore().getUsableSpace();
        fixture.crash(BEST);
        assertThat(fixture.paths()).isEmpty();
        assertThat(fixture.disk.fileStore().getUsableSpace()).isEqualTo(free + 4096);
    }

    @Test
    void shouldBringBackARemovedNameThatWasNotSynced() throws Exception {
        FileReference file = fixture.file("file", "content");
        force(file);
        file.close();
        fixture.root.remove(name("file"), false);
        fixture.crash(WORST);
        assertThat(fixture.content("file")).isEqualTo("content");
        assertThat(fixture.root.status(name("file")).linkCount()).isEqualTo(1);
    }

    @Test
    void shouldCommitARenameWithAForceOfTheFile() throws Exception {
        FileReference file = fixture.file("file", "content");
        Directory dir = fixture.directory("dir");
        fixture.root.rename(name("file"), dir, name("moved"));
        force(file);
        fixture.crash(WORST);
        assertThat(fixture.paths()).containsExactly("dir", "dir/moved");
    }

    @Test
    void shouldTearWritesByPagesAlone() throws Exception {
        String old = "o".repeat(3 * 4096);
        Set<String> outcomes = new TreeSet<>();
        for (int seed = 0; seed < 300; seed++) {
            DiskFixture each = new DiskFixture();
            FileReference file = each.file("file", old);
            force(file);
            write(file, 0, "n".repeat(3 * 4096));
            each.crash(new SplittableRandom(seed));
            String left = each.content("file");
            assertThat(left).matches("(o{4096}|n{4096}){3}");
            outcomes.add("" + left.charAt(0) + left.charAt(4096) + left.charAt(8192));
        }
        assertThat(outcomes).hasSize(8);
    }

    @Test
    void shouldLeaveAnyOfTheLaterContentsOfAPage() throws Exception {
        Set<String> outcomes = new TreeSet<>();
        for (int seed = 0; seed < 100; seed++) {
            DiskFixture each = new DiskFixture();
            FileReference file = each.file("file", "0");
            force(file);
            for (String next : List.of("1", "2", "3")) {
                write(file, 0, next);
            }
            each.crash(new SplittableRandom(seed));
            outcomes.add(each.content("file"));
        }
        assertThat(outcomes).containsExactly("0", "1", "2", "3");
    }

    @Test
    void shouldNotBringBackWhatAForcedTruncationHasCut() throws Exception {
        FileReference file = fixture.file("file", "secret");
        force(file);
        try (FileChannel channel = file.open(true)) {
            channel.truncate(2);
            channel.write(ByteBuffer.wrap(name("x")), 5);
            channel.force(false);
        }
        fixture.crash(WORST);
        assertThat(fixture.content("file")).isEqualTo("se\0\0\0x");
    }

    /** A write behind a truncation would leave a content of the old size, which the file never had. */
    @Test
    void shouldWriteNothingBehindATruncationThatTheJournalLacks() throws Exception {
        Set<String> outcomes = new TreeSet<>();
        for (int seed = 0; seed < 200; seed++) {
            DiskFixture each = new DiskFixture();
            FileReference file = each.file("file", "long secret");
            force(file);
            try (FileChannel channel = file.open(true)) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(name("x")), 5);
            }
            each.crash(new SplittableRandom(seed));
            outcomes.add(each.content("file"));
        }
        assertThat(outcomes).containsExactly("", "\0\0\0\0\0x", "long secret");
    }

    @Test
    void shouldWriteNothingInTheBackgroundBehindATruncationThatTheJournalLacks() throws Exception {
        FileReference file = fixture.file("file", "long secret");
        force(file);
        try (FileChannel channel = file.open(true)) {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(name("x")), 5);
        }
        fixture.disk.writeBack(WORST);
        assertThat(fixture.disk.stableView().read("file")).isEqualTo(name("long secret"));
        fixture.disk.writeBack(BEST);
        assertThat(fixture.disk.stableView().read("file")).isEqualTo(name("\0\0\0\0\0x"));
    }

    @Test
    void shouldForceWhatWasThereWhenTheForceBegan() throws Exception {
        FileReference file = fixture.file("file", "1");
        fixture.hook = (operation, octets) -> {
            if (operation == DiskOperation.FORCE) {
                fixture.hook = LatencyHook.NONE;
                assertThat(octets).isEqualTo(4096);
                for (int each = 2; each < 10; each++) {
                    String next = "" + each;
                    other(() -> write(file, 0, next));
                }
                other(() -> fixture.file("beside", "").close());
            }
        };
        force(file);
        assertThat(fixture.content("file")).isEqualTo("9");
        fixture.crash(WORST);
        assertThat(fixture.content("file")).isEqualTo("1");
        assertThat(fixture.paths()).containsExactly("file");
    }

    @Test
    void shouldNotTakeBackWhatAnotherForceHasBroughtMeanwhile() throws Exception {
        FileReference file = fixture.file("file", "1");
        fixture.hook = (operation, octets) -> {
            if (operation == DiskOperation.FORCE) {
                fixture.hook = LatencyHook.NONE;
                other(() -> write(file, 0, "2"));
                other(() -> force(file));
            }
        };
        force(file);
        fixture.crash(WORST);
        assertThat(fixture.content("file")).isEqualTo("2");
    }

    @Test
    void shouldFailAForceDuringWhichThePowerFails() throws Exception {
        FileReference file = fixture.file("file", "1");
        FileChannel channel = file.open(true);
        fixture.hook = (operation, octets) -> {
            if (operation == DiskOperation.FORCE) {
                fixture.crash(WORST);
            }
        };
        assertThatThrownBy(() -> channel.force(true)).hasMessage("Input/output error");
        assertThat(fixture.paths()).isEmpty();
    }

    @Test
    void shouldKeepWhatTheKernelHasWrittenInTheBackground() throws Exception {
        FileReference file = fixture.file("file", "content");
        for (int seed = 0; seed < 50; seed++) {
            fixture.disk.writeBack(new SplittableRandom(seed));
        }
        assertThat(fixture.disk.isAllStable()).isTrue();
        write(file, 0, "C");
        fixture.disk.writeAll();
        fixture.crash(WORST);
        assertThat(fixture.content("file")).isEqualTo("Content");
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /** Runs a step of another thread. */
    private static void other(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
