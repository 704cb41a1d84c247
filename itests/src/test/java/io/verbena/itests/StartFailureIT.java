package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A script whose container does not start ends with status 2, and one line that names the bundle and the reason. */
@Timeout(280)
final class StartFailureIT {
    @TempDir
    private Path folder;

    private Path state;
    private Launcher verbena;

    @BeforeEach
    void makeState() throws Exception {
        verbena = new Launcher(folder);
        state = folder.resolve("state");
        assertThat(run("echo made").status()).isZero();
    }

    private Launcher.Result run(String commands) throws Exception {
        return verbena.run("--state", state.toString(), "--daemon", "off", "-c", commands);
    }

    private List<String> bundles() throws IOException {
        return new ArrayList<>(Files.readAllLines(state.resolve("etc/startup.properties")));
    }

    private void assertFailure(List<String> bundles, String message) throws Exception {
        Files.write(state.resolve("etc/startup.properties"), bundles);
        deleteCache();

        Launcher.Result run = run("echo started");

        assertThat(run.err())
                .startsWith("verbena: cannot start: ")
                .contains(message)
                .hasLineCount(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.status()).isEqualTo(2);
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    /** The container installs the bundles that its list names only where it has none. */
    private void deleteCache() throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(state.resolve("data/cache"))) {
            all = found.sorted((one, other) -> other.compareTo(one)).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }

    @Test
    void shouldNameABundleWithoutAFile() throws Exception {
        List<String> bundles = bundles();
        bundles.add("reference\\:file\\:io/verbena/none/1/none-1.jar = 30");

        assertFailure(bundles, "/io/verbena/none/1/none-1.jar' is missing");
    }
}
