package io.verbena.cli.internal.complete;

import io.verbena.cli.Text;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;

/**
 * A word that is, or begins, a path, and how names are written into it: as {@link Text#name} shows them, with backslashes
 * doubled, since the shell takes one of two. What a disk or a server lists must never become commands, so that names which
 * would need quotes are left to those who type them.
 */
final class PathWord {
    private static final String PLAIN_PUNCTUATION = "._-+@,%";
    private static final String PATH_PUNCTUATION = PLAIN_PUNCTUATION + "/:~ ";

    private final String typed;
    private final boolean isPassed;

    /**
     * @param line whose word under the cursor it is, as far as the cursor
     */
    PathWord(CommandLine line) {
        String word = line.getCursorArgument();
        this.typed = word == null ? "" : word.substring(0, Math.min(word.length(), line.getArgumentPosition()));
        // a word before the one under the cursor is asked for alone, without its line
        this.isPassed = !typed.isEmpty() && typed.equals(line.getBuffer());
    }

    /** As far as the cursor, without the quotes. */
    String typed() {
        return typed;
    }

    /** Whether something can be said of it: behind a quote or a backslash the shell's own completion fails. */
    boolean canGoOn() {
        return isPlain(typed, PATH_PUNCTUATION);
    }

    /** Whether it is not to be completed, but only asked whether it may stand where it does, as any path may. */
    boolean isPassed() {
        return isPassed;
    }

    /** What stands for a word that {@link #isPassed}. */
    List<Candidate> itself() {
        return List.of(new Candidate(typed));
    }

    /** Whether a name, as it is shown, goes on with what has been typed of it. */
    static boolean isBegunBy(String begun, String shown) {
        return shown.regionMatches(true, 0, begun, 0, begun.length());
    }

    /**
     * The word with a name at its end; empty where that would need quotes.
     *
     * @param directory what was typed before the name
     * @param shown the name as people see it
     */
    static Optional<Candidate> with(String directory, String shown, boolean isDirectory) {
        String written = shown.replace("\\", "\\\\");
        if (!isPlain(shown.replace("\\", ""), PLAIN_PUNCTUATION)) {
            return Optional.empty();
        }
        if (!isDirectory) {
            return Optional.of(new Candidate(directory + written, shown, null, null, null, null, true));
        }
        // one with a backslash ends the word, since the shell cannot complete what follows it
        boolean isEnd = written.indexOf('\\') >= 0;
        return Optional.of(new Candidate(directory + written + "/", shown + "/", null, null, null, null, isEnd));
    }

    /** A candidate that more follows, without a space. */
    static Candidate open(String value, String shown) {
        return new Candidate(value, shown, null, null, null, null, false);
    }

    private static boolean isPlain(String text, String punctuation) {
        return text.codePoints().allMatch(each -> Character.isLetterOrDigit(each) || punctuation.indexOf(each) >= 0);
    }
}
