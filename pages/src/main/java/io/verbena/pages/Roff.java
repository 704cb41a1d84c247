package io.verbena.pages;

import java.util.Locale;

/** A page in the macros of man(7). Text is escaped, so that every character is shown as it is. */
final class Roff {
    private final StringBuilder page = new StringBuilder();
    private boolean isAtHeading;

    /**
     * Begins a page of section 1.
     *
     * @param name the name of the page
     * @param date the date, as 2026-01-31
     * @param version the version of the program
     */
    Roff(String name, String date, String version) {
        page.append(".\\\" made by the build of the commands' annotations\n");
        line(".TH " + quoted(name.toUpperCase(Locale.ROOT)) + " 1 " + quoted(date) + " " + quoted("Verbena " + version)
                + " " + quoted("User Commands"));
        line(".nh"); // names of commands and options stay whole
        line(".ad l");
    }

    Roff section(String heading) {
        line(".SH " + quoted(heading));
        return this;
    }

    Roff paragraph(String text) {
        space();
        text(text);
        return this;
    }

    Roff text(String text) {
        line(escaped(text));
        return this;
    }

    /** The line of the section NAME, of which whatis(1) is made. */
    Roff name(String name, String description) {
        line(escaped(name) + " \\- " + escaped(description));
        return this;
    }

    /** A bold term and its meaning. */
    Roff entry(String term, String meaning) {
        line(".TP");
        line("\\fB" + escaped(term) + "\\fR");
        line(escaped(meaning.isEmpty() ? "See above." : meaning));
        return this;
    }

    /** A bold term with the placeholder of its value, and its meaning. */
    Roff entry(String term, String value, String meaning) {
        line(".TP");
        line("\\fB" + escaped(term) + "\\fR " + "\\fI" + escaped(value) + "\\fR");
        line(escaped(meaning));
        return this;
    }

    /** Lines as they are. */
    Roff verbatim(Iterable<String> lines) {
        space();
        line(".RS 4");
        line(".nf");
        lines.forEach(each -> line(escaped(each)));
        line(".fi");
        line(".RE");
        return this;
    }

    @Override
    public String toString() {
        return page.toString();
    }

    /** Begins a paragraph, unless a heading has just begun one. */
    private void space() {
        if (!isAtHeading) {
            line(".PP");
        }
    }

    private void line(String line) {
        isAtHeading = line.startsWith(".SH ");
        page.append(line).append('\n');
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\e").replace("\"", "\\(dq") + '"'; // a hyphen stays one in a date
    }

    /** Escapes what roff would take for a request, or show as another character: a hyphen, quotes, a caret, a tilde. */
    static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        String line = text.strip().replaceAll("\\s*\\R\\s*", " ");
        if (line.startsWith(".") || line.startsWith("'")) {
            escaped.append("\\&");
        }
        line.codePoints().forEach(point -> {
            switch (point) {
                case '\\' -> escaped.append("\\e");
                case '-' -> escaped.append("\\-");
                case '\'' -> escaped.append("\\(aq");
                case '"' -> escaped.append("\\(dq");
                case '`' -> escaped.append("\\(ga");
                case '^' -> escaped.append("\\(ha");
                case '~' -> escaped.append("\\(ti");
                default -> {
                    if (point < 0x80) {
                        escaped.append((char) point);
                    } else {
                        escaped.append(String.format("\\[u%04X]", point));
                    }
                }
            }
        });
        return escaped.toString();
    }
}
