package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The repository of a release build has what Central asks for. */
final class RepositoryIT {
    private static final Pattern VERSION = Pattern.compile("<version>([^<]*)</version>");
    /** What a jar of Verbena says of itself, and not of libraries in it. */
    private static final Pattern DESCRIBES =
            Pattern.compile("META-INF/MANIFEST\\.MF|META-INF/maven/io\\.verbena/.*/pom\\.(xml|properties)");

    private static final boolean WITHOUT_JAVADOC = Boolean.getBoolean("verbena.without.javadoc");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>([^<]*)</artifactId>");

    @TempDir
    private Path folder;

    @BeforeEach
    void wantRelease() {
        ReleaseBuild.assumePresent();
    }

    @Test
    void shouldHavePomsThatStandAlone() throws IOException {
        List<Path> poms = files(".pom");

        assertThat(poms).hasSizeGreaterThan(25);
        for (Path pom : poms) {
            // the list of versions names its own, which each reader of a pom knows
            String text = Files.readString(pom).replace("${project.version}", ReleaseBuild.version());
            assertThat(text)
                    .as("%s", pom)
                    .contains("<name>", "<description>", "<url>", "<license>", "<developer>", "<scm")
                    .contains("<connection>scm:", "<developerConnection>scm:")
                    .doesNotContain("<parent>", "${", "<scope>test</scope>", "<repository>", "verbena.invalid/");
            // a release, which has no such version of its own, depends on no snapshot
            assertThat(VERSION.matcher(text).results().map((MatchResult found) -> found.group(1)))
                    .as("%s", pom)
                    .filteredOn(version -> version.endsWith("-SNAPSHOT"))
                    .allMatch(version -> version.equals(ReleaseBuild.version()));
        }
    }

    /** Who depends on an artifact needs none of Verbena that is not there. */
    @Test
    void shouldHaveWhatItsPomsDependOn() throws Exception {
        Set<String> needed = new TreeSet<>();
        for (Path pom : files(".pom")) {
            NodeList dependencies = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(pom.toFile())
                    .getElementsByTagName("dependency");
            for (int i = 0; i < dependencies.getLength(); i++) {
                Element dependency = (Element) dependencies.item(i);
                if (text(dependency, "groupId", "").equals("io.verbena")) {
                    needed.add(text(dependency, "artifactId", "") + "-" + text(dependency, "classifier", ""));
                    assertThat(fileOf(dependency)).as("%s", pom).exists();
                }
            }
        }

        assertThat(needed).contains("io.verbena.nfs-", "verbena-standalone-all", "verbena-features-features");
    }

    /** The keys are those of the build's keyring. */
    @Test
    void shouldHaveASignatureForEachFileOfASignedRelease() throws Exception {
        assumeTrue(Boolean.getBoolean("verbena.signed"), "the build signs nothing: it has no -Dgpg.keyname=KEY");
        List<Path> signed = new ArrayList<>(files(".pom"));
        signed.addAll(files(".jar"));
        signed.addAll(files("-features.xml"));

        assertThat(signed).hasSizeGreaterThan(100).allSatisfy(file -> {
            ReleaseBuild.Result verified =
                    ReleaseBuild.run(folder, List.of("gpg", "--batch", "--verify", file + ".asc", file.toString()));
            assertThat(verified.status()).as(verified.out()).isZero();
        });
    }

    /** Neither the features nor what a jar says of itself name another version than that of the build. */
    @Test
    void shouldNameNoOtherVersionInJarsAndFeatures() throws IOException {
        String version = ReleaseBuild.version();
        for (Path features : files("-features.xml")) {
            assertThat(Files.readString(features).replace(version, ""))
                    .as("%s", features)
                    .doesNotContain("SNAPSHOT", "${");
        }
        for (Path path : files(".jar")) {
            try (JarFile jar = new JarFile(path.toFile(), false)) {
                for (ZipEntry each : jar.stream()
                        .filter(entry -> DESCRIBES.matcher(entry.getName()).matches())
                        .toList()) {
                    String text = new String(jar.getInputStream(each).readAllBytes(), StandardCharsets.UTF_8);
                    // a manifest's lines are folded, and a bundle's version has a dot before its qualifier
                    assertThat(text.replaceAll("\r?\n ", "")
                                    .replace(version, "")
                                    .replace(version.replace('-', '.'), ""))
                            .as("%s in %s", each, path)
                            .doesNotContain("SNAPSHOT", "${revision}");
                }
            }
        }
    }

