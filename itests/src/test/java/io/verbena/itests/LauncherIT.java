package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher and its scripts, used like a user does. */
final class LauncherIT {
    private static final Pattern SYMBOLIC_NAME = Pattern.compile("io\\.verbena\\.[a-z0-9.]+");

    @TempDir
    private Path folder;

    private Launcher verbena;

    @BeforeEach
    void setUp() throws IOException {
        verbena = new Launcher(folder);
    }

    @Test
    @Tag("newer-jdk")
    void shouldRunCommandsStartEveryBundleAndLeaveNothingBehind() throws Exception {
        int port = Launcher.freePort();

        Launcher.Result run = verbena.run(
                "-c",
                "nfs:version; bundle:list -t 0 -s --no-format; service:list -n; nfs:export --no-root-squash --port "
                        + port + " --name served " + folder + "; nfs:mount -o port=" + port
                        + " 127.0.0.1:/ m; rdma:reconnect m; nfs:ls m:/; echo done");

        // another note says what an export of root means
        assertThat(run.err().lines().filter(line -> !line.startsWith("note: ")))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("exported "),
                        line -> assertThat(line).startsWith("mounted "),
                        line -> assertThat(line).matches("reconnected m: version 2, pause \\d+ ms"));
        assertThat(run.out()).startsWith("Verbena ").endsWith("done\n");
        assertThat(run.status()).isZero();
        List<String> ours = run.out()
                .lines()
                .filter(line -> line.contains("\tio.verbena.") || line.contains(" io.verbena."))
                .filter(line -> line.matches(" *\\d+.*"))
                .toList();
        assertThat(ours).allMatch(line -> line.contains("Active"));
        assertThat(ours.stream().map(LauncherIT::symbolicName)).containsExactlyInAnyOrderElementsOf(Bundles.STARTED);
        assertThat(run.out()).contains("org.osgi.service.event.EventAdmin");
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    private static String symbolicName(String line) {
        Matcher name = SYMBOLIC_NAME.matcher(line);
        assertThat(name.find()).as(line).isTrue();
        return name.group();
    }

    /** An empty file with the library's name hides an installed library. */
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
    @Tag("newer-jdk")
    void shouldTestADeviceAndFailWhereThereIsNone() throws Exception {
        Launcher.Result run = verbena.run("-c", "rdma:selftest --count 20 iwarp-lo; rdma:selftest iwarp-nonsense");

        assertThat(run.out().lines()).hasSize(11).allMatch(line -> line.matches(".{32}  ok( .*)?"));
        assertThat(run.out()).contains("access after invalidation", "Send latency", "RDMA Read bandwidth");
        assertThat(run.err())
                .startsWith("verbena: no device 'iwarp-nonsense': there is ")
                .contains("iwarp-lo");
        assertThat(run.status()).isEqualTo(3);
    }

