package io.verbena.cli.internal.complete;

/**
 * A word of the shell as it is typed, up to the cursor: what it means, and how text is added to it. In a word, a
 * backslash takes the meaning from the next character, single quotes from all others, and double quotes from all but
 * {@code "}, {@code \}, {@code $}, {@code %} and {@code `}. Immutable.
 */
final class QuotedWord {
    /** Characters besides letters and digits that mean themselves outside of quotes. */
    private static final String PLAIN = "._-+@,/:";

    private static final String SPECIAL_IN_DOUBLE_QUOTES = "\"\\$%";

    private static final String OUTSIDE_DOUBLE_QUOTES = "!'`{}[]*?";

    /** Where the end of the word is. */
    private enum Place {
        OUTSIDE,
        SINGLE_QUOTES,
        DOUBLE_QUOTES
    }

    private final String raw;
    private final String text;
    private final Place place;
    private final boolean isKnown;

    private QuotedWord(String raw, String text, Place place, boolean isKnown) {
        this.raw = raw;
        this.text = text;
        this.place = place;
        this.isKnown = isKnown;
    }

    /** Parses a word as it is typed. A backslash at its end is dropped. */
    static QuotedWord of(String raw) {
        StringBuilder text = new StringBuilder(raw.length());
        Place place = Place.OUTSIDE;
        boolean isKnown = true;
        int end = raw.length();
        for (int at = 0; at < raw.length(); at++) {
            char c = raw.charAt(at);
            if (place == Place.SINGLE_QUOTES) {
                if (c == '\'') {
                    place = Place.OUTSIDE;
                } else {
                    text.append(c);
                }
            } else if (c == '\\') {
                if (++at == raw.length()) {
                    end = at - 1;
                } else {
                    boolean isKept = place == Place.DOUBLE_QUOTES && "\"\\$%".indexOf(raw.charAt(at)) < 0;
                    text.append(isKept ? "\\" : "").append(raw.charAt(at));
                }
            } else if (c == '"') {
                place = place == Place.OUTSIDE ? Place.DOUBLE_QUOTES : Place.OUTSIDE;
            } else if (place == Place.DOUBLE_QUOTES) {
                isKnown &= "$%`".indexOf(c) < 0;
                text.append(c);
            } else if (c == '\'') {
                place = Place.SINGLE_QUOTES;
            } else {
                isKnown &= "$%`*?[]{}()<>|;&#!".indexOf(c) < 0;
                text.append(c);
            }
        }
        return new QuotedWord(raw.substring(0, end), text.toString(), place, isKnown);
    }

    /** Returns what a command receives. */
    String text() {
        return text;
    }

    /** Returns whether the text is known: a variable, a pattern or a block would become another text. */
    boolean isKnown() {
        return isKnown;
    }

    /** Returns the word with a text added that means itself. */
    String with(String more) {
        StringBuilder word = new StringBuilder(raw);
        more.codePoints().forEach(each -> {
            switch (place) {
                case OUTSIDE -> word.append(isPlain(each) ? "" : "\\").appendCodePoint(each);
                case SINGLE_QUOTES -> word.append(each == '\'' ? "'\\''" : Character.toString(each));
                case DOUBLE_QUOTES -> appendInDoubleQuotes(word, each);
            }
        });
        return word.toString();
    }

    /**
     * Adds a character. In double quotes the editor of lines would take an exclamation mark for a reference to its
     * history. The shell takes a single quote there for the start of another quote, and expands braces and patterns.
     * Such characters are put outside.
     */
    private static void appendInDoubleQuotes(StringBuilder word, int point) {
        if (OUTSIDE_DOUBLE_QUOTES.indexOf(point) >= 0) {
            word.append("\"\\").appendCodePoint(point).append('"');
        } else {
            word.append(SPECIAL_IN_DOUBLE_QUOTES.indexOf(point) >= 0 ? "\\" : "")
                    .appendCodePoint(point);
        }
    }

    /** Returns what closes the quotes of the word. */
    String closing() {
        return switch (place) {
            case OUTSIDE -> "";
            case SINGLE_QUOTES -> "'";
            case DOUBLE_QUOTES -> "\"";
        };
    }

    static boolean isPlain(int point) {
        return Character.isLetterOrDigit(point) || PLAIN.indexOf(point) >= 0;
    }
}
