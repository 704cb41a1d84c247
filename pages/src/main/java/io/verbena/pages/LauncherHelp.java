package io.verbena.pages;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What {@code verbena --help} says, taken from the text of the launcher. A blank line ends a part. The first part has
 * the forms of use; a part with a heading has entries, a key and after two blanks or more a text, which goes on in
 * lines that begin further to the right; other parts are paragraphs.
 *
 * @param uses the forms of use, each with what it does; a form can occur twice
 * @param sections the entries below each heading
 * @param paragraphs the parts without a heading
 */
record LauncherHelp(List<Entry> uses, Map<String, List<Entry>> sections, List<String> paragraphs) {
    private static final String USAGE = "Usage: ";
    private static final String BEGIN = "<<'USAGE'";
    private static final String END = "USAGE";
    private static final Pattern NUMBERED = Pattern.compile(" *\\d+ {2,}.*");

    /**
     * A line of the help.
     *
     * @param key the form, the option, the status or the variable
     * @param text what it means; may be empty
     */
    record Entry(String key, String text) {}

    /** Reads the help from the text of the launcher. */
    static LauncherHelp of(String launcher) {
        List<String> lines = launcher.lines()
                .dropWhile(line -> !line.endsWith(BEGIN))
                .skip(1)
                .takeWhile(line -> !line.equals(END))
                .toList();
        if (lines.isEmpty() || !lines.get(0).startsWith(USAGE)) {
            throw new IllegalArgumentException("the launcher has no help between " + BEGIN + " and " + END);
        }
        List<Entry> uses = List.of();
        Map<String, List<Entry>> sections = new LinkedHashMap<>();
        List<String> paragraphs = new ArrayList<>();
        for (List<String> part : parts(lines)) {
            String first = part.get(0);
            int colon = first.indexOf(':');
            if (first.startsWith(USAGE)) {
                uses = entries(aligned(part, USAGE.length()));
            } else if (first.endsWith(":")) {
                sections.put(first.substring(0, colon), entries(part.subList(1, part.size())));
            } else if (colon > 0 && part.size() > 1 && part.stream().skip(1).allMatch(line -> line.startsWith(" "))) {
                sections.put(first.substring(0, colon), entries(aligned(part, colon + 2)));
            } else {
                paragraphs.add(part.stream().map(String::strip).collect(Collectors.joining(" ")));
            }
        }
        return new LauncherHelp(uses, sections, paragraphs);
    }

    private static List<List<String>> parts(List<String> lines) {
        List<List<String>> parts = new ArrayList<>();
        List<String> part = new ArrayList<>();
        for (String line : lines) {
            if (line.isBlank()) {
                parts.add(part);
                part = new ArrayList<>();
            } else {
                part.add(line);
            }
        }
        parts.add(part);
        return parts.stream().filter(each -> !each.isEmpty()).toList();
    }

    /** The lines of a part whose heading stands in the first line, with blanks in its place. */
    private static List<String> aligned(List<String> part, int width) {
        List<String> lines = new ArrayList<>(part);
        lines.set(0, " ".repeat(width) + part.get(0).substring(width));
        return lines;
    }

    private static List<Entry> entries(List<String> lines) {
        List<Entry> entries = new ArrayList<>();
        int shortest = lines.stream().mapToInt(LauncherHelp::indent).min().orElse(0);
        // numbers are aligned to the right
        boolean isNumbered = NUMBERED.matcher(lines.get(0)).matches();
        for (String line : lines) {
            boolean isNew = isNumbered ? NUMBERED.matcher(line).matches() : indent(line) == shortest;
            if (!isNew && !entries.isEmpty()) {
                Entry last = entries.remove(entries.size() - 1);
                entries.add(new Entry(last.key(), (last.text() + " " + line.strip()).strip()));
            } else {
                String[] parts = line.strip().split(" {2,}", 2);
                entries.add(new Entry(parts[0], parts.length == 1 ? "" : parts[1]));
            }
        }
        return List.copyOf(entries);
    }

    private static int indent(String line) {
        return line.length() - line.stripLeading().length();
    }

    /** The entries of the first section whose heading has these words. */
    List<Entry> section(String heading) {
        return sections.entrySet().stream()
                .filter(section -> section.getKey().startsWith(heading))
                .findFirst()
                .map(Map.Entry::getValue)
                .orElseThrow(() -> new IllegalArgumentException("the launcher's help has no part '" + heading + "'"));
    }

    /** The words that can stand first: {@code demo}, {@code -c}, {@code --help}. */
    List<String> words() {
        List<String> words = new ArrayList<>();
        for (Entry use : uses) {
            for (String form : use.key().split(" \\| ", -1)) {
                String word = form.replaceFirst("^verbena ?", "").split(" ", -1)[0];
                if (word.matches("-?-?[a-z][a-z-]*") && !words.contains(word)) {
                    words.add(word);
                }
            }
        }
        return words;
    }

    /**
     * An option of the program before its words.
     *
     * @param names its names
     * @param value what its value is, empty for a flag: {@code DIR}, {@code auto|off}
     * @param text what it does
     */
    record ProgramOption(List<String> names, String value, String text) {
        /** The values where they are listed. */
        List<String> values() {
            return value.contains("|") ? List.of(value.split("\\|", -1)) : List.of();
        }
    }

    /** The options before the words. */
    List<ProgramOption> options() {
        return section("Options").stream()
                .map(entry -> {
                    List<String> names = new ArrayList<>();
                    String value = "";
                    for (String word : entry.key().split("[, ]+", -1)) {
                        if (word.startsWith("-")) {
                            names.add(word);
                        } else {
                            value = word;
                        }
                    }
                    return new ProgramOption(names, value, entry.text());
                })
                .toList();
    }
}
