package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
    void prepare() throws IOException {
        verbena = new Launcher(folder);
        state = folder.resolve("state");
        Path original = Path.of("../karaf-distro/target/assembly/etc");
        try (Stream<Path> all = Files.walk(original)) {
            for (Path each : all.toList()) {
                Path copy =
                        state.resolve("etc").resolve(original.relativize(each).toString());
                if (Files.isDirectory(each)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(each, copy);
                }
            }
        }
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwx------"));
    }

    private List<String> bundles() throws IOException {
        return new ArrayList<>(Files.readAllLines(state.resolve("etc/startup.properties")));
    }

    private void assertFailure(List<String> bundles, String message) throws Exception {
        Files.write(state.resolve("etc/startup.properties"), bundles);

        Launcher.Result run = verbena.run("--state", state.toString(), "--daemon", "off", "-c", "echo started");

        assertThat(run.err())
                .startsWith("verbena: cannot start: ")
                .contains(message)
                .hasLineCount(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.status()).isEqualTo(2);
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    @Test
    void shouldNameABundleWithoutAFile() throws Exception {
        List<String> bundles = bundles();
        bundles.add("reference\\:file\\:io/verbena/none/1/none-1.jar = 30");

        assertFailure(bundles, "/io/verbena/none/1/none-1.jar' is missing");
    }

    @Test
    void shouldNameABundleThatCannotBeResolved() throws Exception {
        List<String> bundles = bundles();
        assertThat(bundles.removeIf(line -> line.contains("org/jline/jline/"))).isTrue();

        assertFailure(
                bundles,
                "the bundle org.apache.karaf.shell.core needs what no bundle provides: osgi.wiring.package;"
                        + " (&(osgi.wiring.package=org.jline");
    }
}
