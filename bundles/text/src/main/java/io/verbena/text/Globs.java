package io.verbena.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Patterns of names as shells know them: {@code *}, {@code ?}, {@code [a-z]}, {@code [!a-z]}, <code>{a,b}</code>, and a
 * backslash before what stands for itself; {@code \xNN} is an octet, as in {@link OctetText#escape}. The JDK's matchers
 * take only names that this host's file system could have, which names of a server need not be where the locale is not
 * UTF-8.
 */
public final class Globs {
    private static final String SPECIAL = "*?[{";

    /** What stands for something else in a pattern, or may. */
    private static final String QUOTED = "*?[]{},!^-\\";

    private static final Pattern OCTETS = Pattern.compile("(?:\\\\x[0-9A-Fa-f]{2})+|\\\\.", Pattern.DOTALL);

    private Globs() {}

    /** Whether the text has anything in it that makes it a pattern. */
    public static boolean isPattern(String text) {
        return text.chars().anyMatch(c -> SPECIAL.indexOf(c) >= 0);
    }

    /** What a text without any effective pattern stands for. */
    public static String unescaped(String text) {
        return withOctets(text).replaceAll("(?s)\\\\(.)", "$1");
    }

    /** The same pattern with octets in place of what is written for them; each stands for itself. */
    private static String withOctets(String glob) {
        return OCTETS.matcher(glob).replaceAll(found -> {
            String text = found.group();
            return Matcher.quoteReplacement(text.length() > 2 ? quoted(OctetText.unescape(text)) : text);
        });
    }

    private static String quoted(String text) {
        StringBuilder result = new StringBuilder();
        text.codePoints().forEach(point -> {
            result.append(QUOTED.indexOf(point) >= 0 ? "\\" : "");
            result.appendCodePoint(point);
        });
        return result.toString();
    }

    /**
     * What matches the same as the glob does. {@code *} and {@code ?} match no slash, {@code **} does.
     *
     * @throws IllegalArgumentException where a bracket or brace is not closed
     */
    public static Pattern pattern(String text) {
        String glob = withOctets(text);
        StringBuilder regex = new StringBuilder();
        int braces = 0;
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            switch (c) {
                case '*' -> {
                    boolean isAny = glob.startsWith("**", i);
                    boolean isPath = glob.startsWith("**/", i);
                    regex.append(isPath ? "(?:.*/)?" : isAny ? ".*" : "[^/]*");
                    i += isPath ? 2 : isAny ? 1 : 0;
                }
                case '?' -> regex.append("[^/]");
                case '[' -> {
                    int end = glob.indexOf(']', i + (glob.startsWith("[!", i) || glob.startsWith("[^", i) ? 3 : 2));
                    if (end < 0) {
                        throw invalid(glob, "a '[' without its ']'", null);
                    }
                    regex.append(bracket(glob.substring(i + 1, end)));
                    i = end;
                }
                case '{' -> {
                    braces++;
                    regex.append("(?:");
                }
                case '}' -> regex.append(braces-- > 0 ? ")" : "\\}");
                case ',' -> regex.append(braces > 0 ? "|" : ",");
                case '\\' -> {
                    i = Math.min(i + 1, glob.length() - 1);
                    regex.append(Pattern.quote(glob.substring(i, i + 1)));
                }
                default -> regex.append(Pattern.quote(String.valueOf(c)));
            }
            braces = Math.max(0, braces);
        }
        if (braces > 0) {
            throw invalid(glob, "a '{' without its '}'", null);
        }
        try {
            return Pattern.compile(regex.toString(), Pattern.DOTALL);
        } catch (PatternSyntaxException e) {
            throw invalid(glob, "a range that has no members", e);
        }
    }

    /** Everything but the hyphen and the first negation stands for itself. */
    private static String bracket(String inside) {
        boolean isNegated = inside.startsWith("!") || inside.startsWith("^");
        StringBuilder regex = new StringBuilder(isNegated ? "[^/" : "[");
        inside.chars().skip(isNegated ? 1 : 0).forEach(c -> {
            if ("[]&^\\".indexOf(c) >= 0) {
                regex.append('\\');
            }
            regex.append((char) c);
        });
        return regex.append(']').toString();
    }

    private static IllegalArgumentException invalid(String glob, String reason, Throwable cause) {
        return new IllegalArgumentException(
                "'" + OctetText.printable(glob) + "' is no pattern: it has " + reason, cause);
    }
}
