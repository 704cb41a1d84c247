package io.verbena.fuse.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.nio.file.ExtendedOpenOption;
import io.verbena.fuse.FuseMount;
import io.verbena.fuse.FuseSettings;
import io.verbena.fuse.internal.kernel.Kernel;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of mounts, servers that go away, and mounts of the server that are replaced. */
final class FuseLifeTest {
    private static final int BLOCK = 4096;

    @TempDir(factory = MemoryDirectory.class)
    Path base;

    private Loopback loopback;

    @BeforeEach
    void check() {
        FuseFixture.assumeMounts();
    }

    @AfterEach
    void unmount() throws IOException {
        if (loopback != null) {
            loopback.close();
            assertThat(FuseFixture.isMounted(loopback.directory())).isFalse();
        }
    }

    @Test
    void shouldWaitForWrittenDataAtTheEnd() throws IOException, InterruptedException {
        loopback = Loopback.start(base, "");
        byte[] content = new byte[30_000_000];
        new Random(2).nextBytes(content);
        Files.write(base.resolve("source"), content);
        assertThat(FuseFixture.run(loopback.directory(), "cat ../source > copy"))
                .isEmpty();
        loopback.fuse().unmount(false, Loopback.LIMIT);
        assertThat(FuseFixture.isMounted(loopback.directory())).isFalse();
        assertThat(loopback.mounts().all()).isEmpty();
        assertThat(Files.readAllBytes(loopback.exported().resolve("copy"))).isEqualTo(content);
    }

    @Test
    void shouldEndByUmountToo() throws IOException, InterruptedException {
        loopback = Loopback.start(base, "");
        assertThat(FuseFixture.run(base, "echo x > mnt/f && umount mnt")).isEmpty();
        assertThat(loopback.fuse().awaitEnd(Loopback.LIMIT)).isTrue();
        assertThat(loopback.fuse().failure()).isEmpty();
    }

