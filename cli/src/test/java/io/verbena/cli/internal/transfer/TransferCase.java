package io.verbena.cli.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.internal.DirectoryMount;
import io.verbena.cli.internal.TestHost;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A mount named {@code a} of one directory, and another directory of this host. */
@Timeout(60)
abstract class TransferCase {
    static final CopyOptions TREE = CopyOptions.of(CopyOptions.Flag.RECURSIVE);
    /** Of large files, where a test says so. */
    static final long STRETCH = 4 << 20;

    static final Instant MODIFIED = Instant.parse("2021-03-04T05:06:07Z");

    @TempDir
    Path served;

    @TempDir
    Path local;

    TestHost host;
    DirectoryMount mount;

    @BeforeEach
    void start() throws Exception {
        host = new TestHost(served);
        mount = host.mount("a");
    }

    @AfterEach
    void stop() {
        host.close();
    }

    Summary copyByStretches(Location from, Location to, CopyOptions options) throws Exception {
        return new Copy(List.of(from), to, options, TransferClock.SYSTEM, STRETCH).run();
    }

    Location here(String path) {
        return Location.local(local + "/" + path);
    }

    Location there(String path) throws Exception {
        return Location.remote("a:" + path, host.mounts());
    }

    Summary put(String from, String to) throws Exception {
        return Copy.run(List.of(Location.local(local + "/" + from)), Location.remote("a:" + to, host.mounts()), TREE);
    }

    Summary get(String from, String to) throws Exception {
        return Copy.run(List.of(Location.remote("a:" + from, host.mounts())), Location.local(local + "/" + to), TREE);
    }

    static byte[] write(Path file, int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x--x"));
        Files.setLastModifiedTime(file, FileTime.from(MODIFIED));
        return content;
    }

    static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    static void awaitOrFail(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new IOException("waited in vain");
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    static void assertNoThreadIsLeft() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("verbena-copy")) {
                // its work has ended, it is only a moment away from its own end
                thread.join(10_000);
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
    }

    /** A file of zeros with one octet that is none, for each of these positions. */
    static void sparse(Path file, long size, long... positions) throws IOException {
        try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
            content.setLength(size);
            for (long position : positions) {
                content.seek(position);
                content.write(1);
            }
        }
    }
}
