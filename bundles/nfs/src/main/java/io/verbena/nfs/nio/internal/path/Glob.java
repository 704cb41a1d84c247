package io.verbena.nfs.nio.internal.path;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Patterns as {@link java.nio.file.FileSystem#getPathMatcher} describes them. */
public final class Glob {
    private final String glob;
    private final StringBuilder regex = new StringBuilder();
    private int at;
    private boolean inGroup;

    private Glob(String glob) {
        this.glob = glob;
    }

    public static Pattern compile(String glob) {
        return new Glob(glob).compile();
    }

    private Pattern compile() {
        while (at < glob.length()) {
            char c = glob.charAt(at++);
            switch (c) {
                case '*' -> any();
                case '?' -> regex.append("[^/]");
                case '[' -> set();
                case '{' -> group();
                case '}' -> regex.append(endsGroup() ? ")" : "\\}");
                case ',' -> regex.append(inGroup ? "|" : ",");
                case '\\' -> literal(escaped());
                default -> literal(c);
            }
        }
        if (inGroup) {
            throw new PatternSyntaxException("a group has no }", glob, glob.length() - 1);
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    private void any() {
        if (at < glob.length() && glob.charAt(at) == '*') {
            at++;
            regex.append(".*");
        } else {
            regex.append("[^/]*");
        }
    }

    private void group() {
        if (inGroup) {
            throw new PatternSyntaxException("groups cannot be nested", glob, at - 1);
        }
        inGroup = true;
        regex.append("(?:");
    }

    private boolean endsGroup() {
        boolean ends = inGroup;
        inGroup = false;
        return ends;
    }

    private char escaped() {
        if (at == glob.length()) {
            throw new PatternSyntaxException("there is nothing to escape", glob, at - 1);
        }
        return glob.charAt(at++);
    }

    private void literal(char c) {
        if (!Character.isLetterOrDigit(c) && c < 0x80) {
            regex.append('\\');
        }
        regex.append(c);
    }

    /** One character of a set, never a slash. A backslash stands for itself in it. */
    private void set() {
        int start = at - 1;
        regex.append("(?!/)[");
        if (at < glob.length() && glob.charAt(at) == '!') {
            at++;
            regex.append('^');
        }
        int first = at;
        while (at < glob.length() && (glob.charAt(at) != ']' || at == first)) {
            char c = glob.charAt(at);
            boolean range = c == '-' && at > first && at + 1 < glob.length() && glob.charAt(at + 1) != ']';
            if (c == '/') {
                throw new PatternSyntaxException("a slash cannot be in a set", glob, at);
            }
            if (range) {
                if (glob.charAt(at - 1) > glob.charAt(at + 1)) {
                    throw new PatternSyntaxException("a range ends before it begins", glob, at - 1);
                }
                regex.append('-');
            } else {
                literal(c);
            }
            at++;
        }
        if (at == glob.length()) {
            throw new PatternSyntaxException("a set has no ]", glob, start);
        }
        at++;
        regex.append(']');
    }
}
