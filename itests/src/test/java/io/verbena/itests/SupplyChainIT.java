package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import javax.json.Json;
import javax.json.JsonObject;
import javax.json.JsonReader;
import org.junit.jupiter.api.Test;

/** Where the distribution's code comes from: out of its archive, and from nowhere else. */
final class SupplyChainIT {
    private static final Path DISTRIBUTION = Path.of("../karaf-distro/target/assembly");
    private static final int BLOCK = 512;
    private static final long BUILD_SECONDS =
            Instant.parse("2026-01-01T00:00:00Z").getEpochSecond(); // project.build.outputTimestamp
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

    /** What would differ from build to build is not in the archive; {@code .ci/reproducible} compares two builds. */
    @Test
    void shouldPackNothingThatDiffersFromBuildToBuild() throws IOException {
        List<String> names = new ArrayList<>();
        try (InputStream in =
                new GZIPInputStream(Files.newInputStream(Path.of(System.getProperty("verbena.archive"))))) {
            String longName = null;
            for (byte[] header = in.readNBytes(BLOCK); header[0] != 0; header = in.readNBytes(BLOCK)) {
                byte[] data = in.readNBytes((Integer.parseInt(text(header, 124, 11), 8) + BLOCK - 1) / BLOCK * BLOCK);
                String name = text(header, 0, 100);

                assertThat(Long.parseLong(text(header, 136, 11), 8)).as(name).isEqualTo(BUILD_SECONDS);
                assertThat(text(header, 108, 7) + text(header, 116, 7)).as(name).isEqualTo("0".repeat(14));
                assertThat(text(header, 100, 7)).as(name).isIn("0000644", "0000755");
                if (header[156] == 'x' || header[156] == 'L') {
                    longName = text(data, 0, data.length).replaceFirst("(?s)^[0-9]+ path=([^\n]*).*", "$1");
                } else {
                    names.add(longName == null ? name : longName);
                    longName = null;
                }
            }
        }

        assertThat(names).hasSizeGreaterThan(100).isSorted();
    }

    private static String text(byte[] octets, int at, int length) {
        return new String(octets, at, length, StandardCharsets.UTF_8).replaceFirst("(?s)\0.*", "");
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
