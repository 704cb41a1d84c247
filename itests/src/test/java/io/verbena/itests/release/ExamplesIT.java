package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.VerbenaStack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Projects of other people, built from the repository of a release build by the Maven of this build. They have a local
 * repository of their own, and take everything else from that of this build, so that nothing is fetched and nothing of
 * Verbena is left for other builds.
 */
final class ExamplesIT {
    @TempDir
    private Path folder;

    @BeforeEach
    void wantRelease() {
        ReleaseBuild.assumePresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"class-path", "felix"})
    void shouldBuildAnExampleThatIsCopiedOut(String example) throws Exception {
        Path project = folder.resolve(example);
        copy(ReleaseBuild.TOP.resolve("examples").resolve(example), project);

        ReleaseBuild.Result built = maven(project, List.of("-Dverbena.version=" + ReleaseBuild.version(), "verify"));

        assertThat(built.status()).as(built.out()).isZero();
        assertThat(built.out()).contains("Tests run: 1, Failures: 0, Errors: 0, Skipped: 0");
    }

    /** The page's pom.xml, program and commands, in a project that has nothing else. */
    @Test
    void shouldCopyAFirstFileWithWhatThePageSays(@TempDir Path exported, @TempDir Path state) throws Exception {
        Path project = Files.createDirectory(folder.resolve("project"));
        Files.writeString(
                project.resolve("pom.xml"),
                """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>org.example</groupId>
                  <artifactId>fetch</artifactId>
                  <version>1</version>
                  <build><pluginManagement><plugins><plugin>
                    <artifactId>maven-dependency-plugin</artifactId>
                    <version>3.8.1</version>
                  </plugin></plugins></pluginManagement></build>
                %s
                </project>
                """
                        .formatted(ReleaseBuild.readmeBlock("Embedding", 0)
                                .replaceFirst(
                                        "<version>[^<]*</version>",
                                        "<version>" + ReleaseBuild.version() + "</version>")));
        Files.writeString(project.resolve("Fetch.java"), ReleaseBuild.readmeBlock("Embedding", 1));
        List<String> commands = ReleaseBuild.readmeBlock("Embedding", 2).lines().toList();
        assertThat(commands).hasSizeLessThanOrEqualTo(3);
        List<String> words = List.of(commands.get(0).split(" ", -1));
        assertThat(words.get(0)).isEqualTo("mvn");

        ReleaseBuild.Result resolved = maven(project, words.subList(1, words.size()));
        assertThat(resolved.status()).as(resolved.out()).isZero();

        Files.writeString(Files.createDirectory(exported.resolve("projects")).resolve("report.csv"), "a,b\n");
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        try (VerbenaStack stack = new VerbenaStack();
                NfsServer server = new NfsServer(settings, state, new SystemRuntime());
                RpcListener listener = stack.serve(server, 0)) {
            String command = commands.get(1)
                    .replace(
                            "storage.example.com:20049",
                            "127.0.0.1:" + listener.localAddress().getPort());
            ReleaseBuild.Result fetched = fetch(project, command);
            assertThat(fetched.status()).as(fetched.out()).isZero();
            assertThat(project.resolve("report.csv")).hasContent("a,b\n");

            // the same with the one jar that has everything
            Files.delete(project.resolve("report.csv"));
            ReleaseBuild.Result withOneJar = fetch(project, command.replace("'lib/*'", all().toString()));
            assertThat(withOneJar.status()).as(withOneJar.out()).isZero();
            assertThat(project.resolve("report.csv")).hasContent("a,b\n");
        }
    }

    private static ReleaseBuild.Result fetch(Path project, String command) throws IOException, InterruptedException {
        return ReleaseBuild.run(
                project,
                List.of("sh", "-c", command.replaceFirst("^java ", System.getProperty("java.home") + "/bin/java ")));
    }

    private static Path all() throws IOException {
        try (Stream<Path> files = Files.walk(ReleaseBuild.repository())) {
            return files.filter(file -> file.getFileName().toString().matches("verbena-standalone-.*-all\\.jar"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private ReleaseBuild.Result maven(Path project, List<String> arguments) throws IOException, InterruptedException {
        Path settings = folder.resolve("settings.xml");
        Files.writeString(
                settings,
                Files.readString(ReleaseBuild.TOP.resolve("examples/settings.xml"))
                        .replace(
                                "<profiles>",
                                """
                                <mirrors>
                                  <mirror>
                                    <id>central</id>
                                    <mirrorOf>central</mirrorOf>
                                    <url>%s</url>
                                  </mirror>
                                </mirrors>
                                <profiles>"""
                                        .formatted(Path.of(System.getProperty("verbena.local.repository"))
                                                .toUri())));
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("verbena.maven") + "/bin/mvn",
                "-B",
                "-ntp",
                "-s",
                settings.toString(),
                "-Dmaven.repo.local=" + folder.resolve("local-repository"),
                "-Dverbena.repository=" + ReleaseBuild.repository().toUri()));
        command.addAll(arguments);
        return ReleaseBuild.run(project, command);
    }

    private static void copy(Path from, Path to) throws IOException {
        List<Path> files;
        try (Stream<Path> walked = Files.walk(from)) {
            files = walked.filter(file -> !from.relativize(file).startsWith("target"))
                    .toList();
        }
        for (Path file : files) {
            Files.copy(file, to.resolve(from.relativize(file).toString()));
        }
    }
}
