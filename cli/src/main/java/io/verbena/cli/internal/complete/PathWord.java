package io.verbena.cli.internal.complete;

import io.verbena.cli.Text;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;

/**
 * A word that is a path or the start of one. Names are written into the word as {@link Text#name} shows them, with
 * doubled backslashes, because the shell removes one of two. A name from a disk or a server must never become a
 * command, so names that would require quotes are not completed.
 */
final class PathWord {
    private static final String PLAIN_PUNCTUATION = "._-+@,%";
    private static final String PATH_PUNCTUATION = PLAIN_PUNCTUATION + "/:~ ";

    private final String typed;
    private final boolean isPassed;

    /**
     * Creates the word under the cursor, up to the cursor.
     *
     * @param line the command line
     */
    PathWord(CommandLine line) {
        String word = line.getCursorArgument();
        this.typed = word == null ? "" : word.substring(0, Math.min(word.length(), line.getArgumentPosition()));
        // For a word before the one under the cursor, the shell passes the word alone without its line.
        this.isPassed = !typed.isEmpty() && typed.equals(line.getBuffer());
    }

    /** Returns the word up to the cursor, without quotes. */
    String typed() {
        return typed;
    }

    /** Returns whether the word can be completed. After a quote or a backslash, the completion of the shell fails. */
    boolean canGoOn() {
        return isPlain(typed, PATH_PUNCTUATION);
    }

    /** Returns whether the shell only asks whether the word is allowed in its position. Any path is allowed. */
    boolean isPassed() {
        return isPassed;
    }

    /** Returns the candidate for a word that {@link #isPassed}. */
    List<Candidate> itself() {
        return List.of(new Candidate(typed));
    }

    /** Returns whether a name, as shown, starts with the typed text. Ignores case. */
    static boolean isBegunBy(String begun, String shown) {
        return shown.regionMatches(true, 0, begun, 0, begun.length());
    }

    /**
     * Returns the word completed with a name; empty if the name would require quotes.
     *
     * @param directory the typed text before the name
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
        // A word with a backslash ends here, because the shell cannot complete the text after it.
        boolean isEnd = written.indexOf('\\') >= 0;
        return Optional.of(new Candidate(directory + written + "/", shown + "/", null, null, null, null, isEnd));
    }

    /** Returns a candidate that can be continued, without a space after it. */
    static Candidate open(String value, String shown) {
        return new Candidate(value, shown, null, null, null, null, false);
    }

    private static boolean isPlain(String text, String punctuation) {
        return text.codePoints().allMatch(each -> Character.isLetterOrDigit(each) || punctuation.indexOf(each) >= 0);
    }
}
