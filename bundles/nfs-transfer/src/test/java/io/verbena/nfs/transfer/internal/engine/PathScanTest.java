package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.nfs.transfer.fixture.PathScan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests by the system calls that a copy resolves one name at a time below what the user named. */
class PathScanTest extends TransferCase {
    @Test
    @Timeout(300)
    void shouldResolveOneNameAtATimeBelowSourceAndTarget() throws Exception {
        assumeTrue(PathScan.isAvailable(), "there is no strace that may trace");
        Path source = Files.createDirectory(local.resolve("source"));
        Path target = Files.createDirectory(local.resolve("target"));
        write(source.resolve("a/b/c/file"), 100_000);
        write(source.resolve("a/empty"), 0);
        Files.createLink(source.resolve("a/hard"), source.resolve("a/b/c/file"));
        Files.createSymbolicLink(source.resolve("a/b/link"), Path.of("c/file"));
        write(target.resolve("surplus/deep/file"), 10);
        write(target.resolve("a/b/c/file"), 10);
        write(target.resolve("a/b/link/was/a/directory"), 10);
        Files.delete(Files.createDirectories(served.resolve("tree")));

        List<String> calls = PathScan.trace(
                ScannedCopies.class,
                local.resolve("trace"),
                List.of(served.toString(), source.toString(), target.toString()));

        assertThat(PathScan.violations(calls, List.of(source, target))).isEmpty();
        assertThat(PathScan.byDescriptor(calls)).as("the scan sees the calls").hasSizeGreaterThan(100);
        assertThat(target.resolve("a/b/c/file")).hasSameBinaryContentAs(source.resolve("a/b/c/file"));
        assertThat(target.resolve("surplus")).doesNotExist();
    }

    @Test
    void shouldFindCallsThatResolveMoreThanOneName() {
        List<Path> tops = List.of(Path.of("/top"));
        List<String> bad = List.of(
                "12 openat(AT_FDCWD, \"/top/a\", O_RDONLY) = 3",
                "openat(7, \"a/b\", O_RDONLY) = 3",
                "12 renameat(7, \"a\", 8, \"b/c\") = 0",
                "12 newfstatat(AT_FDCWD, \"/top/a/b\", {st_mode=S_IFREG}, 0) = 0");
        List<String> good = List.of(
                "12 openat(AT_FDCWD, \"/top/.\", O_RDONLY) = 3",
                "12 openat(AT_FDCWD, \"/topmost/a\", O_RDONLY) = 3",
                "12 symlinkat(\"/top/a\", 7, \"a\") = 0",
                "12 readlinkat(7, \"\", \"/top/a\", 4096) = 6",
                "12 openat(AT_FDCWD, \"/proc/self/fd/7\", O_RDONLY) = 3");

        assertThat(PathScan.violations(bad, tops)).isEqualTo(bad);
        assertThat(PathScan.violations(good, tops)).isEmpty();
    }
}
