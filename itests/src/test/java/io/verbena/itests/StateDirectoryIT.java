package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder of {@code --state} decides what runs, so one that another user can change is not used. */
final class StateDirectoryIT {
    private static final int ANOTHER_USER = 65_533;

    @TempDir
    private Path temporary;

    private Path folder;
    private Launcher verbena;

    @BeforeEach
    void prepare() throws IOException {
        folder = temporary.toRealPath();
        verbena = new Launcher(folder);
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }

    private static void giveAway(Path path) {
        try {
            Files.setAttribute(path, "unix:uid", ANOTHER_USER, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            assumeTrue(false, "only root gives files to others");
        }
    }

    /** Paths with what shows that something has changed them. */
    private static Map<Path, List<?>> content(Path top) throws IOException {
        Map<Path, List<?>> content = new TreeMap<>();
        try (Stream<Path> all = Files.walk(top)) {
            for (Path each : all.toList()) {
                FileTime time = Files.getLastModifiedTime(each, LinkOption.NOFOLLOW_LINKS);
                String text = Files.isRegularFile(each) ? Files.readString(each) : "";
                content.put(each, List.of(mode(each), time, text));
            }
        }
        return content;
    }

    private void assertRefused(Path given, String message) throws Exception {
        Launcher.Result run = verbena.run("--state", given.toString(), "-c", "echo started");

        assertThat(run.err()).startsWith("verbena: " + message).hasLineCount(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.status()).isEqualTo(2);
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    /** A state with an export of everything, and start properties. */
    private Path prepared(String name) throws IOException {
        Path state = Files.createDirectory(folder.resolve(name));
        Path etc = Files.createDirectory(state.resolve("etc"));
        Files.writeString(etc.resolve("io.verbena.nfs.export-evil.cfg"), "directory = /\n");
        Files.writeString(etc.resolve("startup.properties"), "file\\:/evil.jar = 1\n");
        return state;
    }

    @Test
    void shouldRefuseWhatAnotherUserHasPreparedAndLeaveIt() throws Exception {
        Path state = prepared("theirs");
        giveAway(state);
        Path link = Files.createSymbolicLink(folder.resolve("link"), state);
        Map<Path, List<?>> before = content(state);
        String refusal = "'" + state + "' belongs to another user, who could change what runs here: give a directory of"
                + " your own, as in --state '";

        assertRefused(state, refusal);
        assertRefused(state.resolve("below/it"), refusal);
        assertRefused(link, refusal);

        assertThat(content(state)).isEqualTo(before);
    }

    @Test
    void shouldRefuseFilesAndLinksOfAnotherUser() throws Exception {
        Path state = prepared("mine");
        Path properties = state.resolve("etc/startup.properties");
        giveAway(properties);
        Path mine = Files.createDirectory(folder.resolve("target"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), mine);
        giveAway(link);

        assertRefused(state, "'" + properties + "' belongs to another user");
        assertRefused(link, "'" + link + "' belongs to another user");

        assertThat(properties).hasContent("file\\:/evil.jar = 1\n");
        assertThat(mine).isEmptyDirectory();
    }

    @Test
    void shouldRefuseWhatItsGroupCanChange() throws Exception {
        Path state = prepared("o'ne");
        mode(state, "rwxrwxr-x");
        Map<Path, List<?>> before = content(state);
        String quoted = "'" + folder + "/o'\\''ne'";

        assertRefused(state, quoted + " can be changed by its group or by others: chmod go-w " + quoted + ", or ");
        assertRefused(state.resolve("below"), quoted + " can be changed by its group or by others: chmod go-w ");
        assertThat(content(state)).isEqualTo(before);

        mode(state, "rwxr-xr-x");
        Path exports = state.resolve("etc/io.verbena.nfs.export-evil.cfg");
        mode(exports, "rw-rw-r--");
        assertRefused(
                state, "'" + folder + "/o'\\''ne/etc/io.verbena.nfs.export-evil.cfg' can be changed by its group");
    }

    @Test
    void shouldRefuseALinkInPlaceOfItsConfiguration() throws Exception {
        Path state = Files.createDirectory(folder.resolve("state"));
        mode(state, "rwx------");
        Files.createSymbolicLink(state.resolve("etc"), prepared("elsewhere").resolve("etc"));

        assertRefused(state, "'" + state + "/etc' is a symbolic link: put a directory in its place\n");
    }

    @Test
    void shouldMakeStateThatNobodyElseReadsBelowAStickyDirectory() throws Exception {
        Path sticky = Files.createDirectory(folder.resolve("sticky"));
        Files.setAttribute(sticky, "unix:mode", 01777);
        Path state = sticky.resolve("a/b");
        Path served = Files.createDirectory(folder.resolve("served"));
        Files.writeString(served.resolve("file"), "x");
        mode(served.resolve("file"), "rw-rw-r--");
        int port = Launcher.freePort();
        // of a user who shares files with a group: copies keep the modes that they have elsewhere
        Path program = Files.writeString(
                folder.resolve("shared-umask"),
                "#!/bin/sh\numask 007\nexec '"
                        + Path.of(System.getProperty("verbena.launcher", "../verbena"))
                                .toAbsolutePath() + "' \"$@\"\n");
        mode(program, "rwx------");

        Launcher.Result run = new Launcher(folder, program, folder)
                .run(
                        "--state",
                        state.toString(),
                        "-q",
                        "-c",
                        "nfs:export --port " + port + " --name served " + served + "; nfs:mount -o port=" + port
                                + " 127.0.0.1:/ m; nfs:get -q m:/file copy; nfs:ls m:/");

        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(mode(folder.resolve("copy"))).isEqualTo("rw-rw-r--");
        assertThat(mode(state)).isEqualTo("rwx------");
        assertThat(mode(state.resolve("data/log/karaf.log"))).isEqualTo("rw-------");
        try (Stream<Path> files = Files.walk(sticky.resolve("a"))) {
            for (Path each : files.filter(file -> !Files.isSymbolicLink(file)).toList()) {
                assertThat(mode(each)).as("%s", each).endsWith("------");
            }
        }
    }

    @Test
    void shouldKeepTheLogFromOthersWhileItRuns() throws Exception {
        Path state = folder.resolve("state");

        Launcher.Run run = verbena.start("--state", state.toString(), "-c", "echo begun; nfs:cat -");
        Path log = state.resolve("data/log/karaf.log");
        Launcher.awaitTrue(() -> Files.exists(log) && Files.size(log) > 0);

        assertThat(mode(log)).isEqualTo("rw-------");
        assertThat(mode(state)).isEqualTo("rwx------");
        run.await();
    }
}
