package io.verbena.fuse.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What programs do with files of a mount, by system calls of their own and of this JVM. */
final class FuseFilesTest {
    private static final int BLOCK = 4096;

    @TempDir(factory = MemoryDirectory.class)
    static Path base;

    private static Loopback loopback;

    @BeforeAll
    static void mount() throws IOException {
        FuseFixture.assumeMounts();
        loopback = Loopback.start(base, "");
    }

    @AfterAll
    static void unmount() throws IOException {
        if (loopback != null) {
            loopback.close();
            assertThat(FuseFixture.isMounted(loopback.directory())).isFalse();
        }
    }

    private static Path at(String name) {
        return loopback.directory().resolve(name);
    }

    private static String run(String script) throws IOException, InterruptedException {
        return FuseFixture.run(loopback.directory(), script);
    }

    @Test
    void shouldCarryContentsThroughBothWays() throws IOException {
        byte[] content = new byte[5_000_001];
        new Random(1).nextBytes(content);
        Files.write(at("large"), content);
        assertThat(Files.readAllBytes(loopback.exported().resolve("large"))).isEqualTo(content);
        assertThat(Files.readAllBytes(at("large"))).isEqualTo(content);

        Files.write(loopback.exported().resolve("other"), content);
        assertThat(Files.readAllBytes(at("other"))).isEqualTo(content);
    }

    @Test
    void shouldKeepNamesOfAnyOctets() throws IOException, InterruptedException {
        assertThat(run("mkdir n && cd n && f=$(printf 'a\\377\\001\\303\\050 \\303\\244') && echo x > \"$f\""
                        + " && mkdir \"$f.d\" && ln -s \"$f\" \"$f.l\" && cat \"$f.l\""))
                .isEqualTo("x\n");
        String names = "ls | od -An -tx1 | tr -d ' \\n'";
        assertThat(run("cd n && " + names))
                .isEqualTo(FuseFixture.run(loopback.exported().resolve("n"), names))
                .contains("61ff01c32820c3a4");
    }

    @Test
    void shouldMakeLinksModesAndTimes() throws IOException, InterruptedException {
        Files.writeString(at("first"), "one");
        Files.createLink(at("second"), at("first"));
        Files.createSymbolicLink(at("third"), Path.of("second"));
        assertThat(Files.getAttribute(at("first"), "unix:nlink")).isEqualTo(2);
        assertThat(Files.readString(at("third"))).isEqualTo("one");

        FileTime time = FileTime.from(Instant.parse("2001-02-03T04:05:06.123456789Z"));
        Files.setLastModifiedTime(at("first"), time);
        assertThat(Files.getLastModifiedTime(at("second"))).isEqualTo(time);
        assertThat(Files.getLastModifiedTime(loopback.exported().resolve("first")))
                .isEqualTo(time);
        assertThat(run("chown 12:34 second && chmod 2750 second && stat -c '%a %u %g' first"))
                .isEqualTo("2750 12 34\n");
    }

    @Test
    void shouldTakeAnyTimeAndListTheFileThen() throws IOException, InterruptedException {
        assertThat(run("mkdir times && cd times && touch -d @4611686018427387904 far && touch -d 1902-02-03 past && ls"
                        + " && stat -c %y past | cut -c -10"))
                .isEqualTo("far\npast\n1902-02-03\n");
    }

    @Test
    void shouldMakeFifosAndDevices() throws IOException, InterruptedException {
        assertThat(run("mkfifo -m 640 fifo && stat -c '%F %a' fifo")).isEqualTo("fifo 640\n");
        assumeTrue(FuseFixture.run(loopback.exported(), "mknod allowed c 1 2").isEmpty(), "this host makes no devices");
        String describe = "stat -c '%F %t %T' character block";
        assertThat(run("mknod character c 4095 1048575 && mknod block b 259 300 && " + describe))
                .isEqualTo(FuseFixture.run(loopback.exported(), describe))
                .isEqualTo("character special file fff fffff\nblock special file 103 12c\n");
    }

