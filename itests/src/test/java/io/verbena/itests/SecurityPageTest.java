package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** SECURITY.md names no protection without a test. */
final class SecurityPageTest {
    private static final Path TOP = Path.of("..");
    private static final Pattern TEST = Pattern.compile("`([A-Z][A-Za-z0-9]*(?:Test|IT))`");
    private static final Pattern FILE = Pattern.compile("\\]\\(([^)#:]+)\\)");

    @Test
    void shouldNameOnlyTestsThatExist() throws IOException {
        Set<String> named = TEST.matcher(page())
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> present = new TreeSet<>();
        for (String module : List.of("bundles", "cli", "cli-rdma", "itests", "fuzzing")) {
            try (Stream<Path> files = Files.walk(TOP.resolve(module))) {
                files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".java"))
                        .forEach(name -> present.add(name.substring(0, name.length() - ".java".length())));
            }
        }

        assertThat(named).hasSizeGreaterThan(20);
        assertThat(present).containsAll(named);
    }

    @Test
    void shouldNameATestForEveryProtection() throws IOException {
        String table = page().substring(page().indexOf("## Protections and their tests"));

        assertThat(table.lines().filter(line -> line.startsWith("| ") && !line.startsWith("| **")))
                .filteredOn(line -> !line.startsWith("| protection ") && !line.startsWith("|---"))
                .isNotEmpty()
                .allMatch(line -> TEST.matcher(line).find() || line.contains("`.ci/"));
    }

    @Test
    void shouldLinkToPagesThatExist() throws IOException {
        assertThat(FILE.matcher(page()).results().map((MatchResult found) -> found.group(1)))
                .isNotEmpty()
                .allMatch(file -> Files.exists(TOP.resolve(file)));
        assertThat(Files.readString(TOP.resolve("README.md"))).contains("(SECURITY.md)");
    }

    private static String page() throws IOException {
        return Files.readString(TOP.resolve("SECURITY.md"));
    }
}
