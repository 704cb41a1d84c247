package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Launcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The distribution, used like a user does, on an export of Linux's server. */
@AgainstLinux
class ShellOnKnfsdIT {
    private static final String IN_GUEST = "/export/shell";
    private static final String NAME = "näme with spaces ✓";
    private static final Instant MODIFIED = Instant.parse("2020-02-02T20:20:20.123456Z");

    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    private Launcher verbena;
    private Path local;

    ShellOnKnfsdIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void setUp() throws Exception {
        verbena = new Launcher(folder);
        local = Files.createDirectory(folder.resolve("local"));
        guest.run("mkdir " + IN_GUEST);
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.run("rm -r " + IN_GUEST);
    }

    private String mount(String options, String export, String name) {
        return "nfs:mount -o " + options + "port=" + guest.nfs().getPort() + " 127.0.0.1:" + export + " " + name;
    }

    private Launcher.Result run(String... commands) throws Exception {
        return verbena.runWithInput(String.join("\n", commands) + "\n", "-");
    }

    private static void random(Path file, int size) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, Contents.random(size, size));
    }

    @Test
    void shouldDoWhatAUserDoes() throws Exception {
        Path tree = local.resolve("tree");
        random(tree.resolve("empty"), 0);
        random(tree.resolve("one"), 1);
        random(tree.resolve(NAME), 100_000);
        random(tree.resolve("a/b/c/deep"), 3_000_000);
        Files.createSymbolicLink(tree.resolve("link"), Path.of("one"));
        Files.setPosixFilePermissions(tree.resolve("one"), PosixFilePermissions.fromString("r-xr-x---"));
        Files.setLastModifiedTime(tree.resolve("one"), FileTime.from(MODIFIED));
        Files.writeString(tree.resolve("text"), "a line\nand another\n");

        Launcher.Result run = run(
                mount("proto=rdma,nocrc,", "/", "linux"),
                "nfs:mkdir -p linux:/shell/x/y",
                "nfs:put -r " + tree + " linux:/shell/",
                "nfs:ls -l linux:/shell/tree",
                "nfs:cat linux:/shell/tree/text",
                "nfs:sha256 'linux:/shell/tree/" + NAME + "' '" + tree + "/" + NAME + "'",
                "nfs:get -r linux:/shell/tree " + local + "/back",
                "nfs:mv linux:/shell/tree/one linux:/shell/x/y",
                "nfs:chmod u=rw,g+s,o= linux:/shell/x/y/one",
                "nfs:ln linux:/shell/x/y/one linux:/shell/hard",
                "nfs:ln -s x/y/one linux:/shell/soft",
                "nfs:stat linux:/shell/hard linux:/shell/soft",
                "nfs:df linux",
                "nfs:mounts",
                "rdma:connections",
                "nfs:rm -r linux:/shell/tree/a",
                "nfs:unmount linux",
                "nfs:mounts");

        assertThat(run.failures()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.err())
                .startsWith("mounted 127.0.0.1:/ as linux\n")
                .containsPattern("put 6 files, 3100020 octets, .* MB/s")
                .containsPattern("got 6 files, 3100020 octets, .* MB/s")
                .endsWith("unmounted linux\n");
        assertThat(run.out())
                .containsPattern("-r-xr-x--- +1 +0 +0 +1 +2020-02-02T20:20:20Z +one\n")
                .containsPattern("-rw-r--r-- +1 +0 +0 +100000 +\\S+Z +" + NAME + "\n")
                .contains("link -> one", "\na line\nand another\n")
                .contains(digest(tree.resolve(NAME)) + "  linux:/shell/tree/" + NAME + "\n")
                .contains(digest(tree.resolve(NAME)) + "  " + tree + "/" + NAME + "\n")
                .containsPattern("mode +2650 -rw-r-s---\n *links +2\n")
                .containsPattern("type +symbolic-link\n(.*\n)*?target +x/y/one\n")
                .containsPattern("linux \\| 671088640 \\| +\\d+ \\| +\\d+ \\|")
                .contains("callThreshold=4096", "replyThreshold=4096", "crc=off", "version=1")
                .containsPattern("\nName .*\n-.*\nnothing is mounted\n$");
        assertSame(tree, local.resolve("back"));
        assertThat(guest.run("cd " + IN_GUEST + " && find . | LC_ALL=C sort").lines())
                .containsExactly(
                        ".",
                        "./hard",
                        "./soft",
                        "./tree",
                        "./tree/empty",
                        "./tree/link",
                        "./tree/" + NAME,
                        "./tree/text",
                        "./x",
                        "./x/y",
                        "./x/y/one");
        assertThat(guest.run("cd " + IN_GUEST + " && sha256sum < tree/n* && readlink soft"))
                .isEqualTo(digest(tree.resolve(NAME)) + "  -\nx/y/one\n");
        assertThat(guest.run("cd " + IN_GUEST + " && TZ=UTC stat -c '%a %h %s %y' hard"))
                .isEqualTo("2650 2 1 2020-02-02 20:20:20.123456000 +0000\n");
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    private static String digest(Path file) throws IOException {
        return Contents.sha256(Files.readAllBytes(file));
    }

    private static void assertSame(Path expected, Path found) throws IOException {
        try (Stream<Path> files = Files.walk(expected)) {
            for (Path file : files.toList()) {
                Path copy = found.resolve(expected.relativize(file).toString());
                if (Files.isSymbolicLink(file)) {
                    assertThat(Files.readSymbolicLink(copy)).isEqualTo(Files.readSymbolicLink(file));
                } else {
                    assertThat(Files.getPosixFilePermissions(copy)).isEqualTo(Files.getPosixFilePermissions(file));
                    assertThat(Files.isDirectory(file) || Files.mismatch(file, copy) == -1)
                            .as(file.toString())
                            .isTrue();
                }
            }
        }
    }

    @Test
    void shouldTellInOneLineWhatWentWrong() throws Exception {
        guest.run("mkdir " + IN_GUEST + "/full && echo x > " + IN_GUEST + "/full/file");
        int unused;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unused = socket.getLocalPort();
        }
        Files.writeString(local.resolve("new"), "content", UTF_8);
        Launcher.Result run = run(
                mount("", "/", "linux"),
                tried(mount("", "/nosuchexport", "b")),
                tried("nfs:mount -o port=" + unused + " 127.0.0.1:/ b"),
                tried(mount("sec=none,", "/", "b")),
                tried("nfs:cat linux:/shell/gone"),
                tried("nfs:ls linux:/shell/full/file/below"),
                tried("nfs:rm linux:/shell/full"),
                tried("nfs:mkdir linux:/shell/full"),
                tried("nfs:put " + local + "/new linux:/shell/" + "n".repeat(256)),
                tried("nfs:put " + local + "/new linux:/readonly/"),
                "nfs:mounts",
                "nfs:get linux:/shell/vanished " + local);

        List<String> failures =
                run.out().lines().filter(line -> line.startsWith("FAILED ")).toList();
        assertThat(failures)
                .satisfiesExactly(
                        line -> assertThat(line).contains("127.0.0.1:/nosuchexport: the server has no such export"),
                        line -> assertThat(line).contains("127.0.0.1:" + unused).contains("refused"),
                        line -> assertThat(line).contains("does not take security 'sec=none'"),
                        line -> assertThat(line).isEqualTo("FAILED linux:/shell/gone: no such file or directory"),
                        line -> assertThat(line)
                                .contains("linux:/shell/full/file")
                                .contains("not a directory"),
                        line -> assertThat(line).contains("linux:/shell/full: is a directory; -r removes it"),
                        line -> assertThat(line).isEqualTo("FAILED linux:/shell/full: already exists"),
                        line -> assertThat(line).contains("longer than the server allows"),
                        line -> assertThat(line).contains("linux:/readonly/").contains("read-only"));
        assertThat(run.out().lines().filter(line -> line.startsWith("b "))).isEmpty();
        assertThat(run.failures()).containsExactly("verbena: linux:/shell/vanished: no such file or directory");
        assertThat(run.out()).doesNotContain("Exception", "\tat ");
        assertThat(run.status()).isEqualTo(3);
        assertThat(local.resolve("vanished")).doesNotExist();
        assertThat(guest.run("cd " + IN_GUEST + " && find . | LC_ALL=C sort | tr '\\n' ' '"))
                .isEqualTo(". ./full ./full/file ");
    }

    /** A command whose failure is printed and does not end the script. */
    private static String tried(String command) {
        return "try { " + command + " } { echo FAILED ($exception message) }";
    }
}
