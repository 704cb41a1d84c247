package io.verbena.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An edit that breaks a rule, and the test that has to fail with it.
 *
 * @param id the requirement
 * @param breaks the fault that the edit makes, for people to read. Where no edit can break the rule, this is the
 *     reason, and the other values are null
 * @param file path of the source file below the project's root
 * @param code the replaced code, which occurs once in the file, white space aside
 * @param with the replacement
 * @param test short name of the test
 */
record Mutation(String id, String breaks, String file, String code, String with, String test) {
    private static final Set<String> EDIT = Set.of("id", "breaks", "file", "code", "with", "test");
    private static final Set<String> NO_EDIT = Set.of("id", "why");

    /**
     * Reads blocks of {@code key: value} lines with empty lines between them.
     *
     * @return the mutations by id, in the order of the file; a requirement may have several
     */
    static Map<String, List<Mutation>> read(Path file) throws IOException {
        Map<String, List<Mutation>> mutations = new TreeMap<>();
        String text = Files.readAllLines(file).stream()
                .filter(line -> !line.startsWith("#"))
                .collect(Collectors.joining("\n"));
        for (String block : text.split("\n\\s*\n", -1)) {
            if (!block.isBlank()) {
                Mutation mutation = parse(file, block.strip());
                mutations.computeIfAbsent(mutation.id, id -> new ArrayList<>()).add(mutation);
            }
        }
        return mutations;
    }

    private static Mutation parse(Path file, String block) throws IOException {
        Map<String, String> values = new HashMap<>();
        for (String line : block.split("\n", -1)) {
            int colon = line.indexOf(':');
            String key = colon < 0 ? line : line.substring(0, colon);
            if (colon < 0 || values.put(key, line.substring(colon + 1).strip()) != null) {
                throw new IOException(file + ": no key, or one that was there before: " + line);
            }
        }
        if (values.keySet().equals(NO_EDIT)) {
            return new Mutation(values.get("id"), values.get("why"), null, null, null, null);
        }
        if (!values.keySet().equals(EDIT)) {
            throw new IOException(file + ": a block has the keys " + new TreeSet<>(values.keySet()));
        }
        return new Mutation(
                values.get("id"),
                values.get("breaks"),
                values.get("file"),
                values.get("code"),
                values.get("with"),
                values.get("test"));
    }

    boolean isEdit() {
        return file != null;
    }

    /**
     * @return the file's text, mutated
     * @throws IOException if the file cannot be read, or the code does not occur in it exactly once
     */
    String apply(Path root) throws IOException {
        String source = Files.readString(root.resolve(file));
        String pattern =
                Arrays.stream(code.split("\\s+", -1)).map(Pattern::quote).collect(Collectors.joining("\\s+"));
        Matcher matcher = Pattern.compile(pattern).matcher(source);
        List<MatchResult> places = matcher.results().toList();
        if (places.size() != 1) {
            throw new IOException(
                    id + ": the code to replace stands " + places.size() + " times in " + file + ": " + code);
        }
        MatchResult place = places.get(0);
        return source.substring(0, place.start()) + with + source.substring(place.end());
    }
}