    @Test
    void shouldAppendAndTruncate() throws IOException, InterruptedException {
        assertThat(run("for i in 1 2 3; do echo $i >> log; done; truncate -s 3 log; echo 4 >> log; cat log"))
                .isEqualTo("1\n24\n");
        // another client makes the file longer: an append goes behind that
        assertThat(run("exec 3>>log; echo a >&3; printf more >> "
                        + loopback.exported().resolve("log") + "; echo b >&3; exec 3>&-; cat "
                        + loopback.exported().resolve("log")))
                .isEqualTo("1\n24\na\nmoreb\n");
    }

    @Test
    void shouldReadAndWriteByMaps() throws IOException {
        Files.write(at("map"), new byte[20_000]);
        try (FileChannel channel = FileChannel.open(at("map"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, 20_000);
            map.put(12_345, (byte) 7);
            map.force();
        }
        assertThat(Files.readAllBytes(loopback.exported().resolve("map"))[12_345])
                .isEqualTo((byte) 7);
    }

    /** A map and a program that writes past the kernel's pages see each other. */
    @Test
    void shouldMapFilesThatAreWrittenDirectly() throws IOException {
        Files.write(at("direct"), new byte[3 * BLOCK]);
        try (FileChannel channel = FileChannel.open(
                at("direct"), StandardOpenOption.READ, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT)) {
            MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, 3 * BLOCK);
            map.put(5, (byte) 1);
            ByteBuffer read = block(0);
            assertThat(channel.read(read, 0)).isEqualTo(BLOCK);
            assertThat(read.get(5)).isEqualTo((byte) 1);

            assertThat(channel.write(block(2), BLOCK)).isEqualTo(BLOCK);
            assertThat(map.get(BLOCK + 5)).isEqualTo((byte) 2);
        }
        byte[] content = Files.readAllBytes(loopback.exported().resolve("direct"));
        assertThat(content[5]).isEqualTo((byte) 1);
        assertThat(content[2 * BLOCK - 1]).isEqualTo((byte) 2);
    }

    /** A block at a boundary of blocks, full of one octet. */
    private static ByteBuffer block(int octet) {
        ByteBuffer block =
                ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(BLOCK).limit(BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            block.put(i, (byte) octet);
        }
        return block;
    }

    /** As on every file system: who may write to a program of another user does not make it do something else. */
    @Test
    void shouldRemoveSetIdBitsWithADirectWrite() throws IOException, InterruptedException {
        Files.write(at("program"), new byte[2 * BLOCK]);
        String write = "setpriv --reuid 1234 --regid 2345 --clear-groups dd if=/dev/zero of=program bs=4096 count=1"
                + " conv=notrunc oflag=direct status=none";
        assertThat(run("chmod 6777 program; " + write + "; stat -c %a program")).isEqualTo("777\n");
        assertThat(run("chmod 6767 program; " + write + "; stat -c %a program"))
                .as("the group may not execute")
                .isEqualTo("2767\n");
        assertThat(run("chmod 6777 program; dd if=/dev/zero of=program bs=4096 count=1 conv=notrunc oflag=direct"
                        + " status=none; stat -c %a program"))
                .as("by root")
                .isEqualTo("6777\n");
    }

    @Test
    void shouldUseFilesWithoutNames() throws IOException {
        Files.writeString(at("gone"), "content");
        try (RandomAccessFile file = new RandomAccessFile(at("gone").toFile(), "rw")) {
            Files.delete(at("gone"));
            file.seek(7);
            file.writeBytes(", more");
            file.seek(0);
            assertThat(file.readLine()).isEqualTo("content, more");
            assertThat(file.length()).isEqualTo(13);
            file.setLength(3);
            assertThat(file.length()).isEqualTo(3);
        }
        assertThat(loopback.exported().resolve("gone")).doesNotExist();
    }