    @Test
    void shouldHaveSourcesJavadocAndDigestsForEachJar() throws IOException {
        List<Path> jars = files(".jar").stream()
                .filter(jar -> !jar.toString().matches(".*-(sources|javadoc|all|tests)\\.jar"))
                .toList();

        assertThat(jars).hasSizeGreaterThan(25);
        for (Path jar : jars) {
            String base = jar.toString().replaceFirst("\\.jar$", "");
            assertThat(List.of(base + ".pom", base + "-sources.jar", jar + ".sha1", jar + ".md5"))
                    .allMatch(file -> Files.exists(Path.of(file)));
            assertThat(WITHOUT_JAVADOC || Files.exists(Path.of(base + "-javadoc.jar")))
                    .as("%s", jar)
                    .isTrue();
        }
        if (!WITHOUT_JAVADOC) {
            assertThat(entries(only("verbena-standalone", "-javadoc.jar"))).contains("index.html");
        }
        assertThat(entries(only("io.verbena.nfs", "-sources.jar"))).contains("io/verbena/nfs/Mount.java");
    }

    @Test
    void shouldNameAllArtifactsInTheBom() throws IOException {
        Set<String> named = ARTIFACT.matcher(Files.readString(only("verbena-bom", ".pom")))
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> present;
        try (Stream<Path> folders = Files.list(ReleaseBuild.repository().resolve("io/verbena"))) {
            present = folders.map(folder -> folder.getFileName().toString())
                    .filter(name -> !name.equals("verbena-parent") && !name.equals("verbena-bundles"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        assertThat(named).isEqualTo(present);
    }

    /** The jar with everything has each class once, services of all parts, and libraries under names of its own. */
    @Test
    void shouldHaveOneJarWithEverything() throws IOException {
        Path jar = only("verbena-standalone", "-all.jar");
        List<String> entries = entries(jar);

        assertThat(entries)
                .doesNotHaveDuplicates()
                .contains(
                        "io/verbena/nfs/Mount.class",
                        "io/verbena/shaded/hdrhistogram/Histogram.class",
                        "jni/x86_64-Linux/libjffi-1.2.so",
                        "jni/aarch64-Linux/libjffi-1.2.so",
                        "META-INF/services/java.nio.file.spi.FileSystemProvider",
                        "META-INF/services/io.verbena.nfs.MountFactory",
                        "META-INF/services/io.verbena.nfs.transfer.CopyEngine")
                .noneMatch(name -> name.startsWith("org/HdrHistogram/") || name.startsWith("org/objectweb/"))
                .noneMatch(name -> name.endsWith(".jar") || name.startsWith("OSGI-INF/"));
    }

    private static Path fileOf(Element dependency) throws IOException {
        String artifact = text(dependency, "artifactId", "");
        assertThat(text(dependency, "version", "").replace("${project.version}", ReleaseBuild.version()))
                .as(artifact)
                .isEqualTo(ReleaseBuild.version());
        String classifier = text(dependency, "classifier", "");
        String end = (classifier.isEmpty() ? "" : "-" + classifier) + "." + text(dependency, "type", "jar");
        Path pom = only(artifact, ".pom");
        return pom.resolveSibling(pom.getFileName().toString().replaceFirst("\\.pom$", end));
    }

    private static String text(Element element, String name, String otherwise) {
        NodeList found = element.getElementsByTagName(name);
        return found.getLength() == 0
                ? otherwise
                : found.item(0).getTextContent().strip();
    }

    private static List<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile(), false)) {
            return file.stream().map(ZipEntry::getName).toList();
        }
    }

    private static Path only(String artifact, String end) throws IOException {
        List<Path> found = files(end).stream()
                .filter(file ->
                        file.getParent().getParent().getFileName().toString().equals(artifact))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private static List<Path> files(String end) throws IOException {
        try (Stream<Path> files = Files.walk(ReleaseBuild.repository())) {
            return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
        }
    }
}
