package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The distribution's archive, unpacked outside of the checkout. Its own launcher runs it without writing to its folder.
 */
final class UnpackedArchiveIT {
    private static final Path ARCHIVE = Path.of(System.getProperty("verbena.archive"));

    @TempDir
    private Path folder;

    private Path home;

    @BeforeEach
    void unpack() throws Exception {
        Path place = Files.createDirectory(folder.resolve("a place"));
        execute("tar", "xf", ARCHIVE.toString(), "-C", place.toString());
        try (Stream<Path> entries = Files.list(place)) {
            home = entries.toList().get(0);
        }
        assertThat(home.getFileName().toString()).startsWith("verbena-");
        execute("chmod", "-R", "a-w", home.toString());
    }

    @Test
    void shouldRunWhereItIsAndLeaveItAsItIs() throws Exception {
        Map<Path, FileTime> before = entries();
        Launcher verbena = new Launcher(folder, home.resolve("bin/verbena"), folder);
        Path served = Files.createDirectory(folder.resolve("served"));
        Files.createFile(served.resolve("here"));
        int port = Launcher.freePort();

        Launcher.Result run = verbena.run(
                "--quiet",
                "-c",
                "nfs:export --no-root-squash --port " + port + " " + served + "; nfs:mount -o port=" + port
                        + " 127.0.0.1:/ m; nfs:ls m:/");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("here\n");
        assertThat(run.status()).isZero();
        assertThat(verbena.run("--version").out()).matches("verbena \\d+\\.\\d+\\.\\d+.*\n");
        assertThat(verbena.temporary()).isEmptyDirectory();
        assertThat(entries()).isEqualTo(before);
    }

    @Test
    void shouldRunByALinkAndKeepStateBelowTheWorkingDirectory() throws Exception {
        Path links = Files.createDirectory(folder.resolve("links"));
        Path link = Files.createSymbolicLink(
                links.resolve("v"),
                Path.of("../a place").resolve(home.getFileName()).resolve("bin/verbena"));
        Path work = Files.createDirectory(folder.resolve("my work"));
        Launcher verbena = new Launcher(folder, link, work);

        Launcher.Result run = verbena.run("--state", "kept state", "-c", "nfs:version");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).startsWith("Verbena ");
        assertThat(work.resolve("kept state/etc/startup.properties")).exists();
        assertThat(work.resolve("kept state/data/log/karaf.log")).exists();
    }

    private Map<Path, FileTime> entries() throws IOException {
        Map<Path, FileTime> entries = new TreeMap<>();
        try (Stream<Path> all = Files.walk(home)) {
            for (Path entry : all.toList()) {
                entries.put(entry, Files.getLastModifiedTime(entry, LinkOption.NOFOLLOW_LINKS));
            }
        }
        return entries;
    }

    private static void execute(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }
}