    @Test
    void shouldRenameWithoutFlagsAlone() throws IOException, InterruptedException {
        assertThat(run("mkdir -p r/x && echo 1 > r/x/f && mv r/x r/y && cat r/y/f && echo 2 > r/g && mv r/g r/y/f"
                        + " && cat r/y/f && ls r"))
                .isEqualTo("1\n2\ny\n");
        assertThat(run("cd r && (rmdir y; rm y/f; rmdir y) 2>&1 | grep -c 'not empty'; ls"))
                .isEqualTo("1\n");
    }

    @Test
    void shouldListDirectoriesWhileTheyAreEmptied() throws IOException, InterruptedException {
        assertThat(run("mkdir many && cd many && seq 100 | xargs touch && ls | wc -l && cd .. && rm -r many && ls"
                        + " -d many 2>&1"))
                .startsWith("100\n")
                .contains("No such file");
    }

    @Test
    void shouldTellWhatTheProtocolHasNot() throws IOException, InterruptedException {
        assertThat(run("echo x > no && fallocate -l 4096 no")).contains("not supported");
        assertThat(run("df -P . | tail -1 | wc -w")).isEqualTo("6\n");
    }

    @Test
    void shouldArbitrateLocksOfProcesses() throws IOException, InterruptedException {
        String busy = "flock -n lock true || echo busy";
        Files.writeString(at("lock"), "");
        Process holder = FuseFixture.start(
                loopback.directory(), "exec 3<>lock; flock 3; echo held; read line; flock -u 3; echo free; read line");
        try {
            assertThat(FuseFixture.read(holder, 5)).isEqualTo("held\n");
            assertThat(run(busy)).isEqualTo("busy\n");
            holder.getOutputStream().write('\n');
            holder.getOutputStream().flush();
            assertThat(FuseFixture.read(holder, 5)).isEqualTo("free\n");
            assertThat(run(busy)).isEmpty();
        } finally {
            FuseFixture.end(holder);
        }
    }

    /** More programs wait than other requests have threads; the unlock comes as a wait, too. */
    @Test
    void shouldUnlockHoweverManyWait() throws IOException, InterruptedException {
        Files.writeString(at("many"), "");
        Process holder = FuseFixture.start(
                loopback.directory(),
                "exec 3<>many; flock 3; for i in $(seq 70); do flock many echo x & done; read line; flock -u 3; wait");
        try {
            FuseFixture.awaitThreads("fuse-loop-lock", 70);
            holder.getOutputStream().write('\n');
            holder.getOutputStream().flush();
            assertThat(FuseFixture.read(holder, 140)).isEqualTo("x\n".repeat(70));
        } finally {
            FuseFixture.end(holder);
        }
    }

    @Test
    void shouldGiveNewFilesToWhoMakesThem() throws IOException, InterruptedException {
        assertThat(run("mkdir -m 1777 tmp && setpriv --reuid 1234 --regid 2345 --clear-groups sh -c 'echo x > tmp/f;"
                        + " mkdir tmp/d; ln -s f tmp/l' && stat -c '%u %g' tmp/f tmp/d tmp/l"))
                .isEqualTo("1234 2345\n1234 2345\n1234 2345\n");
        assertThat(run("setpriv --reuid 4321 --regid 4321 --clear-groups sh -c 'echo y > tmp/f; rm -f tmp/f' 2>&1"))
                .contains("Permission denied")
                .contains("not permitted");
    }

    @Test
    void shouldKeepSetIdBitsOfNewFiles() throws IOException, InterruptedException {
        assumeTrue(run("perl -e 1").isEmpty(), "this host has no perl");
        String create = "perl -MFcntl -e 'umask 0027; sysopen(F, \"run\", O_CREAT | O_WRONLY, 06755) or die'";
        assertThat(run("mkdir -m 1777 set && cd set && setpriv --reuid 1234 --regid 2345 --clear-groups " + create
                        + " && stat -c '%a %u %g' run"))
                .isEqualTo("6750 1234 2345\n");
    }
}
