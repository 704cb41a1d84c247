package io.verbena.itests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A terminal of tmux with one program: tests press keys and read the screen. */
final class Terminal implements AutoCloseable {
    static final int COLUMNS = 120;
    static final int LINES = 40;

    private static final String SESSION = "verbena";
    private static final long ANSWER_SECONDS = 20;
    private static final long SCREEN_SECONDS = 120;
    private static final long LOOK_MILLIS = 50;

    private final Path socket;

    /** Whether tmux is installed. */
    static boolean isAvailable() {
        try {
            return run(List.of("tmux", "-V")).status() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Starts the program.
     *
     * @param folder the folder for the socket of a separate tmux server
     * @param environment further environment variables of the program
     */
    Terminal(Path folder, Map<String, String> environment, String... command) throws IOException {
        socket = folder.resolve("tmux");
        List<String> words = new ArrayList<>(List.of(
                "-f", "/dev/null", "-u", "new-session", "-d", "-s", SESSION, "-x", "" + COLUMNS, "-y", "" + LINES));
        environment.forEach((name, value) -> words.addAll(List.of("-e", name + "=" + value)));
        words.addAll(List.of(command));
        tmux(words);
        // keep the screen after the end of the program
        tmux(List.of("set-option", "-t", SESSION, "remain-on-exit", "on"));
    }

    /** Types text literally. */
    void type(String text) throws IOException {
        tmux(List.of("send-keys", "-t", SESSION, "-l", text));
    }

    /** Presses a key by the name that tmux has for it: {@code Enter}, {@code Tab}, {@code C-c}. */
    void press(String key) throws IOException {
        tmux(List.of("send-keys", "-t", SESSION, key));
    }

    /** Types a line. */
    void enter(String line) throws IOException {
        type(line);
        press("Enter");
    }

    /** Waits for a condition on the screen, and returns the screen. */
    String await(String what, Predicate<String> wanted) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SCREEN_SECONDS);
        String screen = screen();
        while (!wanted.test(screen)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no " + what + " on the screen after " + SCREEN_SECONDS + " s:\n" + screen);
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            screen = screen();
        }
        return screen;
    }

    /** Waits for a text on the screen, and returns the screen. */
    String await(String text) throws IOException, InterruptedException {
        return await("'" + text + "'", screen -> screen.contains(text));
    }

    /** The text of the screen, with wrapped lines joined. */
    String screen() throws IOException {
        return tmux(List.of("capture-pane", "-p", "-J", "-t", SESSION));
    }

    /** Waits until the program has ended. */
    void awaitEnd() throws IOException, InterruptedException {
        await("end of the program", screen -> isEnded());
    }

    private boolean isEnded() {
        try {
            return tmux(List.of("display-message", "-p", "-t", SESSION, "#{pane_dead}"))
                    .strip()
                    .equals("1");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        tmux(List.of("kill-server"));
    }

    private String tmux(List<String> words) throws IOException {
        List<String> command = new ArrayList<>(List.of("tmux", "-S", socket.toString()));
        command.addAll(words);
        Output output = run(command);
        if (output.status() != 0) {
            throw new IOException(command + " exited with " + output.status() + ": " + output.text());
        }
        return output.text();
    }

    private record Output(int status, String text) {}

    private static Output run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), UTF_8);
        try {
            if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(command + " has not ended");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(command + " was interrupted", e);
        }
        return new Output(process.exitValue(), text);
    }
}
