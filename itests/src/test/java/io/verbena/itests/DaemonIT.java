package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The resident instance, used through the launcher. Scripts that it runs do what a process of their own does, to the
 * octet. The instance says how many scripts it has taken, which tells who has run a script.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DaemonIT {
    private static final Pattern STATUS = Pattern.compile("process (\\d+),.* scripts taken: (\\d+), running: (\\d+)");
    private static final int LARGE = 5 << 20;

    private Path folder;

    private Path runtime;
    private Path served;
    private Path work;
    private Launcher verbena;
    private Launcher.Run server;
    private String mount;

    /** The exit status and the octets of both outputs. */
    private record Outcome(int status, String out, String err) {
        static Outcome of(Launcher.Run run) throws Exception {
            return of(run, new byte[0]);
        }

        static Outcome of(Launcher.Run run, byte[] input) throws Exception {
            try (var in = run.process().getOutputStream()) {
                in.write(input);
            } catch (IOException e) {
                assertThat(e).as("the script may end before it has read all").hasMessageContaining("pipe");
            }
            assertThat(run.process().waitFor(300, TimeUnit.SECONDS)).isTrue();
            return new Outcome(
                    run.process().exitValue(),
                    Files.readString(run.out(), StandardCharsets.ISO_8859_1),
                    Files.readString(run.err(), StandardCharsets.ISO_8859_1));
        }
    }

    /** The process of the instance that most tests use. */
    private String instance;

    @BeforeAll
    void serve(@TempDir Path given) throws Exception {
        folder = given;
        runtime = Files.createDirectory(
                folder.resolve("r"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        work = Files.createDirectory(folder.resolve("work"));
        served = Files.createDirectory(folder.resolve("served"));
        Files.writeString(served.resolve("file"), "content\n");
        byte[] large = new byte[LARGE];
        new Random(36).nextBytes(large);
        Files.write(served.resolve("large"), large);
        // a name that is no UTF-8
        new ProcessBuilder("sh", "-c", "touch \"$(printf 'n\\351')\"")
                .directory(served.toFile())
                .start()
                .waitFor();
        verbena = new Launcher(
                folder,
                Path.of(System.getProperty("verbena.launcher", "../verbena")).toAbsolutePath(),
                work);
        int port = Launcher.freePort();
        mount = "nfs:mount -o port=" + port + " 127.0.0.1:/ m; ";
        server = start(Map.of(), "serve", served.toString(), "--port", "" + port, "--name", "e", "--no-root-squash");
        Launcher.awaitTrue(() -> Files.readString(server.err()).contains("ready: "));
        assertThat(Outcome.of(start(Map.of(), "--daemon", "auto", "-c", "echo begun")))
                .isEqualTo(new Outcome(0, "begun\n", ""));
        instance = status().group(1);
        assertThat(taken()).isEqualTo(1);
    }

    @AfterAll
    void end() throws Exception {
        start(Map.of(), "daemon", "stop").await();
        server.process().destroy();
        server.await();
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    private Launcher.Run start(Map<String, String> environment, String... arguments) throws IOException {
        Map<String, String> all = new HashMap<>(Map.of("XDG_RUNTIME_DIR", runtime.toString()));
        all.putAll(environment);
        return verbena.startWith(all, arguments);
    }

    private Outcome run(String... arguments) throws Exception {
        return Outcome.of(start(Map.of(), arguments));
    }

    private Matcher status(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of(options));
        words.addAll(List.of("daemon", "status"));
        Launcher.Result result = start(Map.of(), words.toArray(new String[0])).await();
        Matcher status = STATUS.matcher(result.out());
        // other tests may have instances of other options in the same directory
        do {
            assertThat(status.find()).as(result.out() + result.err()).isTrue();
        } while (options.length == 0 && instance != null && !instance.equals(status.group(1)));
        return status;
    }

    private int taken() throws Exception {
        return Integer.parseInt(status().group(2));
    }

    /** Runs a script in a process of its own and in the instance, and compares what both did. */
    private Outcome compared(String input, String... arguments) throws Exception {
        List<String> cold = new ArrayList<>(List.of("--daemon", "off"));
        cold.addAll(List.of(arguments));
        int before = taken();
        byte[] octets = input.getBytes(StandardCharsets.UTF_8);
        Outcome alone = Outcome.of(start(Map.of(), cold.toArray(new String[0])), octets);
        assertThat(taken()).isEqualTo(before);
        Outcome resident = Outcome.of(start(Map.of(), arguments), octets);
        assertThat(taken()).as(Arrays.toString(arguments)).isEqualTo(before + 1);
        assertThat(resident).as(Arrays.toString(arguments)).isEqualTo(alone);
        return resident;
    }

    @Test
    void shouldDoTheSameAsAProcessOfItsOwn() throws Exception {
        Path script =
                Files.writeString(folder.resolve("script"), "# as a file\necho $1 $argc $args\nnfs:cat m:/none\n");
        assertThat(compared("", "-c", "nfs:version; echo $2 $argc $args", "a b", "$HOME;'x", "*")
                        .status())
                .isZero();
        assertThat(compared("", "--keep-going", script.toString(), "one", "").status())
                .isEqualTo(3);
        assertThat(compared("", "-c", mount + "nfs:ls -l m:/; nfs:cat m:/file; nfs:ls m:/ | grep file")
                        .out())
                .contains("n\\xE9", "content");
        assertThat(compared(
                                "",
                                "-q",
                                "-c",
                                mount + "nfs:get -q -f m:/file here; nfs:put -q ./here m:/there;"
                                        + " nfs:sha256 here m:/there; nfs:stat m:/there | grep -c there")
                        .status())
                .isZero();
        assertThat(work.resolve("here")).hasContent("content");
        assertThat(compared("some input\n", "-q", "-c", mount + "nfs:put -q - m:/in; nfs:cat m:/in")
                        .out())
                .isEqualTo("some input\n");
        assertThat(compared("", "-c", mount + "nfs:cat m:/none; echo after").status())
                .isEqualTo(3);
        assertThat(compared("", "-q", "-c", mount + "nfs:ls --recusrive m:/").status())
                .isEqualTo(2);
        assertThat(compared("", "-q", "-c", mount + "nfs:lss m:/").status()).isEqualTo(2);
        assertThat(compared("", "-c", "nfs:mount nosuchhost.invalid:/ p").status())
                .isEqualTo(5);
        assertThat(compared("", "-c", mount + "nfs:lock m:/file { nfs:cat m:/file }; each [1 2] { echo $it }")
                        .out())
                .isEqualTo("content\n1\n2\n");
    }

    @Test
    void shouldCarryOctetsAndTheLossOfTheirReader() throws Exception {
        Outcome whole = compared("", "-q", "-c", mount + "nfs:get m:/large -");
        assertThat(whole.out().getBytes(StandardCharsets.ISO_8859_1))
                .isEqualTo(Files.readAllBytes(served.resolve("large")));

        String script = mount + "nfs:get m:/large -; echo after";
        List<String> seen = new ArrayList<>();
        for (String daemon : List.of("off", "use")) {
            Process pipe = new ProcessBuilder(
                            "sh",
                            "-c",
                            "{ \"$0\" --daemon " + daemon + " -q -c \"$1\" 2>&1 >&3; echo \"status $?\"; } 3>&1 >\"$2\""
                                    + " | head -c 1000 | wc -c",
                            System.getProperty(
                                    "verbena.launcher",
                                    Path.of("../verbena").toAbsolutePath().toString()),
                            script,
                            folder.resolve("told").toString())
                    .directory(work.toFile())
                    .redirectErrorStream(true)
                    .start();
            assertThat(new String(pipe.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip())
                    .isEqualTo("1000");
            seen.add(Files.readString(folder.resolve("told")));
        }
        assertThat(seen.get(1)).isEqualTo(seen.get(0)).contains("verbena: ").doesNotContain("status 0");
    }

    @Test
    void shouldPassSignalsOn() throws Exception {
        for (Map.Entry<String, Integer> signal :
                Map.of("INT", 130, "TERM", 143, "HUP", 129).entrySet()) {
            List<Outcome> outcomes = new ArrayList<>();
            for (String daemon : List.of("off", "use")) {
                int before = taken();
                Launcher.Run run = start(Map.of(), "--daemon", daemon, "-c", mount + "nfs:tail -f m:/file; echo after");
                Launcher.awaitTrue(() -> Files.readString(run.out()).contains("content"));
                signal(signal.getKey(), run.process().pid());
                outcomes.add(withoutEvents(Outcome.of(run)));
                assertThat(taken()).isEqualTo(daemon.equals("off") ? before : before + 1);
            }
            assertThat(outcomes.get(1)).isEqualTo(outcomes.get(0));
            assertThat(outcomes.get(1).status()).isEqualTo(signal.getValue());
        }
    }

    /** The service for events of a process that ends may say that it was interrupted. */
    private static Outcome withoutEvents(Outcome outcome) {
        String err = outcome.err().replaceAll("WARNING: EventAdmin: .*\n", "");
        return new Outcome(outcome.status(), outcome.out(), err);
    }

    private static void signal(String name, long process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, "" + process).start().waitFor())
                .isZero();
    }

    @Test
    void shouldLeaveNothingToTheNextScript() throws Exception {
        int port = Launcher.freePort();
        String leave = "X = left; nfs:export --no-root-squash --port " + port + " --name left " + work + "; " + mount
                + "nfs:cd m:/; echo done";
        for (int i = 0; i < 2; i++) {
            assertThat(run("-c", leave).out()).isEqualTo("done\n");
            assertThat(run("-c", "nfs:mounts --json; nfs:exports --json; echo \"<$X>\"")
                            .out())
                    .isEqualTo("[]\n[]\n<>\n");
        }
        status();
    }

    @Test
    void shouldRunElsewhereWhatItCannotRun() throws Exception {
        int before = taken();
        Launcher.Run first = start(Map.of(), "-c", mount + "nfs:tail -f m:/file");
        Launcher.awaitTrue(() -> Files.readString(first.out()).contains("content"));
        assertThat(run("-c", "echo second").out()).isEqualTo("second\n");
        first.process().destroy();
        first.await();
        assertThat(taken()).isEqualTo(before + 1);

        Outcome changing = run("-c", "bundle:stop io.verbena.cli.rdma; rdma:devices");
        assertThat(changing.status()).isEqualTo(5);
        assertThat(run("-c", "rdma:devices").status()).isZero();
        assertThat(taken()).isEqualTo(before + 2);

        // what commands make has the modes that the caller wants
        Process masked = new ProcessBuilder(
                        "sh",
                        "-c",
                        "umask 077; exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("verbena.launcher", "../verbena"))
                                .toAbsolutePath()
                                .toString(),
                        "-q",
                        "-c",
                        mount + "nfs:get -q -f m:/file masked; echo ok")
                .directory(work.toFile())
                .start();
        assertThat(masked.waitFor()).isZero();
        assertThat(taken()).isEqualTo(before + 2);
        assertThat(start(Map.of("VERBENA_OPTS", "-Dother=true"), "-c", "echo other")
                        .await()
                        .out())
                .isEqualTo("other\n");
        assertThat(taken()).isEqualTo(before + 2);
    }

    @Test
    void shouldTalkToProcessesOfItsUserOnly() throws Exception {
        Path sockets = runtime.resolve("verbena");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(sockets)))
                .isEqualTo("rwx------");
        Path socket;
        try (var all = Files.newDirectoryStream(sockets, "*.sock")) {
            socket = all.iterator().next();
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-------");

        // others would have to get through the directories and the socket first
        String ask = "$SIG{PIPE} = 'IGNORE'; socket(S, 1, 1, 0);"
                + " connect(S, pack('Sa*', 1, \"$ARGV[0]\\0\")) or die 'not connected';"
                + " syswrite S, pack('aN', 'Q', 0); print sysread(S, $x, 99) ? 'answer' : 'none'";
        assertThat(output("perl", "-e", ask, socket.toString())).isEqualTo("answer");
        if ("root".equals(System.getProperty("user.name"))) {
            List<Path> opened = List.of(folder, runtime, sockets, socket);
            for (Path each : opened) {
                Files.setPosixFilePermissions(
                        each, PosixFilePermissions.fromString(each.equals(socket) ? "rwxrwxrwx" : "rwxr-xr-x"));
            }
            String stranger = output(
                    "setpriv",
                    "--reuid=65534",
                    "--regid=65534",
                    "--clear-groups",
                    "perl",
                    "-e",
                    ask,
                    socket.toString());
            int before = taken(socket);
            // the client trusts no directory that others can enter
            assertThat(run("-c", "echo alone").out()).isEqualTo("alone\n");
            assertThat(taken(socket)).isEqualTo(before);
            for (Path each : opened) {
                Files.setPosixFilePermissions(
                        each, PosixFilePermissions.fromString(each.equals(socket) ? "rw-------" : "rwx------"));
            }
            assertThat(stranger).isEqualTo("none");
        }
        status();
    }

    private static int taken(Path socket) throws Exception {
        String ask = "socket(S, 1, 1, 0); connect(S, pack('Sa*', 1, \"$ARGV[0]\\0\")) or exit 3;"
                + " syswrite S, pack('aN', 'Q', 0); sysread S, $x, 999; print $x";
        Matcher status = STATUS.matcher(output("perl", "-e", ask, socket.toString()));
        assertThat(status.find()).isTrue();
        return Integer.parseInt(status.group(2));
    }

    private static String output(String... command) throws Exception {
        List<String> bounded = new ArrayList<>(List.of("timeout", "120"));
        bounded.addAll(List.of(command));
        Process process = new ProcessBuilder(bounded).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @Test
    void shouldSurviveTheDeathOfAnInstance() throws Exception {
        Map<String, String> own = Map.of("VERBENA_OPTS", "-Downer=death");
        assertThat(start(own, "--daemon", "auto", "-c", "echo one").await().out())
                .isEqualTo("one\n");
        Launcher.Run interrupted = start(own, "-q", "-c", mount + "nfs:tail -f m:/file");
        Launcher.awaitTrue(() -> Files.readString(interrupted.out()).contains("content"));
        long process = Long.parseLong(statuses().stream()
                .filter(status -> status.group(3).equals("1"))
                .findFirst()
                .orElseThrow()
                .group(1));
        signal("KILL", process);
        Launcher.Result lost = interrupted.await();
        assertThat(lost.err())
                .isEqualTo("verbena: the resident instance has ended during the script, which is not run again\n");
        assertThat(lost.status()).isEqualTo(5);

        // its socket is still there
        assertThat(start(own, "-c", "echo two").await().out()).isEqualTo("two\n");
        assertThat(start(own, "--daemon", "auto", "-c", "echo three").await().out())
                .isEqualTo("three\n");
        assertThat(statuses()).hasSizeGreaterThan(1);
    }

    private List<Matcher> statuses() throws Exception {
        List<Matcher> all = new ArrayList<>();
        start(Map.of(), "daemon", "status").await().out().lines().forEach(line -> {
            Matcher status = STATUS.matcher(line);
            assertThat(status.find()).as(line).isTrue();
            all.add(status);
        });
        return all;
    }

    @Test
    void shouldEndWhenItHasHadNothingToDo() throws Exception {
        Path state = Files.createDirectory(folder.resolve("idle"));
        Map<String, String> soon = Map.of("VERBENA_DAEMON_IDLE", "1");
        assertThat(start(soon, "--state", state.toString(), "--daemon", "auto", "-c", "echo one")
                        .await()
                        .out())
                .isEqualTo("one\n");
        Launcher.awaitTrue(() -> Files.notExists(state.resolve("resident/instance.sock")));
        assertThat(run("--state", state.toString(), "-c", "echo two").out()).isEqualTo("two\n");
    }

    @Test
    void shouldShareWhatADirectoryOfStateHas() throws Exception {
        Path state = Files.createDirectory(folder.resolve("state"));
        String[] with = {"--state", state.toString()};
        assertThat(run(with[0], with[1], "--daemon", "auto", "-q", "-c", mount + "echo mounted"))
                .isEqualTo(new Outcome(0, "mounted\n", ""));
        Launcher.Run first = start(Map.of(), with[0], with[1], "-c", "nfs:tail -f m:/file");
        Launcher.awaitTrue(() -> Files.readString(first.out()).contains("content"));
        assertThat(run(with[0], with[1], "-c", "nfs:cat m:/file").out()).isEqualTo("content\n");
        assertThat(status(with).group(2)).isEqualTo("3");
        first.process().destroy();
        assertThat(first.await().status()).isEqualTo(143);

        // the instance makes room for a process of its own, which has the mounts too
        Outcome other = run(with[0], with[1], "-c", "nfs:cat m:/file; bundle:list -t 0 -s | grep -c io.verbena.cli");
        assertThat(other.err()).isEmpty();
        assertThat(other.out()).startsWith("content\n");
        assertThat(start(Map.of(), with[0], with[1], "daemon", "status").await().status())
                .isEqualTo(3);
    }

    @Test
    void shouldKeepTheMountsOfAFileInTheForeground() throws Exception {
        Path told = folder.resolve("told-of-mounts");
        Path tools = Files.createDirectory(folder.resolve("tools"));
        Path notify = Files.writeString(tools.resolve("systemd-notify"), "#!/bin/sh\necho \"$*\" >>'" + told + "'\n");
        Files.setPosixFilePermissions(notify, PosixFilePermissions.fromString("rwxr-xr-x"));
        String[] with = {"--state", folder.resolve("service").toString()};
        String line = mount.replace("nfs:mount ", "").replace(" m; ", "");
        String port = line.replaceAll("\\D*(\\d+).*", "$1");
        Path mounts = Files.writeString(work.resolve("mounts"), "# what is mounted\n\n" + line + " one\n");
        Launcher.Run service = start(
                Map.of("NOTIFY_SOCKET", "/nonexistent", "PATH", tools + ":" + System.getenv("PATH")),
                with[0],
                with[1],
                "mount-service",
                "mounts");
        Launcher.awaitTrue(() -> Files.readString(service.err()).contains("ready: mounted one of 127.0.0.1:/ ("));
        assertThat(run(with[0], with[1], "-c", "nfs:cat one:/file")).isEqualTo(new Outcome(0, "content\n", ""));
        assertThat(run(with[0], with[1], "-c", "bundle:list").err())
                .startsWith("verbena: '" + with[1] + "' is in use: another verbena runs with it");

        Files.writeString(mounts, "127.0.0.1:/ /mnt/two nfs4 port=" + port + " 0 0\n");
        signal("HUP", service.process().pid());
        Launcher.awaitTrue(() -> Files.readString(service.err()).contains("ready: mounted two of 127.0.0.1:/ ("));
        assertThat(run(with[0], with[1], "-c", "nfs:cat two:/file").out()).isEqualTo("content\n");
        assertThat(run(with[0], with[1], "-c", "nfs:cat one:/file").status()).isEqualTo(3);

        service.process().destroy();
        Launcher.Result end = service.await();
        assertThat(end.err()).endsWith("stopping\n");
        assertThat(end.status()).isZero();
        assertThat(Files.readAllLines(told).stream().map(said -> said.replaceFirst("[= ].*", "")))
                .startsWith("READY", "RELOADING", "READY")
                .endsWith("STOPPING");
        assertThat(run(with[0], with[1], "-c", "nfs:mounts --json").out()).isEqualTo("[]\n");
        assertThat(run("mount-service", "mounts").err()).contains("mount-service wants --state DIR before it");
    }
}
