package io.verbena.cli.internal.transfer;

import io.verbena.cli.Text;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Patterns of file names. Not the JDK's, which take only names that this host's own file system could have. */
final class Globs {
    private Globs() {}

    /**
     * What matches the same as a glob does.
     *
     * @throws IllegalArgumentException where a bracket or brace is not closed
     */
    static Pattern pattern(String glob) {
        StringBuilder regex = new StringBuilder();
        int braces = 0;
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            switch (c) {
                case '*' -> {
                    boolean isAny = i + 1 < glob.length() && glob.charAt(i + 1) == '*';
                    boolean isPath = isAny && i + 2 < glob.length() && glob.charAt(i + 2) == '/';
                    regex.append(isPath ? "(?:.*/)?" : isAny ? ".*" : "[^/]*");
                    i += isPath ? 2 : isAny ? 1 : 0;
                }
                case '?' -> regex.append("[^/]");
                case '[' -> {
                    int end = glob.indexOf(']', i + 2);
                    if (end < 0) {
                        throw unclosed(glob, "[");
                    }
                    regex.append(bracket(glob.substring(i + 1, end)));
                    i = end;
                }
                case '{' -> {
                    regex.append("(?:");
                    braces++;
                }
                case '}' -> {
                    regex.append(braces > 0 ? ")" : "\\}");
                    braces = Math.max(0, braces - 1);
                }
                case ',' -> regex.append(braces > 0 ? '|' : ',');
                case '\\' -> {
                    i++;
                    regex.append(Pattern.quote(i < glob.length() ? glob.substring(i, i + 1) : "\\"));
                }
                default -> regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        if (braces > 0) {
            throw unclosed(glob, "{");
        }
        try {
            return Pattern.compile(regex.toString(), Pattern.DOTALL);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("'" + Text.printable(glob) + "' is no pattern of names", e);
        }
    }

    private static String bracket(String inside) {
        boolean isNegated = inside.startsWith("!") || inside.startsWith("^");
        String rest = inside.substring(isNegated ? 1 : 0).replaceAll("([\\\\\\[\\]&^])", "\\\\$1");
        return "[" + (isNegated ? "^/" : "") + rest + "]";
    }

    private static IllegalArgumentException unclosed(String glob, String what) {
        return new IllegalArgumentException(
                "'" + Text.printable(glob) + "' is no pattern of names: " + what + " is not closed");
    }
}
