package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A copy of a large file is stopped by Ctrl-C or killed, and then taken up again by the command that the user has. The
 * second copy moves only what the first had not moved, by its own count.
 */
final class ResumedCopyIT {
    private static final int MIB = 1 << 20;
    private static final int SIZE = 150 * MIB;

    /** What can be in flight: two jobs, by the blocks of 1 MiB that each has read or is writing, and one more. */
    private static final long IN_FLIGHT = 2L * 9 * MIB;

    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final Pattern SHOWN = Pattern.compile("([0-9]+)% ");
    private static final Pattern HINT = Pattern.compile("to go on: (nfs:.*)");
    private static final Pattern SUMMARY =
            Pattern.compile("1 file, ([0-9]+) octets, [^;\n]*; kept ([0-9]+) octets that were there");

    private Path folder;
    private Path served;
    private Path local;

    @BeforeEach
    void makeFolders() throws IOException {
        Path memory = Path.of("/dev/shm");
        boolean isRoomy = Files.isWritable(memory)
                && Files.getFileStore(memory).getUsableSpace() > 4L * SIZE; // content is moved faster there
        folder = isRoomy ? Files.createTempDirectory(memory, "verbena") : Files.createTempDirectory("verbena");
        served = Files.createDirectory(folder.resolve("served"));
        local = Files.createDirectory(folder.resolve("local"));
    }

    @AfterEach
    void removeFolders() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(ResumedCopyIT::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path makeSource(boolean isPut) throws IOException {
        byte[] content = new byte[SIZE];
        new Random(1).nextBytes(content); // zeros would become holes
        return Files.write((isPut ? local : served).resolve("large"), content);
    }

    private String copy(boolean isPut, String options) {
        String files = isPut ? local + "/large m:/" : "m:/large " + local;
        return "nfs:" + (isPut ? "put" : "get") + " " + options + " " + files;
    }

    /** Runs a copy, stops it when a third is done, and returns its output. */
    private Launcher.Result stop(int port, String copy, boolean isKilled) throws Exception {
        Launcher.Run run = start(port, copy);
        try {
            Launcher.awaitTrue(() -> {
                Matcher shown = SHOWN.matcher(Files.readString(run.err()));
                return shown.results().anyMatch(each -> Integer.parseInt(each.group(1)) >= 33);
            });
            if (isKilled) {
                List<ProcessHandle> all = run.process().descendants().toList();
                all.forEach(ProcessHandle::destroyForcibly); // SIGKILL: the JVM tidies nothing up
                run.process().destroyForcibly();
            } else {
                new ProcessBuilder("kill", "-INT", String.valueOf(run.process().pid()))
                        .start()
                        .waitFor();
            }
            return run.await();
        } finally {
            run.process().destroyForcibly();
        }
    }

    private Launcher.Run start(int port, String command) throws IOException {
        return new Launcher(folder)
                .startWith(
                        Map.of("XDG_STATE_HOME", folder.resolve("state").toString()),
                        "-c",
                        "nfs:mount -o port=" + port + " 127.0.0.1:/ m; " + command);
    }

    private void stopAndGoOn(boolean isPut, boolean isKilled) throws Exception {
        Path source = makeSource(isPut);
        ExportSettings settings = new ExportSettings(
                "resumed",
                served,
                false,
                new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY),
                16,
                true,
                LEASE,
                LEASE);
        try (VerbenaStack stack = new VerbenaStack();
                NfsServer server = new NfsServer(settings, folder.resolve("export"), new SystemRuntime());
                RpcListener listener = stack.serve(server, 0)) {
            int port = listener.localAddress().getPort();
            String slow = copy(isPut, (isKilled ? "--resume " : "") + "--jobs 2 --bwlimit 15M");

            Launcher.Result stopped = stop(port, slow, isKilled);
            String goOn = isKilled ? copy(isPut, "--resume") : hint(stopped).replace(" --bwlimit 15M", "");
            Launcher.Result second = start(port, goOn).await();

            assertThat(second.status()).as(second.toString()).isZero();
            Matcher summary = SUMMARY.matcher(second.err());
            assertThat(summary.find()).as(second.toString()).isTrue();
            long moved = Long.parseLong(summary.group(1));
            long kept = Long.parseLong(summary.group(2));
            assertThat(moved + kept).isEqualTo(SIZE);
            assertThat(kept).isGreaterThanOrEqualTo(SIZE / 3 - IN_FLIGHT);
            System.out.println((isPut ? "put" : "get") + (isKilled ? " killed" : " Ctrl-C") + ": kept " + kept
                    + ", moved " + moved);
        }
        assertThat(Files.mismatch(source, (isPut ? served : local).resolve("large")))
                .isEqualTo(-1);
        try (Stream<Path> left = Files.list(isPut ? served : local)) {
            assertThat(left)
                    .as("parts")
                    .noneMatch(file -> file.getFileName().toString().startsWith(".verbena-"));
        }
    }

    private static String hint(Launcher.Result stopped) {
        assertThat(stopped.status()).as(stopped.toString()).isEqualTo(130);
        Matcher hint = HINT.matcher(stopped.err());
        assertThat(hint.find()).as(stopped.toString()).isTrue();
        return hint.group(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGoOnAfterCtrlCWithTheCommandThatItPrints(boolean isPut) throws Exception {
        stopAndGoOn(isPut, false);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGoOnAfterItWasKilled(boolean isPut) throws Exception {
        stopAndGoOn(isPut, true);
    }
}
