package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is shipped, and what the tests use, has no published hole that can be reached: see known-holes.tsv. */
final class KnownHolesIT {
    private static final Path DISTRIBUTION = Path.of("../karaf-distro/target/assembly");

    private record Hole(String artifact, String from, String below, String id, String what, String reason) {
        static Hole of(String line) {
            String[] cells = line.split("\t", -1);
            assertThat(cells).as(line).hasSize(6);
            return new Hole(cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]);
        }

        boolean has(String version) {
            return compare(version, from) >= 0 && compare(version, below) < 0;
        }
    }

    private static List<Hole> holes() throws IOException {
        return Files.readAllLines(Path.of("src/test/resources/known-holes.tsv")).stream()
                .filter(line -> !line.startsWith("#"))
                .map(Hole::of)
                .toList();
    }

    /** Compares numbers as numbers; {@code 2.0-rc1} comes after {@code 2.0}, which can only add a refusal. */
    private static int compare(String one, String other) {
        String[] left = one.split("[.-]");
        String[] right = other.split("[.-]");
        for (int i = 0; i < Math.max(left.length, right.length); i++) {
            int order = Integer.compare(number(left, i), number(right, i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static int number(String[] parts, int index) {
        String digits = index < parts.length ? parts[index].replaceFirst("[^0-9].*", "") : "";
        return digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }

    /** Where each library was found, by {@code GROUP:ARTIFACT VERSION}. */
    private static Map<String, String> libraries() throws IOException {
        Map<String, String> found = new TreeMap<>();
        List<Path> jars = new ArrayList<>();
        try (Stream<Path> files = Files.walk(DISTRIBUTION)) {
            files.filter(file -> file.toString().endsWith(".jar")).forEach(jars::add);
        }
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (entry.endsWith(".jar")) {
                jars.add(Path.of(entry));
            }
        }
        for (Path jar : jars) {
            byRepository(jar, found);
            try (InputStream in = Files.newInputStream(jar)) {
                inside(in, jar.toString(), found);
            }
        }
        return found;
    }

    /** A jar without Maven's properties in it: its place in a repository names it. */
    private static void byRepository(Path jar, Map<String, String> found) {
        String path = jar.toAbsolutePath().toString();
        int top = Math.max(path.indexOf("/system/"), path.indexOf("/repository/"));
        if (top >= 0) {
            String[] names = path.substring(path.indexOf('/', top + 1) + 1).split("/");
            int last = names.length - 1;
            found.put(
                    String.join(".", List.of(names).subList(0, last - 2)) + ":" + names[last - 2] + " "
                            + names[last - 1],
                    path);
        }
    }

    private static void inside(InputStream in, String where, Map<String, String> found) throws IOException {
        JarInputStream jar = new JarInputStream(in);
        for (JarEntry entry = jar.getNextJarEntry(); entry != null; entry = jar.getNextJarEntry()) {
            if (entry.getName().matches("META-INF/maven/.*/pom\\.properties")) {
                Properties properties = new Properties();
                properties.load(jar);
                found.put(
                        properties.getProperty("groupId") + ":" + properties.getProperty("artifactId") + " "
                                + properties.getProperty("version"),
                        where);
            } else if (entry.getName().endsWith(".jar")) {
                inside(jar, where + "!" + entry.getName(), found);
            }
        }
    }

    @Test
    void shouldHaveNoVersionWithAHoleThatCanBeReached() throws IOException {
        Map<String, String> libraries = libraries();
        List<String> open = new ArrayList<>();
        List<String> unused = new ArrayList<>();

        for (Hole hole : holes()) {
            List<String> hit = libraries.keySet().stream()
                    .filter(library -> library.startsWith(hole.artifact() + " "))
                    .filter(library -> hole.has(library.substring(library.indexOf(' ') + 1)))
                    .toList();
            if (hole.reason().isEmpty()) {
                hit.forEach(library -> open.add(
                        library + " has " + hole.id() + ": " + hole.what() + "; in " + libraries.get(library)));
            } else if (hit.isEmpty()) {
                unused.add(hole.id() + " of " + hole.artifact());
            }
        }

        assertThat(libraries).hasSizeGreaterThan(80).containsKey("com.github.jnr:jnr-ffi 2.2.17");
        assertThat(open).isEmpty();
        assertThat(unused).as("reasons for what is not shipped any more").isEmpty();
    }

    /** The reasons in the list hold. */
    @Test
    void shouldNotStartWhatItsReasonsSayIsNotStarted() throws IOException {
        String started = Files.readString(DISTRIBUTION.resolve("etc/startup.properties"));
        String logging = Files.readString(DISTRIBUTION.resolve("etc/org.ops4j.pax.logging.cfg"));

        assertThat(started).contains("pax-logging-log4j2").doesNotContain("logback", "org.eclipse.osgi", "telnet");
        assertThat(Files.readString(DISTRIBUTION.resolve("etc/config.properties")))
                .containsPattern("(?m)^karaf\\.framework *= *felix$");
        assertThat(logging.lines().filter(line -> line.matches("log4j2\\.appender\\.[a-z]+\\.type *=.*")))
                .allMatch(line -> line.matches(".*= (Console|RollingRandomAccessFile|PaxOsgi)"));
        assertThat(logging.lines().filter(line -> line.contains("layout.type")))
                .isNotEmpty()
                .allMatch(line -> line.endsWith("= PatternLayout"));
        assertThat(logging.toLowerCase(java.util.Locale.ROOT)).doesNotContain("ssl");
    }

    @ParameterizedTest
    @CsvSource({"2.25.3, 2.25.4, -1", "2.25.10, 2.25.4, 1", "3.30.6, 3.30.14, -1", "1.2, 1.2.0, 0", "4, 3.9, 1"})
    void shouldCompareVersions(String one, String other, int order) {
        assertThat(Integer.signum(compare(one, other))).isEqualTo(order);
    }
}
