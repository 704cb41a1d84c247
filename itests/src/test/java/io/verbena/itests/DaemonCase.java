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
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server, and a resident instance that is used through the launcher. The instance says how many scripts it has taken,
 * which tells who has run a script.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DaemonCase {
    static final Pattern STATUS = Pattern.compile("process (\\d+),.* scripts taken: (\\d+), running: (\\d+)");
    static final Path PROGRAM =
            Path.of(System.getProperty("verbena.launcher", "../verbena")).toAbsolutePath();
    private static final int LARGE = 5 << 20;

    Path folder;
    Path work;
    String mount;

    /** The directory of the instances. */
    Path runtime;

    /** What the server has at its root. */
    Path served;

    private Launcher verbena;
    private Launcher.Run server;

    /** The exit status and the octets of both outputs. */
    record Outcome(int status, String out, String err) {
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
        verbena = new Launcher(folder, PROGRAM, work);
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

    final Launcher.Run start(Map<String, String> environment, String... arguments) throws IOException {
        Map<String, String> all = new HashMap<>(Map.of("XDG_RUNTIME_DIR", runtime.toString()));
        all.putAll(environment);
        return verbena.startWith(all, arguments);
    }

    final Outcome run(String... arguments) throws Exception {
        return Outcome.of(start(Map.of(), arguments));
    }

    final Matcher status(String... options) throws Exception {
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

    final int taken() throws Exception {
        return Integer.parseInt(status().group(2));
    }

    /** Runs a script in a process of its own and in the instance, and compares what both did. */
    final Outcome compared(String input, String... arguments) throws Exception {
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

    static void signal(String name, long process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, "" + process).start().waitFor())
                .isZero();
    }
}
