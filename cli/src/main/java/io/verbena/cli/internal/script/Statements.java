package io.verbena.cli.internal.script;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Splits a script into statements at line ends and semicolons outside quotes, braces and comments. A pipe at the end of
 * a line continues the statement in the next line. The shell interprets the statements.
 */
public final class Statements {
    private static final String OPENING = "{([";
    private static final String CLOSING = "})]";

    private final String script;
    private final List<String> found = new ArrayList<>();
    private final Deque<Character> open = new ArrayDeque<>();
    private final StringBuilder statement = new StringBuilder();
    private int position;

    private Statements(String script) {
        this.script = script;
    }

    /**
     * Returns the statements in their order, without empty ones.
     *
     * @throws IllegalArgumentException if a quote is not closed, or if there is an "or", which the shell does not
     *     support
     */
    public static List<String> of(String script) {
        Statements statements = new Statements(script);
        while (statements.position < script.length()) {
            statements.step();
        }
        statements.end();
        return statements.found;
    }

    private void step() {
        char c = script.charAt(position);
        if (c == '\\') {
            take(2);
        } else if (c == '"' || c == '\'') {
            quoted(c);
        } else if (isComment(c)) {
            skipLine();
        } else if (open.isEmpty() && (c == ';' || c == '\n') && !(c == '\n' && isUnfinished())) {
            end();
            position++;
        } else if (script.startsWith("||", position) && !open.contains(')')) { // "or" is supported in expressions
            throw new IllegalArgumentException(
                    "'||' runs both in this shell, as a pipe: try { A } { B } runs B where A fails");
        } else {
            nest(c);
            take(1);
        }
    }

    private void nest(char c) {
        int opening = OPENING.indexOf(c);
        if (opening >= 0) {
            open.push(CLOSING.charAt(opening));
        } else if (!open.isEmpty() && open.peek() == c) {
            open.pop();
        }
    }

    private void take(int length) {
        int end = Math.min(script.length(), position + length);
        statement.append(script, position, end);
        position = end;
    }

    private void quoted(char quote) {
        int end = position + 1;
        while (end < script.length() && script.charAt(end) != quote) {
            end += script.charAt(end) == '\\' ? 2 : 1;
        }
        if (end >= script.length()) {
            String line = script.substring(position).lines().findFirst().orElse("");
            throw new IllegalArgumentException("a quote is not closed: " + line);
        }
        take(end + 1 - position);
    }

    /** Returns whether a comment begins. A comment begins where a word can begin. */
    private boolean isComment(char c) {
        boolean wordBegins = statement.isEmpty() || Character.isWhitespace(statement.charAt(statement.length() - 1));
        return wordBegins && (c == '#' || script.startsWith("//", position));
    }

    private void skipLine() {
        int end = script.indexOf('\n', position);
        position = end < 0 ? script.length() : end;
    }

    private boolean isUnfinished() {
        String soFar = statement.toString().stripTrailing();
        return soFar.endsWith("|") || soFar.endsWith("&&");
    }

    private void end() {
        String text = statement.toString().strip();
        if (!text.isEmpty()) {
            found.add(text);
        }
        statement.setLength(0);
    }
}
