package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory of state goes on with another version. Nothing of the user is lost, and that version runs. */
final class UpgradeIT {
    private static final Path ARCHIVE = Path.of(System.getProperty("verbena.archive"));
    private static final String OLDER = "0.0.9";
    private static final String FIRST_NOTE = "verbena: the state in '";

    @TempDir
    private Path folder;

    private Path state;
    private Path olderHome;
    private Launcher older;
    private Launcher newer;

    @BeforeEach
    void unpackTwoVersions() throws Exception {
        state = folder.toRealPath().resolve("the state");
        Path newerHome = unpack("newer");
        newer = new Launcher(folder, newerHome.resolve("bin/verbena"), folder);
        olderHome = unpack("older");
        String version = newer.run("--version").out().strip().replace("verbena ", "");
        makeOlder(version);
        older = new Launcher(folder, olderHome.resolve("bin/verbena"), folder);
        assertThat(older.run("--version").out()).isEqualTo("verbena " + OLDER + "\n");
    }

    private Path unpack(String name) throws Exception {
        Path place = Files.createDirectory(folder.resolve(name));
        Process tar = new ProcessBuilder("tar", "xf", ARCHIVE.toString(), "-C", place.toString())
                .inheritIO()
                .start();
        assertThat(tar.waitFor()).isZero();
        try (Stream<Path> entries = Files.list(place)) {
            return entries.toList().get(0);
        }
    }

    /** Gives another version to the bundles of one copy of the distribution. */
    private void makeOlder(String version) throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(olderHome.resolve("system/io/verbena"))) {
            // what is below a directory comes before it
            all = found.sorted((one, other) -> other.compareTo(one)).toList();
        }
        for (Path each : all) {
            String name = each.getFileName().toString();
            if (name.endsWith(".xml")) {
                replace(each, version, OLDER);
            }
            if (name.contains(version)) {
                Files.move(each, each.resolveSibling(name.replace(version, OLDER)));
            }
        }
        for (String name :
                List.of("startup.properties", "org.apache.karaf.features.cfg", "org.apache.karaf.features.repos.cfg")) {
            replace(olderHome.resolve("etc").resolve(name), version, OLDER);
        }
    }

    private static void replace(Path file, String text, String by) throws IOException {
        List<String> lines = Files.readAllLines(file, StandardCharsets.ISO_8859_1).stream()
                .map(line -> line.contains("verbena") ? line.replace(text, by) : line)
                .toList();
        Files.write(file, lines, StandardCharsets.ISO_8859_1);
    }

    private static void append(Path file, String line) throws IOException {
        Files.writeString(file, Files.readString(file) + line + "\n");
    }

    private Launcher.Result runWithState(Launcher verbena, String commands) throws Exception {
        return verbena.run("--daemon", "off", "--state", state.toString(), "-c", commands);
    }

    @Test
    void shouldKeepWhatTheUserHasMadeAndChanged() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Files.writeString(served.resolve("file"), "content\n");
        int port = Launcher.freePort();
        Launcher.Result first = runWithState(
                older,
                "nfs:export --name kept --no-root-squash --port " + port + " " + served + "; nfs:mount -o port=" + port
                        + " 127.0.0.1:/ m; nfs:cat m:/file");
        assertThat(first.out()).as(first.err()).isEqualTo("content\n");
        assertThat(first.status()).isZero();
        Files.writeString(state.resolve("etc/io.verbena.test.cfg"), "colour = violet\n");
        append(state.resolve("etc/users.properties"), "# mine");
        append(state.resolve("etc/startup.properties"), "# mine as well");
        Files.delete(state.resolve("etc/shell.init.script"));
        Files.writeString(state.resolve("etc/of-the-older.cfg"), "older = true\n");
        Files.copy(state.resolve("etc/of-the-older.cfg"), state.resolve("given/etc/of-the-older.cfg"));

        Launcher.Result second =
                runWithState(newer, "nfs:cat m:/file; config:property-list --pid io.verbena.test; nfs:exports --json");

        assertThat(second.out()).as(second.err()).contains("content\n", "colour = violet", "\"kept\"");
        assertThat(second.status()).isZero();
        assertThat(second.failures()).hasSize(2);
        assertThat(second.failures().get(0)).startsWith(FIRST_NOTE);
        assertThat(second.failures().get(1)).contains("startup.properties.old'");
        assertThat(state.resolve("etc/startup.properties.old")).content().contains(OLDER, "# mine as well");
        assertThat(state.resolve("etc/startup.properties")).content().doesNotContain(OLDER, "# mine as well");
        assertThat(state.resolve("etc/users.properties")).content().contains("# mine");
        assertThat(state.resolve("etc/shell.init.script")).doesNotExist();
        assertThat(state.resolve("etc/of-the-older.cfg")).doesNotExist();

        Launcher.Result third = runWithState(newer, "nfs:cat m:/file");
        assertThat(third.out()).isEqualTo("content\n");
        assertThat(third.failures()).isEmpty();
        assertThat(third.status()).isZero();

        Launcher.Result back = runWithState(older, "nfs:cat m:/file");
        assertThat(back.out()).isEqualTo("content\n");
        assertThat(back.status()).isZero();
    }

    /** Before there was 'given', configurations were kept in the cache of bundles. */
    @Test
    void shouldGoOnWithAStateFromBeforeAnyRenewal() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Files.writeString(served.resolve("file"), "content\n");
        int port = Launcher.freePort();
        String commands = "nfs:export --name kept --no-root-squash --port " + port + " " + served
                + "; nfs:mount -o port=" + port + " 127.0.0.1:/ m";
        assertThat(runWithState(older, commands).status()).isZero();
        Files.move(state.resolve("data/config"), configurationBundle().resolve("config"));
        deleteGiven();

        Launcher.Result second = runWithState(newer, "nfs:cat m:/file");

        assertThat(second.out()).as(second.err()).isEqualTo("content\n");
        assertThat(second.failures()).hasSize(1);
        assertThat(second.status()).isZero();
    }

    /** An interrupted renewal has the newer files and the cache of neither version. */
    @Test
    void shouldDoAnInterruptedRenewalAgain() throws Exception {
        assertThat(runWithState(older, "config:property-set --pid io.verbena.test colour violet")
                        .status())
                .isZero();
        Files.copy(
                newerEtc("startup.properties"),
                state.resolve("etc/startup.properties"),
                StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(state.resolve("etc/config.properties.new"), "half a fi");
        Files.createDirectory(state.resolve("given.new"));

        Launcher.Result second = runWithState(newer, "config:property-list --pid io.verbena.test; nfs:version");

        assertThat(second.out()).as(second.err()).contains("colour = violet", "Verbena ");
        assertThat(second.failures()).hasSize(1);
        assertThat(second.failures().get(0)).startsWith(FIRST_NOTE);
        assertThat(second.status()).isZero();
    }

    private Path newerEtc(String name) throws IOException {
        try (Stream<Path> entries = Files.list(folder.resolve("newer"))) {
            return entries.toList().get(0).resolve("etc").resolve(name);
        }
    }

    private Path configurationBundle() throws IOException {
        try (Stream<Path> bundles = Files.list(state.resolve("data/cache"))) {
            Path any = bundles.filter(each -> each.getFileName().toString().matches("bundle[1-9]\\d*"))
                    .findFirst()
                    .orElseThrow();
            return Files.createDirectories(any.resolve("data"));
        }
    }

    private void deleteGiven() throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(state.resolve("given"))) {
            all = found.sorted((one, other) -> other.compareTo(one)).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }
}
