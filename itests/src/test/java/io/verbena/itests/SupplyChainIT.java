package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.json.Json;
import javax.json.JsonObject;
import javax.json.JsonReader;
import org.junit.jupiter.api.Test;

/** Where the distribution's code comes from: out of its archive, and from nowhere else. */
final class SupplyChainIT {
    private static final Path DISTRIBUTION = Path.of("../karaf-distro/target/assembly");
    private static final Pattern FLOATING = Pattern.compile("/(RELEASE|LATEST)\\b");

    @Test
    void shouldListEveryJarInTheBillOfMaterials() throws IOException {
        Map<String, String> digests = new HashMap<>();
        try (JsonReader reader =
                Json.createReader(new StringReader(Files.readString(DISTRIBUTION.resolve("bom.cdx.json"))))) {
            JsonObject bom = reader.readObject();
            assertThat(bom.getString("bomFormat")).isEqualTo("CycloneDX");
            for (JsonObject component : bom.getJsonArray("components").getValuesAs(JsonObject.class)) {
                assertThat(component.getString("purl")).startsWith("pkg:maven/");
                digests.put(
                        component
                                .getJsonObject("evidence")
                                .getJsonArray("occurrences")
                                .getJsonObject(0)
                                .getString("location"),
                        component.getJsonArray("hashes").getJsonObject(0).getString("content"));
            }
        }

        Map<String, String> present = new HashMap<>();
        try (Stream<Path> files = Files.walk(DISTRIBUTION)) {
            for (Path jar :
                    files.filter(file -> file.toString().endsWith(".jar")).toList()) {
                present.put(DISTRIBUTION.relativize(jar).toString(), Digests.ofFile(jar));
            }
        }
        assertThat(digests).isEqualTo(present).hasSizeGreaterThan(50);
    }

    @Test
    void shouldNameNoRemoteRepositoryAndNoFloatingVersion() throws IOException {
        try (Stream<Path> files = Files.walk(DISTRIBUTION.resolve("etc"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                List<String> lines = Files.readAllLines(file).stream()
                        .filter(line ->
                                !line.strip().startsWith("#") && !line.strip().startsWith("//"))
                        .toList();

                assertThat(lines)
                        .as("%s", file)
                        .noneMatch(line -> FLOATING.matcher(line).find())
                        .noneMatch(line -> file.toString().endsWith("cfg") && line.matches(".*https?:.*"));
            }
        }
        Properties maven = new Properties();
        try (var in = Files.newBufferedReader(DISTRIBUTION.resolve("etc/org.ops4j.pax.url.mvn.cfg"))) {
            maven.load(in);
        }
        assertThat(maven.getProperty("org.ops4j.pax.url.mvn.repositories")).isEmpty();
        assertThat(maven.getProperty("org.ops4j.pax.url.mvn.useFallbackRepositories"))
                .isEqualTo("false");
        assertThat(maven.getProperty("org.ops4j.pax.url.mvn.defaultRepositories")
                        .split(","))
                .allMatch(each -> each.strip().startsWith("${karaf."));
    }

    @Test
    void shouldBuildFromNoPlainHttpAndNoFloatingVersion() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            List<Path> poms = files.filter(
                            file -> file.endsWith("pom.xml") && !file.toString().contains("/target/"))
                    .toList();

            assertThat(poms).hasSizeGreaterThan(30);
            for (Path pom : poms) {
                assertThat(Files.readString(pom))
                        .as("%s", pom)
                        .doesNotContain("<url>http:", "<version>RELEASE", "<version>LATEST", "<repository>");
            }
        }
    }
}
