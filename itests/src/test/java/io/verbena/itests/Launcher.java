package io.verbena.itests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts the launcher as a user does. Each run has a folder for its output and temporary files. */
public final class Launcher {
    private static final long TIMEOUT_SECONDS = 300;
    private static final long START_SECONDS = 180;
    private static final long LOOK_MILLIS = 20;

    private final Path folder;
    private final Path temporary;
    private final Path program;
    private final Path workingDirectory;

    public Launcher(Path folder) throws IOException {
        this(folder, Path.of(System.getProperty("verbena.launcher", "../verbena")), Path.of(""));
    }

    /** Another launcher than that of the checkout, started from the given working directory. */
    Launcher(Path folder, Path program, Path workingDirectory) throws IOException {
        this.folder = folder;
        this.temporary = Files.createDirectories(folder.resolve("temporary"));
        // whatever the umask is: the launcher refuses a directory that others can change
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwx------"));
        this.program = program;
        this.workingDirectory = workingDirectory.toAbsolutePath();
    }

    /** A port of this host without a listener. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A condition to wait for. */
    @FunctionalInterface
    interface Condition {
        boolean isTrue() throws IOException;
    }

    /** Waits until a condition is true. The pauses between checks leave the processor to the run. */
    static void awaitTrue(Condition condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!condition.isTrue()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not so after " + START_SECONDS + " s");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    /** Makes a gate in the folder, at which a script stands with a {@code cat} of it. */
    Path makeGate() throws IOException, InterruptedException {
        Path gate = folder.resolve("gate");
        Process made = new ProcessBuilder("mkfifo", gate.toString()).start();
        if (made.waitFor() != 0) {
            throw new AssertionError("mkfifo ends with " + made.exitValue());
        }
        return gate;
    }

    /** Lets the script go on behind its next {@code cat} of the gate. */
    static void open(Path gate) throws IOException {
        try (OutputStream out = Files.newOutputStream(gate)) {
            out.write('\n');
        }
    }

    /** The folder in which the launcher puts the folders of its runs. */
    public Path temporary() {
        return temporary;
    }

    /** The launcher itself. */
    public Path program() {
        return program.toAbsolutePath().normalize();
    }

    public Result run(String... arguments) throws IOException, InterruptedException {
        return start(arguments).await();
    }

    /** Starts a run with the given text as its standard input. */
    public Result runWithInput(String input, String... arguments) throws IOException, InterruptedException {
        Run run = start(arguments);
        run.process.getOutputStream().write(input.getBytes(UTF_8));
        return run.await();
    }

    public Run start(String... arguments) throws IOException {
        return startWith(Map.of(), arguments);
    }

    /** Starts a run with further environment variables. */
    public Run startWith(Map<String, String> environment, String... arguments) throws IOException {
        // A build in the background ignores SIGINT, and a shell cannot trap a signal that it inherits as ignored.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.add(program.toString());
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "run", ".out");
        Path err = Files.createTempFile(folder, "run", ".err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(workingDirectory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("TMPDIR", temporary.toString());
        // the minimal locale: file names have to be UTF-8 all the same
        builder.environment().put("LC_ALL", "C");
        String newer = System.getProperty("verbena.newer.jdk");
        if (newer != null) {
            builder.environment().put("JAVA_HOME", newer);
        }
        builder.environment().putAll(environment);
        return new Run(builder.start(), out, err);
    }

    /** One run of the launcher. */
    public record Run(Process process, Path out, Path err) {
        /** Waits until the run has printed a line. */
        void await(String line) throws IOException, InterruptedException {
            awaitTrue(() -> {
                expectAlive();
                return Files.readString(out).lines().anyMatch(line::equals);
            });
        }

        /** Fails with the output if the run has ended. */
        void expectAlive() throws IOException {
            if (!process.isAlive()) {
                throw new AssertionError("it has ended: " + printed());
            }
        }

        /** What the run has printed until now. */
        String printed() throws IOException {
            return Files.readString(out) + Files.readString(err);
        }

        public Result await() throws IOException, InterruptedException {
            return await(TIMEOUT_SECONDS);
        }

        /** Waits with another time-out. */
        public Result await(long seconds) throws IOException, InterruptedException {
            process.getOutputStream().close();
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw new AssertionError(
                        "no end after " + seconds + " s, so far: " + Files.readString(out) + Files.readString(err));
            }
            return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
        }
    }

    /** The exit status and the output of a run. */
    public record Result(int status, String out, String err) {
        /** Returns the lines of the error stream that report failures, without the notes of commands. */
        public List<String> failures() {
            return err.lines().filter(line -> line.startsWith("verbena: ")).toList();
        }
    }
}
