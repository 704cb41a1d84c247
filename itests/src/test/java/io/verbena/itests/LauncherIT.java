package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher and its scripts, as a user meets them. */
final class LauncherIT {
    private static final Duration START = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private Launcher verbena;

    @BeforeEach
    void setUp() throws IOException {
        verbena = new Launcher(folder);
    }

    @Test
    void shouldRunCommandsAndLeaveNothingBehind() throws Exception {
        Launcher.Result run = verbena.run("-c", "nfs:version; echo done");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).startsWith("Verbena ").endsWith("done\n");
        assertThat(run.status()).isZero();
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    @Test
    void shouldStartEveryBundle() throws Exception {
        Launcher.Result run = verbena.run("-c", "bundle:list --no-format");

        assertThat(run.out().lines().filter(line -> line.contains("Verbena:")))
                .hasSizeGreaterThanOrEqualTo(14)
                .allMatch(line -> line.contains("Active"));
    }

    @Test
    void shouldTestADeviceAndFailWhereThereIsNone() throws Exception {
        Launcher.Result run = verbena.run("-c", "rdma:selftest --count 20 iwarp-lo; rdma:selftest iwarp-nonsense");

        assertThat(run.out().lines()).hasSize(11).allMatch(line -> line.matches(".{32}  ok( .*)?"));
        assertThat(run.out()).contains("access after invalidation", "Send latency", "RDMA Read bandwidth");
        assertThat(run.err())
                .startsWith("verbena: no device 'iwarp-nonsense': there is ")
                .contains("iwarp-lo");
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void shouldStopAtTheFirstCommandThatFails() throws Exception {
        Path script =
                Files.writeString(folder.resolve("script"), "echo before\nfeature:install nonsense\necho after\n");

        Launcher.Result run = verbena.run(script.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).contains("before").doesNotContain("after");
        assertThat(run.err().lines()).singleElement().asString().startsWith("verbena: ");
    }

    @Test
    void shouldNameACommandThatThereIsNot() throws Exception {
        Launcher.Result run = verbena.runWithInput("nfs:nonsense\n", "-");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("verbena: no such command: nfs:nonsense\n");
    }

    @Test
    void shouldGoOnWhenAScriptRefreshesTheBundleThatRunsIt() throws Exception {
        Launcher.Result run =
                verbena.run("-c", "echo once; bundle:refresh io.verbena.verbs io.verbena.cli; nfs:version");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).containsOnlyOnce("once").contains("Verbena ");
        assertThat(run.status()).isZero();
    }

    @Test
    void shouldRunTwoAtOnce() throws Exception {
        Launcher.Run one = verbena.start("-c", "nfs:version; echo one");
        Launcher.Run two = verbena.start("-c", "nfs:version; echo two");

        assertThat(one.await().out()).endsWith("one\n");
        assertThat(two.await().out()).endsWith("two\n");
    }

    @Test
    void shouldKeepConfigurationInAFolderOfState() throws Exception {
        String state = folder.resolve("state").toString();

        verbena.run("--state", state, "-c", "echo made");
        Files.writeString(folder.resolve("state/etc/io.verbena.test.cfg"), "colour = violet\n");
        Launcher.Result run = verbena.run("--state", state, "-c", "config:property-list --pid io.verbena.test");

        assertThat(run.out()).contains("colour = violet");
    }

    @Test
    void shouldHandOnASignal() throws Exception {
        Launcher.Run run = verbena.start("-c", "echo begun; sleep 600000");
        awaitText(run.out(), "begun");

        run.process().destroy();

        assertThat(run.await().status()).isEqualTo(143);
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    @Test
    void shouldSayHowItIsUsed() throws Exception {
        assertThat(verbena.run("--help").out()).startsWith("Usage: verbena");
        assertThat(verbena.run("--version").out()).matches("verbena \\d+\\.\\d+\\.\\d+.*\n");
        assertThat(verbena.run("--nonsense").status()).isEqualTo(2);
        assertThat(verbena.run("no-such-file").err()).isEqualTo("verbena: cannot read 'no-such-file'\n");
    }

    private static void awaitText(Path file, String text) throws Exception {
        long deadline = System.nanoTime() + START.toNanos();
        while (!Files.readString(file).contains(text)) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