    @Test
    void shouldRefuseToUnmountWhatIsUsed() throws IOException, InterruptedException {
        loopback = Loopback.start(base, "");
        Process user = FuseFixture.start(loopback.directory(), "echo here; read line");
        try {
            assertThat(FuseFixture.read(user, 5)).isEqualTo("here\n");
            assertThatThrownBy(() -> loopback.fuse().unmount(false, Loopback.LIMIT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is in use")
                    .hasMessageContaining("--force");
            loopback.fuse().unmount(true, Loopback.LIMIT);
        } finally {
            FuseFixture.end(user);
        }
    }

    @Test
    void shouldRefuseWhatIsNoDirectoryOrMountedAlready() throws IOException {
        loopback = Loopback.start(base, "");
        FuseSettings settings = FuseSettings.defaults(true);
        assertThatThrownBy(() -> loopback.mounts().mount(Loopback.NAME, base.resolve("none"), settings))
                .hasMessageContaining("there is no directory");
        assertThatThrownBy(() -> loopback.mounts().mount(Loopback.NAME, loopback.directory(), settings))
                .hasMessageContaining("is a mount already");
    }

    @Test
    void shouldMountAtTheDirectoryThatALinkNames() throws IOException, InterruptedException {
        loopback = Loopback.start(base, "");
        Path directory = Files.createDirectories(base.resolve("far/away"));
        Path link = Files.createSymbolicLink(base.resolve("link"), Path.of("far/away"));
        Path outer = Files.createSymbolicLink(base.resolve("outer"), Path.of("far"));
        FuseSettings settings = FuseSettings.defaults(true);
        FuseMount made = loopback.mounts().mount(Loopback.NAME, link, settings);
        assertThat(made.directory()).isEqualTo(directory);
        assertThat(FuseFixture.isMounted(directory)).isTrue();
        for (Path name : List.of(directory, link, outer.resolve("away"), link.resolve("../away"))) {
            assertThat(loopback.mounts().at(name)).as("%s", name).containsSame(made);
            assertThatThrownBy(() -> loopback.mounts().mount(Loopback.NAME, name, settings))
                    .hasMessageContaining("is a mount already");
        }
        Files.delete(link); // the end goes by the directory
        made.unmount(false, Loopback.LIMIT);
        assertThat(FuseFixture.isMounted(directory)).isFalse();
        assertThat(loopback.mounts().at(directory)).isEmpty();
    }

    /** The mount itself keeps no program's hold on its directory, which would refuse the unmount. */
    @Test
    void shouldUseNoMountToReadAheadOfIt() throws IOException, InterruptedException {
        loopback = Loopback.start(base, "hard,timeo=5");
        Path directory = Files.createDirectories(base.resolve("a b\\c\nd"));
        int port = loopback.stopServer();
        FuseMount made = loopback.mounts().mount(Loopback.NAME, directory, FuseSettings.defaults(true));
        FuseFixture.awaitContent(FuseFixture.readAhead(directory), "4096");
        made.unmount(false, Loopback.LIMIT);
        assertThat(loopback.mounts().at(directory)).isEmpty();
        loopback.startServerAgain(port);
    }

    /** As when verbena mount is killed by SIGKILL. */
    @Test
    void shouldTellHowADeadMountEnds() throws IOException {
        loopback = Loopback.start(base, "");
        FuseSettings settings = FuseSettings.defaults(true);
        Path dead = Files.createDirectories(base.resolve("dead"));
        Kernel kernel = Kernel.load();
        kernel.mount("host:/", dead, settings).close();
        try {
            assertThatThrownBy(() -> loopback.mounts().mount(Loopback.NAME, dead, settings))
                    .hasMessageContaining("'umount " + dead + "'");
        } finally {
            assertThat(kernel.unmount(dead, false)).isZero();
        }
    }

    @Test
    void shouldFailWithEioWhenTheServerOfASoftMountIsGone() throws IOException, InterruptedException {
        loopback = Loopback.start(base, "soft,timeo=5,retrans=0,actimeo=0");
        assertThat(FuseFixture.run(loopback.directory(), "echo x > f && cat f")).isEqualTo("x\n");
        int unused = loopback.stopServer();
        assertThat(FuseFixture.run(base, "cat mnt/f; mkdir mnt/d")).contains("Input/output error");
    }

    @Test
    void shouldEndWaitsForAHardMountByAKill() throws IOException, InterruptedException {
        loopback = Loopback.start(base, "hard,timeo=5,actimeo=0");
        assertThat(FuseFixture.run(loopback.directory(), "echo x > f && cat f")).isEqualTo("x\n");
        int port = loopback.stopServer();
        Process waiting = FuseFixture.start(base, "echo begun; exec cat mnt/f");
        try {
            assertThat(FuseFixture.read(waiting, 6)).isEqualTo("begun\n");
            // a stop of the kernel's own makes sure that it waits: a second process is killed by a time-out
            assertThat(FuseFixture.run(base, "timeout -s INT 1 cat mnt/f")).isEqualTo("status 124\n");
            assertThat(waiting.isAlive()).isTrue();
        } finally {
            FuseFixture.end(waiting);
        }
        assertThat(waiting.waitFor(60, TimeUnit.SECONDS)).isTrue();
        loopback.fuse().unmount(false, Loopback.LIMIT);
        assertThat(FuseFixture.isMounted(loopback.directory())).isFalse();
        loopback.startServerAgain(port);
    }

    @Test
    void shouldEndAtOnceByForceWhatTheServerOfAHardMountDoesNotTake() throws IOException, InterruptedException {
        loopback = Loopback.start(base, "hard,timeo=5");
        FileOutputStream file =
                new FileOutputStream(loopback.directory().resolve("f").toFile());
        int port = loopback.stopServer();
        file.write(1); // it is answered before the server has it
        assertThatThrownBy(() -> loopback.fuse().unmount(true, Duration.ofSeconds(1)))
                .hasMessageContaining("is lost");
        assertThat(loopback.fuse().awaitEnd(Loopback.LIMIT)).isTrue();
        assertThatThrownBy(file::close).isInstanceOf(IOException.class);
        assertThat(loopback.mounts().all()).isEmpty();
        loopback.startServerAgain(port);
    }

    @Test
    void shouldCarryAHardMountOverARestartOfTheServer() throws IOException, InterruptedException {
        loopback = Loopback.start(base, "hard,timeo=5");
        Process writer = FuseFixture.start(
                loopback.directory(), "exec 3>f; echo one >&3; echo begun; read line; echo two >&3; echo done");
        try {
            assertThat(FuseFixture.read(writer, 6)).isEqualTo("begun\n");
            int port = loopback.stopServer();
            writer.getOutputStream().write('\n');
            writer.getOutputStream().close();
            loopback.startServerAgain(port);
            assertThat(new String(writer.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("done\n");
            assertThat(writer.waitFor()).isZero();
        } finally {
            FuseFixture.end(writer);
        }
        assertThat(Files.readString(loopback.exported().resolve("f"))).isEqualTo("one\ntwo\n");
    }

    /** The kernel lets threads write to different blocks of a file at once. */
    @Test
    void shouldHaveDirectWritesUnderWayAtOnce() throws Exception {
        assumeTrue(FuseFixture.isKernelSince(6, 6), "this kernel lets one thread at a time write by O_DIRECT");
        loopback = Loopback.start(base, "hard,timeo=5");
        Path figures = Files.createDirectory(base.resolve("figures"));
        FuseFixture.mountFigures(figures);
        try {
            writeAtOnce(FuseFixture.requests(figures, loopback.directory()));
        } finally {
            FuseFixture.unmountFigures(figures);
        }
        byte[] content = Files.readAllBytes(loopback.exported().resolve("f"));
        assertThat(List.of(content[0], content[BLOCK], content[2 * BLOCK], content[3 * BLOCK]))
                .containsExactly((byte) 1, (byte) 2, (byte) 3, (byte) 0);
    }

    /** Writes three blocks while the server is away. */
    private void writeAtOnce(Path requests) throws Exception {
        Path file = loopback.directory().resolve("f");
        Files.write(file, new byte[4 * BLOCK]);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT)) {
            int port = loopback.stopServer();
            List<Future<Integer>> writes = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    ByteBuffer block = ByteBuffer.allocateDirect(2 * BLOCK)
                            .alignedSlice(BLOCK)
                            .limit(BLOCK);
                    block.put(0, (byte) (i + 1));
                    long at = (long) i * BLOCK;
                    writes.add(threads.submit(() -> channel.write(block, at)));
                }
                FuseFixture.awaitRequests(requests, 3);
            } finally {
                loopback.startServerAgain(port); // else the file cannot be closed
            }
            for (Future<Integer> each : writes) {
                assertThat(each.get(60, TimeUnit.SECONDS)).isEqualTo(BLOCK);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void shouldCarryACopyOverReplacedMounts() throws IOException, InterruptedException {
        loopback = Loopback.start(base, "");
        byte[] content = new byte[40_000_000];
        new Random(3).nextBytes(content);
        Files.write(base.resolve("source"), content);
        Process copy = FuseFixture.start(
                base,
                "exec 3>mnt/copy; dd bs=1M count=5 if=source status=none >&3; echo begun;"
                        + " dd bs=1M skip=5 if=source status=none >&3; exec 3>&-; cmp source mnt/copy && echo same");
        try {
            assertThat(FuseFixture.read(copy, 6)).isEqualTo("begun\n");
            for (int i = 0; i < 3; i++) {
                loopback.replaceMount();
            }
            assertThat(new String(copy.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("same\n");
        } finally {
            FuseFixture.end(copy);
        }
        assertThat(Files.readAllBytes(loopback.exported().resolve("copy"))).isEqualTo(content);
    }
}
