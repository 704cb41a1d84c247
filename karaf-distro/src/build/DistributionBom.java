import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Writes a CycloneDX bill of materials of all jars of the distribution, those of Karaf included, and of the libraries
 * that a jar has in it. The build runs this file before it packs the archive. The same jars yield the same octets.
 */
public final class DistributionBom {
    private record Coordinates(String group, String artifact, String version) {
        String purl() {
            return "pkg:maven/" + group + "/" + artifact + "@" + version + "?type=jar";
        }
    }

    private DistributionBom() {}

    /** Arguments: the distribution's folder, the file to write, the version of the distribution. */
    public static void main(String[] arguments) throws IOException, NoSuchAlgorithmException {
        Path home = Path.of(arguments[0]);
        List<Path> jars;
        try (Stream<Path> files = Files.walk(home)) {
            jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        }
        List<String> components = new ArrayList<>();
        for (Path jar : jars) {
            components.add(component(home, jar));
        }
        Files.writeString(Path.of(arguments[1]), """
                {
                  "bomFormat": "CycloneDX",
                  "specVersion": "1.5",
                  "version": 1,
                  "metadata": {
                    "component": {
                      "type": "application",
                      "bom-ref": "verbena",
                      "name": "verbena",
                      "version": %s
                    }
                  },
                  "components": [
                %s
                  ]
                }
                """.formatted(text(arguments[2]), String.join(",\n", components)));
    }

    private static String component(Path home, Path jar) throws IOException, NoSuchAlgorithmException {
        String path = home.relativize(jar).toString();
        List<Coordinates> inside = inside(jar);
        Coordinates own = path.startsWith("system/") ? ofSystem(path) : ofLibrary(jar, inside);
        List<String> parts = inside.stream()
                .filter(part -> !part.artifact().equals(own.artifact()))
                .map(part -> "        { \"type\": \"library\", \"group\": " + text(part.group()) + ", \"name\": "
                        + text(part.artifact()) + ", \"version\": " + text(part.version()) + ", \"purl\": "
                        + text(part.purl()) + " }")
                .toList();
        String nested = parts.isEmpty() ? "" : ",\n      \"components\": [\n" + String.join(",\n", parts) + "\n      ]";
        return """
                    {
                      "type": "library",
                      "bom-ref": %s,
                      "group": %s,
                      "name": %s,
                      "version": %s,
                      "purl": %s,
                      "hashes": [ { "alg": "SHA-256", "content": "%s" } ],
                      "evidence": { "occurrences": [ { "location": %s } ] }%s
                    }""".formatted(
                        text(path),
                        text(own.group()),
                        text(own.artifact()),
                        text(own.version()),
                        text(own.purl()),
                        sha256(jar),
                        text(path),
                        nested);
    }

    /** {@code system/GROUP.../ARTIFACT/VERSION/FILE}: a Maven repository. */
    private static Coordinates ofSystem(String path) {
        String[] names = path.split("/");
        int last = names.length - 1;
        return new Coordinates(
                String.join(".", List.of(names).subList(1, last - 2)), names[last - 2], names[last - 1]);
    }

    private static Coordinates ofLibrary(Path jar, List<Coordinates> inside) {
        String name = jar.getFileName().toString().replaceFirst("\\.jar$", "");
        return inside.stream()
                .filter(each -> name.equals(each.artifact() + "-" + each.version()))
                .findFirst()
                .orElseGet(() -> {
                    int dash = name.replaceFirst("-[0-9].*", "").length();
                    return new Coordinates("unknown", name.substring(0, dash), name.substring(dash + 1));
                });
    }

    private static List<Coordinates> inside(Path jar) throws IOException {
        List<Coordinates> found = new ArrayList<>();
        try (JarFile file = new JarFile(jar.toFile())) {
            List<JarEntry> entries = file.stream()
                    .filter(entry -> entry.getName().matches("META-INF/maven/.*/pom\\.properties"))
                    .toList();
            for (JarEntry entry : entries) {
                Properties properties = new Properties();
                try (InputStream in = file.getInputStream(entry)) {
                    properties.load(in);
                }
                found.add(new Coordinates(
                        properties.getProperty("groupId"),
                        properties.getProperty("artifactId"),
                        properties.getProperty("version")));
            }
        }
        return found.stream().sorted((a, b) -> a.purl().compareTo(b.purl())).toList();
    }

    private static String sha256(Path jar) throws IOException, NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar)));
    }

    private static String text(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
