package io.verbena.cli.internal.nfs.serve;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.internal.script.UsageErrors;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/**
 * A file with a line for each thing to serve, such as an export: the words of the command that makes it, quoted as in
 * the shell. Empty lines, and lines that begin with {@code #}, are left out.
 */
final class LinesFile {
    private static final long MAX_OCTETS = 1 << 20;

    private final Path path;
    private final String things;

    /**
     * Creates it.
     *
     * @param things what the lines stand for, as in "exports"
     */
    LinesFile(Path path, String things) {
        this.path = path;
        this.things = things;
    }

    /** Returns the lines: the words of each, and the number of its first line. A repeated line counts once. */
    Map<String, Integer> read() throws CommandException {
        try {
            if (Files.size(path) > MAX_OCTETS) {
                throw new CommandFailure(
                        ExitStatus.USAGE,
                        LocalNames.shown(path) + " is larger than 1 MiB: is it a file of " + things + "?");
            }
            Map<String, Integer> lines = new LinkedHashMap<>();
            int number = 0;
            for (String line : Files.readAllLines(path)) {
                number++;
                String words = line.strip();
                if (!words.isEmpty() && !words.startsWith("#")) {
                    lines.putIfAbsent(words, number);
                }
            }
            return lines;
        } catch (IOException e) {
            throw Failures.of(Failures.about("cannot read the " + things + " in " + LocalNames.shown(path), e));
        }
    }

    /** Runs the command that a line stands for. A failure explains what is wrong with its words. */
    static void execute(Session session, String command) throws Exception {
        try {
            session.execute(command);
        } catch (Exception e) {
            throw UsageErrors.explain(session.getRegistry(), e);
        }
    }

    /** Returns what one line stands for. */
    String thing() {
        return things.replaceFirst("s$", "");
    }

    /** Returns a line as people find it. */
    String place(int line) {
        return LocalNames.shown(path) + ", line " + line;
    }
}
