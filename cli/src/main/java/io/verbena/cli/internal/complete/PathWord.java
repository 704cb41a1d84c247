package io.verbena.cli.internal.complete;

import io.verbena.cli.Text;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/**
 * A word that is a path or the start of one. Names are written into the word as {@link Text#name} shows them, with the
 * quotes or backslashes that they need where the word stands, so that the completed word means that very name. A name
 * from a disk or a server so never becomes a command.
 */
final class PathWord {
    private final String raw;
    private final QuotedWord word;
    private final boolean isPassed;
    private final boolean takesQuotes;

    /**
     * Creates the word under the cursor, up to the cursor.
     *
     * @param line the command line
     * @param session the session whose line it is
     */
    PathWord(CommandLine line, Session session) {
        String under = line.getCursorArgument();
        this.raw = under == null ? "" : under.substring(0, Math.min(under.length(), line.getArgumentPosition()));
        this.word = QuotedWord.of(raw);
        // For a word before the one under the cursor, the shell passes the word alone without its line.
        this.isPassed = !raw.isEmpty() && raw.equals(line.getBuffer());
        this.takesQuotes = RawWords.areIn(session);
    }

    /** Returns the word up to the cursor, without quotes. */
    String typed() {
        return word.text();
    }

    /** Returns whether the word can be completed: what it means is known before the command runs. */
    boolean canGoOn() {
        return word.isKnown() && (takesQuotes || raw.equals(word.text()));
    }

    /** Returns whether the shell only asks whether the word is allowed in its position. Any path is allowed. */
    boolean isPassed() {
        return isPassed;
    }

    /** Returns the candidate for a word that {@link #isPassed}. */
    List<Candidate> itself() {
        return List.of(new Candidate(raw));
    }

    /** Returns whether a name, as shown, starts with the typed text. Ignores case. */
    static boolean isBegunBy(String begun, String shown) {
        return shown.regionMatches(true, 0, begun, 0, begun.length());
    }

    /**
     * Returns the word completed with a name; empty if the word cannot be continued so.
     *
     * @param directory the typed text before the name, without quotes
     * @param shown the name as people see it
     */
    Optional<Candidate> with(String directory, String shown, boolean isDirectory) {
        String end = isDirectory ? "/" : "";
        // Such a name alone would be an option, a remote path, or the home of a user.
        boolean isAmbiguous = directory.isEmpty() && (shown.indexOf(':') >= 0 || shown.matches("[-~].*"));
        return with((isAmbiguous ? "./" : "") + directory + shown + end, shown + end, null, !isDirectory);
    }

    /** Returns the word completed with a whole text, as a candidate that is displayed as the text. */
    Optional<Candidate> whole(String text, String meaning, boolean isWhole) {
        return with(text, text, meaning, isWhole);
    }

    private Optional<Candidate> with(String text, String display, String meaning, boolean isWhole) {
        return written(text)
                .map(each -> each + (isWhole ? word.closing() : ""))
                .map(value -> new Candidate(value, display, null, meaning, null, null, isWhole));
    }

    private Optional<String> written(String text) {
        String typed = word.text();
        if (!takesQuotes && !text.codePoints().allMatch(QuotedWord::isPlain)) {
            return Optional.empty();
        }
        if (text.startsWith(typed)) {
            return Optional.of(word.with(text.substring(typed.length())));
        }
        // The text has other case, or is listed beside the others.
        return raw.equals(typed) ? Optional.of(QuotedWord.of("").with(text)) : Optional.empty();
    }

    /** Returns a candidate as long as the word, which the shell displays and with which it adds nothing to the word. */
    Candidate more(String shown) {
        return new Candidate(raw, shown, null, null, null, null, false);
    }
}
