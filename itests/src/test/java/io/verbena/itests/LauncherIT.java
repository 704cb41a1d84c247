package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher and its scripts, as a user meets them. */
final class LauncherIT {
    private static final Duration START = Duration.ofSeconds(60);
    private static final Pattern SYMBOLIC_NAME = Pattern.compile("io\\.verbena\\.[a-z0-9.]+");

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
        Launcher.Result run = verbena.run("-c", "bundle:list -t 0 -s --no-format");

        List<String> ours =
                run.out().lines().filter(line -> line.contains("io.verbena.")).toList();
        assertThat(ours).allMatch(line -> line.contains("Active"));
        assertThat(ours.stream().map(LauncherIT::symbolicName)).containsExactlyInAnyOrderElementsOf(Bundles.ALL);
    }

    private static String symbolicName(String line) {
        Matcher name = SYMBOLIC_NAME.matcher(line);
        assertThat(name.find()).as(line).isTrue();
        return name.group();
    }

    /** A library of that name which is none hides the one that may be installed. */
    @Test
    void shouldStartWithoutTheLibrariesOfDevicesAndSayWhatToInstall() throws Exception {
        Path libraries = Files.createDirectory(folder.resolve("libraries"));
        Files.createFile(libraries.resolve("libibverbs.so.1"));
        Path state = folder.resolve("state");

        Launcher.Result run = verbena.startWith(
                        Map.of("LD_LIBRARY_PATH", libraries.toString()),
                        "--state",
                        state.toString(),
                        "-c",
                        "rdma:devices; bundle:list -t 0 -s --no-format")
                .await();

        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out().lines().filter(line -> line.contains("iwarp-lo"))).isNotEmpty();
        assertThat(run.out().lines().filter(line -> line.contains("io.verbena.verbs.native")))
                .singleElement()
                .asString()
                .contains("Active");
        assertThat(Files.readAllLines(state.resolve("data/log/karaf.log")))
                .filteredOn(line -> line.contains("io.verbena.verbs.native") && line.contains("RDMA devices"))
                .singleElement()
                .asString()
                .contains("INFO", "install libibverbs1 librdmacm1 ibverbs-providers");
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
    void shouldWaitForCommandsThatAreRefreshedWithWhatTheyLookAt() throws Exception {
        Launcher.Result run = verbena.run(
                "-c",
                "bundle:refresh io.verbena.xdr io.verbena.rpc io.verbena.rpcrdma io.verbena.verbs"
                        + " io.verbena.verbs.selftest; rdma:devices; rdma:connections; nfs:mounts;"
                        + " bundle:list -t 0 -s --no-format");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("no connection", "nothing is mounted");
        assertThat(run.status()).isZero();
    }

    @Test
    void shouldHaveEventAdmin() throws Exception {
        Launcher.Result run = verbena.run("-c", "service:list -n");

        assertThat(run.out()).contains("org.osgi.service.event.EventAdmin");
    }

    @Test
    void shouldReconnectAMount() throws Exception {
        int port = freePort();

        Launcher.Result run = verbena.run(
                "-c",
                "nfs:export --port " + port + " --name served " + folder + "; nfs:mount -o port=" + port
                        + " 127.0.0.1:/ m; rdma:reconnect m; nfs:ls m:/");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).containsPattern("reconnected m: version 2, pause \\d+ ms\n");
        assertThat(run.status()).isZero();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
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
