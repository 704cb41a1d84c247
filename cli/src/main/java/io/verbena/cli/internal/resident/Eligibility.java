package io.verbena.cli.internal.resident;

import io.verbena.cli.internal.script.Statements;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides, before anything runs, whether a script may run in the resident instance: all its commands are known to
 * change nothing that outlives the script, and to tell nothing of what ran before. Whatever is not understood may not.
 */
final class Eligibility {
    /**
     * The commands of the shell that neither change nor tell anything of the process, read no local file, and end by
     * themselves: an interrupt does not reach them all.
     */
    private static final Set<String> HARMLESS = Set.of("echo", "printf", "grep", "each", "if", "try", "not", "throw");

    private static final Pattern SCOPED = Pattern.compile("(nfs|rdma|rpcrdma):[a-z0-9-]+");

    /** Commands that are for a process of their own. */
    private static final Set<String> OWN_PROCESS = Set.of("nfs:serve", "nfs:mount-service", "nfs:demo", "rdma:doctor");

    /** Commands that tell, or change, what all scripts of a process have in common. */
    private static final Set<String> OF_PROCESS = Set.of("rdma:stats", "rdma:memory", "rdma:connections", "rdma:trace");

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final String text;
    private final boolean isShared;
    private final Deque<Character> open = new ArrayDeque<>();
    private int position;

    private Eligibility(String text, boolean isShared) {
        this.text = text;
        this.isShared = isShared;
    }

    /**
     * Returns whether a script may run in the instance.
     *
     * @param isShared whether scripts share what the instance has, as with a directory of state
     */
    static boolean isFor(String script, boolean isShared) {
        try {
            return Statements.of(script).stream()
                    .allMatch(statement -> new Eligibility(statement, isShared).isHarmless());
        } catch (IllegalArgumentException e) {
            return false; // a process of its own says what is wrong
        }
    }

    private boolean isHarmless() {
        boolean isCommand = true;
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '\n' || c == ';') {
                isCommand = !inList();
                position++;
            } else if (Character.isWhitespace(c)) {
                position++;
            } else if (c == '{' || c == '(') {
                open.push(c);
                isCommand = true;
                position++;
            } else if (c == '[' && !isCommand) {
                open.push(c);
                position++;
            } else if (c == '}' || c == ')' || c == ']') {
                if (open.isEmpty()) {
                    return false;
                }
                open.pop();
                isCommand = false;
                position++;
            } else if (c == '|' && !isCommand && !startsWith("|&") && !startsWith("||")) {
                isCommand = true;
                position++;
            } else if (startsWith("&&") && !isCommand) {
                isCommand = true;
                position += 2;
            } else if (isCommand) {
                if (!passCommand()) {
                    return false;
                }
                isCommand = false;
            } else if (!passWord()) {
                return false;
            }
        }
        return open.isEmpty();
    }

    private boolean inList() {
        return !open.isEmpty() && open.peek() == '[';
    }

    private boolean startsWith(String sign) {
        return text.startsWith(sign, position);
    }

    /** Passes the name of a command, or an assignment with its value. Returns whether it is harmless. */
    private boolean passCommand() {
        int begin = position;
        while (position < text.length() && isOfName(text.charAt(position))) {
            position++;
        }
        String name = text.substring(begin, position);
        int next = position;
        while (next < text.length() && (text.charAt(next) == ' ' || text.charAt(next) == '\t')) {
            next++;
        }
        if (NAME.matcher(name).matches() && next < text.length() && text.charAt(next) == '=') {
            position = next + 1;
            return passValue();
        }
        boolean isEnd = position == text.length() || " \t\n;|})".indexOf(text.charAt(position)) >= 0;
        return isEnd && isHarmless(name);
    }

    private static boolean isOfName(char c) {
        return Character.isLetterOrDigit(c) || "_:-".indexOf(c) >= 0;
    }

    private boolean isHarmless(String name) {
        return HARMLESS.contains(name)
                || (SCOPED.matcher(name).matches()
                        && !OWN_PROCESS.contains(name)
                        && (isShared || !OF_PROCESS.contains(name)));
    }

    /** Passes the value of an assignment: one word, or what brackets hold. More words would be a command. */
    private boolean passValue() {
        while (position < text.length() && (text.charAt(position) == ' ' || text.charAt(position) == '\t')) {
            position++;
        }
        if (position < text.length() && "{([".indexOf(text.charAt(position)) >= 0) {
            return true; // what it holds is looked at next
        }
        while (position < text.length() && " \t\n;|})]".indexOf(text.charAt(position)) < 0) {
            if (!passWord()) {
                return false;
            }
        }
        int next = position;
        while (next < text.length() && (text.charAt(next) == ' ' || text.charAt(next) == '\t')) {
            next++;
        }
        return next == text.length() || "\n;})".indexOf(text.charAt(next)) >= 0;
    }

    /** Passes a character or a quoted text of a word. Returns whether it runs nothing and opens no file. */
    private boolean passWord() {
        char c = text.charAt(position);
        switch (c) {
            case '\\' -> position += 2;
            case '\'' -> passQuoted(c);
            case '"' -> {
                int begin = position;
                passQuoted(c);
                return areVariables(text.substring(begin, Math.min(position, text.length())));
            }
            case '$' -> {
                return passVariable();
            }
            case '<', '>', '&', '|', '`' -> {
                return false;
            }
            default -> {
                if (c == '%' && startsWith("%(")) {
                    return false;
                }
                position++;
            }
        }
        return true;
    }

    private void passQuoted(char quote) {
        position++;
        while (position < text.length() && text.charAt(position) != quote) {
            position += text.charAt(position) == '\\' ? 2 : 1;
        }
        position++;
    }

    /** Returns whether each dollar sign of a quoted text begins a plain variable. */
    private static boolean areVariables(String quoted) {
        Eligibility inside = new Eligibility(quoted, false);
        while (inside.position < quoted.length()) {
            char c = quoted.charAt(inside.position);
            if (c == '\\') {
                inside.position += 2;
            } else if (c == '$') {
                if (!inside.passVariable()) {
                    return false;
                }
            } else if (c == '`' || quoted.startsWith("%(", inside.position)) {
                return false;
            } else {
                inside.position++;
            }
        }
        return true;
    }

    /** Passes {@code $NAME}, <code>${NAME}</code> or {@code $1}. Returns whether it is one of these. */
    private boolean passVariable() {
        int begin = position + 1;
        boolean isBraced = text.startsWith("{", begin);
        int end = isBraced ? begin + 1 : begin;
        int start = end;
        while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
            end++;
        }
        if (end == start || (isBraced && !text.startsWith("}", end)) || text.startsWith(".", end)) {
            return false;
        }
        position = isBraced ? end + 1 : end;
        return true;
    }
}
