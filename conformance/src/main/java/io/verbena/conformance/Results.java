package io.verbena.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Files of test outcomes. Each test class has a file with its name, which has a line for each test: class, method and
 * outcome. A file appears whole or not at all. Later test runs of a build add their outcomes, and replace those of
 * repeated tests.
 */
final class Results {
    private static final String SUFFIX = ".tsv";

    private Results() {}

    static void add(Path directory, String className, Map<TestName, Outcome> outcomes) throws IOException {
        Files.createDirectories(directory);
        Path file = directory.resolve(className + SUFFIX);
        Map<TestName, Outcome> all = new TreeMap<>();
        if (Files.exists(file)) {
            readFile(file, all);
        }
        all.putAll(outcomes);
        List<String> lines = new ArrayList<>();
        all.forEach((test, outcome) -> lines.add(String.join("\t", test.className(), test.method(), outcome.name())));
        Path whole = Files.createTempFile(directory, className, ".part");
        Files.write(whole, lines);
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** @return the outcomes, empty where there is no such directory */
    static Map<TestName, Outcome> read(Path directory) throws IOException {
        Map<TestName, Outcome> outcomes = new TreeMap<>();
        if (Files.isDirectory(directory)) {
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file :
                        files.filter(name -> name.toString().endsWith(SUFFIX)).toList()) {
                    readFile(file, outcomes);
                }
            }
        }
        return outcomes;
    }

    private static void readFile(Path file, Map<TestName, Outcome> outcomes) throws IOException {
        for (Row row : Row.read(file, 3, 3)) {
            outcomes.put(new TestName(row.get(0), row.get(1)), Outcome.valueOf(row.get(2)));
        }
    }
}
