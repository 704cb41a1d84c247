package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.runtime.SystemRuntime;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A mount named {@code a} that shows one directory, and another directory of this host. */
@Timeout(60)
abstract class TransferCase {
    static final CopyOptions TREE = CopyOptions.of(CopyOptions.Flag.RECURSIVE);
    /** The size of the ranges of large files, in tests that use it. */
    static final long STRETCH = 4 << 20;

    static final Instant MODIFIED = Instant.parse("2021-03-04T05:06:07Z");

    @TempDir
    Path served;

    @TempDir
    Path local;

    MountHost host;
    DirectoryMount mount;

    @TempDir
    static Path state;

    /** Keeps the secret of temporary files out of this user's state directory. */
    @BeforeAll
    static void keepState() {
        System.setProperty("verbena.state", state.toString());
    }

    @AfterAll
    static void forgetState() {
        System.clearProperty("verbena.state");
    }

    @BeforeEach
    void start() throws Exception {
        host = new MountHost(served);
        mount = host.mount("a");
    }

    @AfterEach
    void stop() {
        host.close();
    }

    CopySummary copyByStretches(Location from, Location to, CopyOptions options) throws Exception {
        return host.engine(STRETCH).copy(List.of(from), to, options).run();
    }

    /** Returns the path that the engine creates from a location. */
    static TreePath path(Location location) {
        return new Trees(new SystemRuntime()).at(location);
    }

    /** Returns a step in words. */
    static String line(CopyStep step) {
        return switch (step.kind()) {
            case MAKE_DIRECTORY -> "make " + step.path() + "/";
            case COPY, REPLACE -> "copy " + step.path() + " to " + step.target();
            case LINK -> "link " + step.path() + " to " + step.target();
            case REMOVE -> "remove " + step.path();
            case KEEP -> "keep " + step.path() + " as " + step.target();
        };
    }

    Location here(String path) {
        return MountHost.local(local + "/" + path);
    }

    Location there(String path) throws Exception {
        return host.at("a:" + path);
    }

    CopySummary put(String from, String to) throws Exception {
        return host.run(List.of(MountHost.local(local + "/" + from)), host.at("a:" + to), TREE);
    }

    CopySummary get(String from, String to) throws Exception {
        return host.run(List.of(host.at("a:" + from)), MountHost.local(local + "/" + to), TREE);
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
                // The work of the thread has ended, and the thread itself ends shortly.
                thread.join(10_000);
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
    }

    /** Creates a file of zeros, with one other octet at each of these positions. */
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
