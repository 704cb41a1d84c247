package io.verbena.cli.internal.nfs.serve;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.karaf.shell.support.CommandException;

/**
 * A file of exports. Each line has the words of {@code nfs:export} for one export: options, then the directory. Words
 * are quoted as in the shell. Empty lines, and lines that begin with {@code #}, are left out.
 */
final class ExportsFile {
    private static final long MAX_OCTETS = 1 << 20;

    private final Path path;

    ExportsFile(Path path) {
        this.path = path;
    }

    /** Returns the exports: the words of each, and the number of its first line. A repeated line counts once. */
    Map<String, Integer> read() throws CommandException {
        try {
            if (Files.size(path) > MAX_OCTETS) {
                throw new CommandFailure(
                        ExitStatus.USAGE, LocalNames.shown(path) + " is larger than 1 MiB: is it a file of exports?");
            }
            Map<String, Integer> exports = new LinkedHashMap<>();
            int number = 0;
            for (String line : Files.readAllLines(path)) {
                number++;
                String words = line.strip();
                if (!words.isEmpty() && !words.startsWith("#")) {
                    exports.putIfAbsent(words, number);
                }
            }
            return exports;
        } catch (IOException e) {
            throw Failures.of(Failures.about("cannot read the exports in " + LocalNames.shown(path), e));
        }
    }

    /** Returns a line as people find it. */
    String place(int line) {
        return LocalNames.shown(path) + ", line " + line;
    }
}
