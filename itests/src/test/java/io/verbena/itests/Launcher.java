package io.verbena.itests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts the launcher as a user does, with a folder of its own for all that the run leaves behind. */
public final class Launcher {
    private static final long TIMEOUT_SECONDS = 300;
    private static final long START_SECONDS = 60;
    private static final long LOOK_MILLIS = 20;

    private final Path folder;
    private final Path temporary;

    public Launcher(Path folder) throws IOException {
        this.folder = folder;
        this.temporary = Files.createDirectories(folder.resolve("temporary"));
    }

    /** A port of this host's that nobody listens on. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** What a run may come to. */
    @FunctionalInterface
    interface Condition {
        boolean isTrue() throws IOException;
    }

    /** Waits until it is so, with looks far enough apart to leave the processor to the run. */
    static void awaitTrue(Condition condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!condition.isTrue()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not so after " + START_SECONDS + " s");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    /** Where the launcher puts the folders of its runs. */
    public Path temporary() {
        return temporary;
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

    /** Starts a run with more in its environment. */
    public Run startWith(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("verbena.launcher", "../verbena"));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "run", ".out");
        Path err = Files.createTempFile(folder, "run", ".err");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("TMPDIR", temporary.toString());
        // the poorest of locales: names of files are UTF-8 all the same
        builder.environment().put("LC_ALL", "C");
        builder.environment().putAll(environment);
        return new Run(builder.start(), out, err);
    }

    /** One run of the launcher. */
    public record Run(Process process, Path out, Path err) {
        public Result await() throws IOException, InterruptedException {
            return await(TIMEOUT_SECONDS);
        }

        /** As above, for a run that may take its time. */
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

    /** What a run left: its exit status and what it printed. */
    public record Result(int status, String out, String err) {}
}
