package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.ExitStatus;
import io.verbena.cli.Shell;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Providers;
import io.verbena.cli.internal.TestHost;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.IOException;
import java.io.InterruptedIOException;
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
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A shell with a mount named {@code a} that shows one directory, and another directory of this host. */
@Timeout(60)
abstract class TransferCase {
    static final Instant MODIFIED = Instant.parse("2021-03-04T05:06:07Z");

    @TempDir
    Path served;

    @TempDir
    Path local;

    TestHost host;
    DirectoryMount mount;
    Shell shell;

    @BeforeEach
    void start() throws Exception {
        host = new TestHost(served);
        mount = host.mount("a");
        shell = new Shell(Mounts.class, host.mounts(), host.exports(), new Providers());
    }

    @AfterEach
    void stop() {
        shell.close();
        host.close();
    }

    final AbstractThrowableAssert<?, ? extends Throwable> assertFails(ExitStatus status, String command) {
        return assertThatThrownBy(() -> shell.run(command))
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(status))
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("\n", "Exception"));
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
}