    @Test
    void shouldStopAtTheFirstCommandThatFails() throws Exception {
        Launcher.Result run = verbena.runWithInput("echo before\nnfs:nonsense\necho after\n", "-");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).contains("before").doesNotContain("after");
        assertThat(run.err()).startsWith("verbena: no such command: nfs:nonsense");
        assertThat(run.err().lines()).hasSize(1);
    }

    @Test
    void shouldSayThatAScriptCannotBeRead() throws Exception {
        Path script = Files.write(folder.resolve("latin-1"), new byte[] {'#', ' ', (byte) 0xe9, '\n'});

        Launcher.Result run = verbena.run(script.toString());

        assertThat(run.err()).startsWith("verbena: the script cannot be run").hasLineCount(1);
        assertThat(run.status()).isEqualTo(1);
    }

    /**
     * First the script refreshes bundles that its own bundle is refreshed with, then bundles whose services commands
     * use.
     */
    @Test
    void shouldGoOnWhenAScriptRefreshesTheBundlesThatItUses() throws Exception {
        Launcher.Result run = verbena.run(
                "-c",
                "echo once; bundle:refresh io.verbena.verbs io.verbena.cli; nfs:version;"
                        + " bundle:refresh io.verbena.xdr io.verbena.rpc io.verbena.rpcrdma io.verbena.verbs"
                        + " io.verbena.verbs.selftest; rdma:devices; rdma:connections; nfs:mounts;"
                        + " bundle:list -t 0 -s --no-format");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).containsOnlyOnce("once").contains("Verbena ", "no connection", "nothing is mounted");
        assertThat(run.status()).isZero();
    }

    @Test
    void shouldRunTwoAtOnce() throws Exception {
        Launcher.Run one = verbena.start("-c", "nfs:version; echo one");
        Launcher.Run two = verbena.start("-c", "nfs:version; echo two");

        assertThat(one.await().out()).endsWith("one\n");
        assertThat(two.await().out()).endsWith("two\n");
    }

    /** The commands of a bundle come some time after the bundle has started: later on a host that is busy. */
    @Test
    void shouldFindItsCommandsOnABusyHost() throws Exception {
        List<Process> busy = new ArrayList<>();
        List<Launcher.Run> runs = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++) {
                busy.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
            }
            for (int i = 0; i < 4; i++) {
                runs.add(verbena.start("-c", "nfs:mounts --json; rdma:connections --json"));
            }
            for (Launcher.Run run : runs) {
                Launcher.Result result = run.await();
                assertThat(result.err()).isEmpty();
                assertThat(result.out()).isEqualTo("[]\n[]\n");
                assertThat(result.status()).isZero();
            }
        } finally {
            busy.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void shouldNameTheBundleWhoseCommandIsMissing() throws Exception {
        Launcher.Result run = verbena.run("-c", "bundle:stop io.verbena.cli.rdma; rdma:devices");

        assertThat(run.err())
                .isEqualTo("verbena: the command rdma:devices is not there: the bundle io.verbena.cli.rdma is stopped:"
                        + " bundle:start starts it\n");
        assertThat(run.status()).isEqualTo(5);
    }

    @Test
    @Tag("newer-jdk")
    void shouldPrintNothingButDataOnTheStandardOutput() throws Exception {
        int port = Launcher.freePort();
        Path served = Files.createDirectory(folder.resolve("served"));
        Path source = Files.writeString(folder.resolve("source"), "content\n");
        String commands = "nfs:export --no-root-squash --port " + port + " --name e " + served
                + "; nfs:mount -o port=" + port + " 127.0.0.1:/ m; nfs:put " + source + " m:/a; nfs:mkdir -p m:/d;"
                + " nfs:get m:/a " + folder.resolve("back") + "; nfs:get m:/a -; rdma:trace start "
                + folder.resolve("trace") + "; nfs:cat m:/a; rdma:trace stop; rdma:reconnect m;"
                + " nfs:mv m:/a m:/b; nfs:lock m:/b { nfs:cat m:/b }; nfs:rm m:/b; nfs:unmount m; nfs:unexport e";

        Launcher.Result run = verbena.run("-c", commands);
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("content\n".repeat(3));
        assertThat(run.err()).contains("mounted ", "exported ", "put 1 file", "got 1 file", "tracing", "reconnected");

        Files.delete(folder.resolve("trace"));
        Files.delete(folder.resolve("back"));
        Launcher.Result quiet = verbena.run("-q", "-c", commands);
        assertThat(quiet.err()).isEmpty();
        assertThat(quiet.out()).isEqualTo(run.out());
        assertThat(quiet.status()).isZero();
    }

    @Test
    void shouldKeepConfigurationInAFolderOfStateForOneAtATime() throws Exception {
        String state = folder.resolve("state").toString();

        Launcher.Run first = verbena.start("--state", state, "-c", "echo begun; sleep 600000");
        Launcher.awaitTrue(() -> Files.readString(first.out()).contains("begun"));
        Launcher.Result second = verbena.run("--state", state, "-c", "echo second");
        Files.writeString(folder.resolve("state/etc/io.verbena.test.cfg"), "colour = violet\n");
        first.process().destroy();
        int terminated = first.await().status();
        Launcher.Result third = verbena.run("--state", state, "-c", "config:property-list --pid io.verbena.test");

        assertThat(second.err()).isEqualTo("verbena: '" + state + "' is in use: another verbena runs with it\n");
        assertThat(second.status()).isEqualTo(2);
        assertThat(terminated).isEqualTo(143);
        assertThat(third.out()).contains("colour = violet");
    }

    /** Karaf hides such commands from sessions without the role, on whatever thread it looks. */
    @Test
    void shouldHaveTheCommandsOfAnAdministrator() throws Exception {
        Launcher.Result run = verbena.run("-c", "system:property verbena.test violet; system:property verbena.test");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("violet\n");
        assertThat(run.status()).isZero();
    }

    @Test
    @Tag("newer-jdk")
    void shouldForgetWiresBetweenBundlesThatAnotherJavaHasMade() throws Exception {
        Path state = folder.resolve("state");
        assertThat(verbena.run("--state", state.toString(), "-c", "echo first").status())
                .isZero();
        Path kept = state.resolve("data/cache/bundle0");
        Files.writeString(kept.resolve("last.java.version"), "11");
        try (Stream<Path> wires = Files.list(kept.resolve("wiring"))) {
            for (Path wire : wires.toList()) {
                // wires refer to all execution environments that the JVM has
                Files.writeString(wire, Files.readString(wire).replace(", 17.0.0", ""));
            }
        }

        Launcher.Result second = verbena.run("--state", state.toString(), "-c", "echo second");

        assertThat(second.out()).isEqualTo("second\n");
        assertThat(second.status()).as(second.err()).isZero();
    }

    @Test
    void shouldTidyUpADemonstrationThatIsInterrupted() throws Exception {
        Path state = folder.resolve("state");
        Launcher.Run run = verbena.start("--state", state.toString(), "demo");
        Launcher.awaitTrue(() -> Files.readString(run.out()).contains("mounted"));

        new ProcessBuilder("kill", "-INT", String.valueOf(run.process().pid()))
                .start()
                .waitFor();

        assertThat(run.await().status()).isEqualTo(130);
        assertThat(state.resolve("data/tmp")).isEmptyDirectory();
        try (Stream<Path> files = Files.walk(state.resolve("data"))) {
            assertThat(files).as("configurations").noneMatch(file -> file.toString()
                    .contains("demo-"));
        }
    }

    /** The script doubles a text until the heap is full; the JVM itself then writes a line, which is no data. */
    @Test
    @Tag("newer-jdk")
    void shouldEndWithAStatusOfItsOwnWhenTheHeapIsFull() throws Exception {
        Launcher.Result run = verbena.startWith(
                        Map.of("VERBENA_OPTS", "-Xmx96m"),
                        "-c",
                        "echo begun; x = 0123456789abcdef; while { true } { x = \"$x$x\" }; echo after")
                .await();

        assertThat(run.out()).isEqualTo("begun\n");
        assertThat(run.err())
                .startsWith("Terminating due to java.lang.OutOfMemoryError")
                .endsWith("\nverbena: the JVM's heap was full, and the process has ended; more is given by"
                        + " VERBENA_OPTS=-Xmx2g, for one\n");
        assertThat(run.status()).isEqualTo(8);
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    /** The JVM prints its options; a log without configuration prints, too. */
    @Test
    void shouldHaveOnlyTheDataOfItsScriptOnStandardOutput() throws Exception {
        Launcher.Result run = verbena.startWith(
                        Map.of(
                                "VERBENA_OPTS",
                                "-XX:+PrintCommandLineFlags"
                                        + " -Dorg.ops4j.pax.logging.DefaultServiceLog.level=DEBUG"),
                        "-c",
                        "echo data")
                .await();

        assertThat(run.out()).isEqualTo("data\n");
        assertThat(run.err()).contains("-XX:", "DEBUG");
        assertThat(run.status()).isZero();
    }

    @Test
    void shouldSayInOneLineWhyItCannotBegin() throws Exception {
        assertRefusal(
                verbena.startWith(Map.of("TMPDIR", folder + "/missing"), "-c", "echo started"),
                "verbena: cannot write to '" + folder + "/missing'");
        assertRefusal(
                verbena.startWith(Map.of("VERBENA_DAEMON_IDLE", "1.5"), "-c", "echo started"),
                "verbena: VERBENA_DAEMON_IDLE is '1.5', but it is a number of seconds");
        Path gone = Files.createDirectory(folder.resolve("gone"));
        Path inside = Files.writeString(
                folder.resolve("inside"),
                "cd '" + gone + "' && rmdir '" + gone + "' && exec \"$@\" 2>'" + folder + "/err'\n");
        Process process = new ProcessBuilder(
                        "sh", inside.toString(), verbena.program().toString(), "--daemon", "off", "-c", "echo started")
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(2);
        assertThat(Files.readString(folder.resolve("err"))).contains("verbena: the working directory was removed");
    }

    private static void assertRefusal(Launcher.Run run, String line) throws Exception {
        Launcher.Result end = run.await();
        assertThat(end.err()).startsWith(line).hasLineCount(1);
        assertThat(end.out()).isEmpty();
        assertThat(end.status()).isEqualTo(2);
    }

    @Test
    void shouldSayHowItIsUsed() throws Exception {
        assertThat(verbena.run("--help").out()).startsWith("Usage: verbena");
        assertThat(verbena.run("--version").out()).matches("verbena \\d+\\.\\d+\\.\\d+.*\n");
        assertThat(verbena.run("--nonsense").status()).isEqualTo(2);
        assertThat(verbena.run("no-such-file").err()).isEqualTo("verbena: cannot read 'no-such-file'\n");
    }
}
