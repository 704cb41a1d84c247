package io.verbena.cli;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.WCWidth;

/**
 * Measures, cuts and wraps the texts of cells by the columns of a terminal that their characters take: two for a wide
 * character, none for a combining one. Stateless.
 */
final class Cells {
    /** A long word is broken behind one of these, if it has one. */
    private static final String BREAKS = ",;/=:-";

    private static final String ELLIPSIS = Charset.defaultCharset().newEncoder().canEncode('\u2026') ? "\u2026" : "...";

    private Cells() {}

    /** Returns the number of columns that a text takes. */
    static int width(String text) {
        return text.codePoints().map(Cells::width).sum();
    }

    private static int width(int point) {
        return Math.max(0, WCWidth.wcwidth(point));
    }

    /** Returns the text filled up with blanks to a width. */
    static String padded(String text, int width, boolean isRight) {
        String blanks = " ".repeat(Math.max(0, width - width(text)));
        return isRight ? blanks + text : text + blanks;
    }

    /** Returns the text if it fits a width, otherwise its start with an ellipsis. */
    static String cut(String text, int width) {
        if (width(text) <= width) {
            return text;
        }
        return text.substring(0, end(text, Math.max(0, width - ELLIPSIS.length()))) + ELLIPSIS;
    }

    /** Returns the index behind the last character that fits a width, with the combining characters on it. */
    private static int end(String text, int width) {
        int left = width;
        int at = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            left -= width(point);
            if (left < 0) {
                break;
            }
            at += Character.charCount(point);
        }
        return at;
    }

    /**
     * Returns the lines of a text that is wrapped to a width: at blanks, otherwise behind punctuation. A word without
     * either that does not fit is cut.
     */
    static List<String> wrapped(String text, int width) {
        List<String> lines = new ArrayList<>();
        String rest = text.strip();
        while (width(rest) > width) {
            int end = end(rest, width);
            int blank = rest.lastIndexOf(' ', end);
            int to = blank > 0 ? blank : lastBreak(rest, end);
            if (to <= 0) {
                int next = rest.indexOf(' ');
                String word = next < 0 ? rest : rest.substring(0, next);
                lines.add(cut(word, width));
                rest = rest.substring(word.length()).strip();
            } else {
                lines.add(rest.substring(0, to).stripTrailing());
                rest = rest.substring(to).stripLeading();
            }
        }
        if (!rest.isEmpty() || lines.isEmpty()) {
            lines.add(rest);
        }
        return lines;
    }

    /** Returns the index behind the last punctuation that fits; 0 if there is none. */
    private static int lastBreak(String text, int end) {
        for (int at = end; at > 1; at--) {
            if (BREAKS.indexOf(text.charAt(at - 1)) >= 0) {
                return at;
            }
        }
        return 0;
    }
}
