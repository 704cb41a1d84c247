package io.verbena.cli.internal;

import java.util.ArrayList;
import java.util.List;

/** Words quoted as in the shell, which mean themselves: nothing in them is replaced, and nothing else is run. */
public final class ShellWords {
    /** What would run or open something, or stand for something else. */
    private static final String SPECIAL = ";|&<>$`()";

    private static final String SPECIAL_IN_DOUBLE_QUOTES = "$`";
    private static final String ESCAPED_IN_DOUBLE_QUOTES = "\"\\$%`";

    private final String line;
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean isWord;
    private int position;

    private ShellWords(String line) {
        this.line = line;
    }

    /**
     * Returns the words of a line, up to a comment.
     *
     * @throws IllegalArgumentException if the line is more than words, such as two commands, or a quote is not closed;
     *     the message says what to do
     */
    public static List<String> of(String line) {
        ShellWords words = new ShellWords(line);
        while (words.position < line.length()) {
            words.step(line.charAt(words.position));
        }
        words.end();
        return List.copyOf(words.words);
    }

    /** Returns a word for the shell, quoted as far as it is necessary. */
    public static String quoted(String word) {
        if (word.isEmpty()) {
            return "''";
        }
        String quoted = word.replaceAll("[^\\p{L}\\p{N}_./:@%+=,~-]", "\\\\$0");
        return quoted.startsWith("//") ? "\\" + quoted : quoted; // it would begin a comment
    }

    private void step(char c) {
        position++;
        if (Character.isWhitespace(c)) {
            end();
            return;
        }
        if (c == '#' && !isWord) {
            position = line.length();
            return;
        }
        isWord = true;
        switch (c) {
            case '\\' -> word.append(position < line.length() ? line.charAt(position++) : c);
            case '\'' -> singleQuoted();
            case '"' -> doubleQuoted();
            default -> {
                refuse(SPECIAL, c);
                word.append(c);
            }
        }
    }

    private void singleQuoted() {
        int end = line.indexOf('\'', position);
        if (end < 0) {
            throw unclosed('\'');
        }
        word.append(line, position, end);
        position = end + 1;
    }

    private void doubleQuoted() {
        while (true) {
            if (position >= line.length()) {
                throw unclosed('"');
            }
            char c = line.charAt(position++);
            if (c == '"') {
                return;
            }
            boolean isEscape = c == '\\'
                    && position < line.length()
                    && ESCAPED_IN_DOUBLE_QUOTES.indexOf(line.charAt(position)) >= 0;
            if (!isEscape) {
                refuse(SPECIAL_IN_DOUBLE_QUOTES, c);
            }
            word.append(isEscape ? line.charAt(position++) : c);
        }
    }

    private static void refuse(String special, char c) {
        if (special.indexOf(c) >= 0) {
            throw new IllegalArgumentException("a line is the words of one command, and '" + c
                    + "' is no part of one: quote it, as '\\" + c + "'");
        }
    }

    private static IllegalArgumentException unclosed(char quote) {
        return new IllegalArgumentException("a quote is not closed: " + quote);
    }

    private void end() {
        if (isWord) {
            words.add(word.toString());
            word.setLength(0);
            isWord = false;
        }
    }
}
