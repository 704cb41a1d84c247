package io.verbena.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of the documentation, whose blocks of code tests run as they stand there. */
public final class Page {
    private static final Path TOP = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("(?s)\n```[a-z]*\n(.*?)```\n");

    private final String name;
    private final String text;

    private Page(String name, String text) {
        this.name = name;
        this.text = text;
    }

    /** @param name the file's, from the top of the project */
    public static Page of(String name) throws IOException {
        return new Page(name, Files.readString(TOP.resolve(name)));
    }

    /** The text of a section, without its heading. */
    public String section(String heading) {
        String line = "\n## " + heading + "\n";
        int start = text.indexOf(line);
        if (start < 0) {
            throw new AssertionError(name + " has no section " + heading);
        }
        int end = text.indexOf("\n## ", start + 1);
        return text.substring(start + line.length() - 1, end < 0 ? text.length() : end + 1);
    }

    /** The blocks of code of a section. */
    public List<String> blocks(String heading) {
        Matcher blocks = BLOCK.matcher(section(heading));
        return blocks.results().map(found -> found.group(1)).toList();
    }

    /** The nth block of code of a section. */
    public String block(String heading, int index) {
        List<String> all = blocks(heading);
        if (index >= all.size()) {
            throw new AssertionError(name + ": no such block in section " + heading);
        }
        return all.get(index);
    }
}
