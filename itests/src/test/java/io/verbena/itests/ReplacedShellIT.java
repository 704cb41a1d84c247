package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A script goes on where it replaces the bundle that runs it, or one that this bundle is wired to. */
@Timeout(280)
final class ReplacedShellIT {
    private static final String UNREACHABLE = "nfs:mount -o port=1 127.0.0.1:/ a";

    @TempDir
    private Path folder;

    private Launcher verbena;

    @BeforeEach
    void prepare() throws IOException {
        verbena = new Launcher(folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"io.verbena.cli", "io.verbena.text", "io.verbena.nfs"})
    void shouldGoOnAfterARefresh(String bundle) throws Exception {
        Launcher.Result run = verbena.runWithInput(
                "input\n",
                "--keep-going",
                "-c",
                "NAME = 'x y'; bundle:refresh " + bundle + "; echo $NAME; echo $1; " + UNREACHABLE
                        + "; cat -; echo end",
                "a b");

        assertThat(run.out()).isEqualTo("x y\na b\ninput\nend\n");
        assertThat(run.failures()).singleElement().asString().contains("cannot connect to 127.0.0.1:1");
        assertThat(run.status()).as(run.err()).isEqualTo(5);
    }

    @Test
    void shouldGoOnAfterSeveralRefreshesAndStopAtAFailure() throws Exception {
        Launcher.Result run = verbena.run(
                "-c",
                "bundle:refresh io.verbena.cli; bundle:refresh io.verbena.text; bundle:refresh io.verbena.cli; "
                        + "echo then; " + UNREACHABLE + "; echo end");

        assertThat(run.out()).isEqualTo("then\n");
        assertThat(run.failures()).hasSize(1);
        assertThat(run.status()).as(run.err()).isEqualTo(5);
    }

    @Test
    void shouldGoOnAfterAnUpdate() throws Exception {
        Path builds = Path.of("../karaf-distro/target/assembly/system/io/verbena/io.verbena.cli");
        Path jar;
        try (Stream<Path> all = Files.walk(builds)) {
            jar = all.filter(each -> each.toString().endsWith(".jar"))
                    .findFirst()
                    .orElseThrow();
        }
        Launcher.Result run = verbena.run(
                "-c",
                "NAME = x; bundle:update io.verbena.cli "
                        + jar.toUri().toString().replace("file:///", "file:/")
                        + "; bundle:refresh io.verbena.cli; nfs:version; echo $NAME; nfs:export "
                        + folder.resolve("none"));

        assertThat(run.out()).startsWith("Verbena ").endsWith("\nx\n");
        assertThat(run.failures()).singleElement().asString().contains("no such directory");
        assertThat(run.status()).as(run.err()).isEqualTo(3);
    }

    @Test
    void shouldEndInOrderWhenASignalComesAfterTheRefresh() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Launcher.Run run = verbena.start(
                "-c",
                "bundle:refresh io.verbena.cli; nfs:export --port " + Launcher.freePort() + " --name e " + served
                        + "; echo begun; sleep 200000");
        Launcher.awaitTrue(() -> Files.readString(run.out()).contains("begun"));
        run.process().destroy();

        assertThat(run.await().status()).isEqualTo(143);
        assertThat(verbena.temporary()).isEmptyDirectory();
    }
}
