package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scripts of a user that transfer files: successes and failures. */
final class FilesIT {
    private static final long BEYOND_32_BITS = (4L << 30) + 1;

    @TempDir
    private Path folder;

    private Launcher verbena;
    private Path served;
    private Path local;

    @BeforeEach
    void setUp() throws IOException {
        verbena = new Launcher(folder);
        served = Files.createDirectory(folder.resolve("served"));
        local = Files.createDirectory(folder.resolve("local"));
    }

    /** The commands that export {@link #served} and mount it as {@code a}. */
    private List<String> mounted() throws IOException {
        int port = Launcher.freePort();
        return List.of(
                "nfs:export --no-root-squash --port " + port + " --name e " + served,
                "nfs:mount -o proto=rdma,port=" + port + " 127.0.0.1:/ a");
    }

    private Launcher.Result run(List<String> first, String... commands) throws Exception {
        return verbena.runWithInput(String.join("\n", first) + "\n" + String.join("\n", commands) + "\n", "-");
    }

    private static void random(Path file, int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
    }

    @Test
    void shouldMoveFilesOfAllKindsBothWays() throws Exception {
        Path tree = local.resolve("tree");
        random(tree.resolve("empty"), 0);
        random(tree.resolve("one"), 1);
        random(tree.resolve("näme with spaces ✓"), 100_000);
        random(tree.resolve("a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/deep"), 3_000_000);
        Files.createSymbolicLink(tree.resolve("link"), Path.of("one"));
        Files.setPosixFilePermissions(tree.resolve("one"), PosixFilePermissions.fromString("r-xr-x---"));
        try (RandomAccessFile sparse =
                new RandomAccessFile(tree.resolve("sparse").toFile(), "rw")) {
            sparse.seek(BEYOND_32_BITS - 1);
            sparse.write(7);
        }

        Launcher.Result run = run(
                mounted(),
                "nfs:put -r " + tree + " a:/",
                "nfs:ls -l a:/tree",
                "nfs:sha256 'a:/tree/näme with spaces ✓' '" + tree + "/näme with spaces ✓'",
                "nfs:get -r a:/tree " + local + "/back",
                "nfs:mv a:/tree/one a:/tree/two; nfs:chmod 600 a:/tree/two; nfs:stat a:/tree/two",
                "nfs:mounts; nfs:exports; rdma:devices; rdma:connections",
                "nfs:rm -r a:/tree",
                "nfs:unmount a",
                "nfs:unexport e");

        assertThat(run.failures()).isEmpty();
        assertThat(run.err())
                .containsPattern("put 6 files, \\d+ octets, .* MB/s")
                .endsWith("unmounted a\nunexported e\n");
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .containsPattern("-r-xr-x--- +1 +\\S+ +\\S+ +1 +\\S+Z +one\n")
                .contains("link -> one", String.valueOf(BEYOND_32_BITS))
                .containsPattern("mode +0600 -rw-------");
        assertThat(run.out().lines().filter(line -> line.endsWith("näme with spaces ✓")))
                .anySatisfy(line -> assertThat(line).contains("  a:/tree/"))
                .map(line -> line.substring(0, 20))
                .satisfies(digests ->
                        assertThat(digests.get(digests.size() - 1)).isEqualTo(digests.get(digests.size() - 2)));
        assertSame(tree, local.resolve("back"));
        assertThat(served).isEmptyDirectory();
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    private static void assertSame(Path expected, Path found) throws IOException {
        try (Stream<Path> files = Files.walk(expected)) {
            for (Path file : files.toList()) {
                Path copy = found.resolve(expected.relativize(file).toString());
                if (Files.isSymbolicLink(file)) {
                    assertThat(Files.readSymbolicLink(copy)).isEqualTo(Files.readSymbolicLink(file));
                } else {
                    assertThat(Files.getPosixFilePermissions(copy)).isEqualTo(Files.getPosixFilePermissions(file));
                    assertThat(modified(copy)).isEqualTo(modified(file));
                    assertThat(Files.isDirectory(file) || Files.mismatch(file, copy) == -1)
                            .as(file.toString())
                            .isTrue();
                }
            }
        }
    }

    /** The time of modification in microseconds, the precision that Java can set. */
    private static Instant modified(Path file) throws IOException {
        return Files.getLastModifiedTime(file).toInstant().truncatedTo(ChronoUnit.MICROS);
    }

    @Test
    void shouldTellInOneLineWhyItCannotMount() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Launcher.Result run = run(
                    mounted(),
                    tried("nfs:mount nosuchhost.invalid:/ b"),
                    tried("nfs:mount -o port=" + Launcher.freePort() + " 127.0.0.1:/ b"),
                    tried("nfs:mount -o port=" + plain.getLocalPort() + " 127.0.0.1:/ b"),
                    tried("nfs:mount -o prot=rdma 127.0.0.1:/ b"),
                    tried("nfs:mount 127.0.0.1:/ a"),
                    "nfs:mounts",
                    "nfs:unmount a",
                    mounted().get(1).replaceAll("port=\\d+", "port=" + Launcher.freePort()));

            assertThat(lines(run, "FAILED "))
                    .satisfiesExactly(
                            line -> assertThat(line).contains("nosuchhost.invalid"),
                            line -> assertThat(line).contains("refused"),
                            line -> assertThat(line).contains("127.0.0.1:" + plain.getLocalPort()),
                            line -> assertThat(line).contains("did you mean 'proto'?"),
                            line -> assertThat(line).contains("there is a mount 'a'"));
            assertThat(run.out().lines().filter(line -> line.startsWith("b "))).isEmpty();
            assertFailedInOneLine(run, 5, "refused");
        }
    }

    /** A command whose failure is printed and does not end the script. */
    private static String tried(String command) {
        return "try { " + command + " } { echo FAILED ($exception message) }";
    }

    private static List<String> lines(Launcher.Result run, String start) {
        return run.out().lines().filter(line -> line.startsWith(start)).toList();
    }

    private static void assertFailedInOneLine(Launcher.Result run, int status, String reason) {
        assertThat(run.failures())
                .singleElement()
                .asString()
                .startsWith("verbena: ")
                .contains(reason);
        assertThat(run.out() + run.err()).doesNotContain("Exception", "\tat ");
        assertThat(run.status()).isEqualTo(status);
    }

    @Test
    void shouldTellInOneLineWhyAFileCannotBeMoved() throws Exception {
        Path file = local.resolve("file");
        random(file, 3_000_000);
        Files.createDirectory(
                served.resolve("locked"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path small = Files.createDirectory(folder.resolve("small"));
        boolean full = mountSmall(small);
        Path target = full ? small : local;
        Files.createSymbolicLink(served.resolve("self"), Path.of("self"));
        try {
            int port = Launcher.freePort();
            Launcher.Result run = run(
                    mounted(),
                    "nfs:export --port " + port + " --squash all --name s " + served,
                    "nfs:mount -o port=" + port + " 127.0.0.1:/ s",
                    tried("nfs:put " + file + " s:/locked/"),
                    tried("nfs:put " + file + " a:/" + "n".repeat(256)),
                    tried("nfs:cat a:/gone"),
                    tried("nfs:cat a:/self"),
                    tried("nfs:ls b:/"),
                    tried("nfs:mount -o port=" + port + " 127.0.0.1:/nosuchexport b"),
                    "nfs:put " + file + " a:/whole",
                    full
                            ? tried("nfs:get a:/whole " + small)
                            : "echo FAILED left out, since only root can mount a full disk",
                    "nfs:get a:/vanished " + target);

            assertThat(lines(run, "FAILED "))
                    .satisfiesExactly(
                            line -> assertThat(line).contains("s:/locked").contains("permission denied"),
                            line -> assertThat(line).contains("longer than the server allows"),
                            line -> assertThat(line).isEqualTo("FAILED a:/gone: no such file or directory"),
                            line -> assertThat(line).contains("a:/self: too many levels of symbolic links"),
                            line -> assertThat(line).contains("no mount 'b': there is a, s"),
                            line -> assertThat(line).contains("nosuchexport"),
                            line -> assertThat(line).containsAnyOf("No space left on device", "left out"));
            assertFailedInOneLine(run, 3, "a:/vanished: no such file or directory");
            assertThat(small).isEmptyDirectory();
            assertThat(served.resolve("locked")).isEmptyDirectory();
        } finally {
            if (full) {
                system("umount", small.toString());
            }
        }
    }

    /** Mounts a file system of 1 MiB. Returns false where this user may not mount one. */
    private static boolean mountSmall(Path place) throws Exception {
        return system("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place.toString()) == 0;
    }

    private static int system(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void shouldEndInTimeAndLeaveNoHalfFileWhenTheServerIsKilled() throws Exception {
        try (RandomAccessFile huge = new RandomAccessFile(served.resolve("huge").toFile(), "rw")) {
            huge.setLength(1L << 40);
        }
        int port = Launcher.freePort();
        Launcher.Run server = verbena.start(
                "-c", "nfs:export --no-root-squash --port " + port + " --name e " + served + "; sleep 600000");
        Launcher.awaitTrue(() -> Files.readString(server.err()).contains("exported"));
        Launcher.Run client = verbena.start(
                "-c", "nfs:mount -o port=" + port + ",soft,timeo=5,retrans=1 127.0.0.1:/ a; nfs:get a:/huge " + local);
        Launcher.awaitTrue(() -> hasFiles(local));

        server.process().descendants().forEach(ProcessHandle::destroyForcibly);

        assertFailedInOneLine(client.await(), 5, "a:/huge: ");
        assertThat(local).isEmptyDirectory();
        server.await();
    }

    @Test
    void shouldLeaveNoHalfFileOnTheServerWhenItIsTerminated() throws Exception {
        Path huge = local.resolve("huge");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(1L << 40);
        }
        int port = Launcher.freePort();
        Launcher.Run server = verbena.start(
                "-c", "nfs:export --no-root-squash --port " + port + " --name e " + served + "; sleep 600000");
        Launcher.awaitTrue(() -> Files.readString(server.err()).contains("exported"));
        Launcher.Run client =
                verbena.start("-c", "nfs:mount -o port=" + port + " 127.0.0.1:/ a; nfs:put " + huge + " a:/");
        Launcher.awaitTrue(() -> hasFiles(served));

        client.process().destroy();

        assertThat(client.await().status()).isEqualTo(143);
        assertThat(served).isEmptyDirectory();
        server.process().destroy();
        server.await();
    }

    private static boolean hasFiles(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isPresent();
        }
    }

    @Test
    void shouldDemonstrate() throws Exception {
        Launcher.Result run = verbena.run("demo");

        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("put 1 file, 268435456 octets")
                .containsPattern("SHA-256 of \\d{4} files is the same in the copy that came back")
                .endsWith("demo: all files are the same at both ends\n");
        assertThat(run.status()).isZero();
        assertThat(verbena.temporary()).isEmptyDirectory();
    }
}
