package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A package of an older version, and what a newer one keeps and replaces of it. It has the files of this build, a file
 * that no newer version has, and other settings than those that the newer version brings.
 */
final class OlderVersion {
    static final String VERSION = "0.0.9";

    private static final Path PACKAGING = ReleaseBuild.TOP.resolve("packaging");
    private static final String SETTINGS = "/etc/verbena/environment";
    private static final String GONE = "/usr/lib/verbena/system/older-" + VERSION + ".jar";
    private static final String PREPARED = "/usr/lib/verbena/prepared/older";
    private static final String CHANGED = "VERBENA_OPTS=-Xmx123m\n";

    private OlderVersion() {}

    /** Makes the package, of a kind as the program that makes the build's own packages names it. */
    static Path make(Path folder, String kind) throws IOException, InterruptedException {
        Path files = folder.resolve("older-files");
        copy(PACKAGING.resolve("src/files"), files);
        Files.writeString(files.resolve(SETTINGS.substring(1)), "# of an older version\n");
        Files.createDirectories(files.resolve(GONE.substring(1)).getParent());
        Files.writeString(files.resolve(GONE.substring(1)), "jar");
        Path made = folder.resolve("older");
        ReleaseBuild.Result result = ReleaseBuild.run(
                folder,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-cp",
                        Files.readString(PACKAGING.resolve("target/class-path")),
                        "io.verbena.packaging.Packages",
                        ReleaseBuild.TOP.resolve("karaf-distro/target/assembly").toString(),
                        files.toString(),
                        made.toString(),
                        VERSION,
                        "2025-01-01T00:00:00Z",
                        ReleaseBuild.TOP.toString(),
                        "https://verbena.invalid",
                        kind));
        assertThat(result.status()).as(result.out()).isZero();
        try (Stream<Path> found = Files.list(made)) {
            return found.filter(file -> file.toString().endsWith("." + kind))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** What an administrator and jobs do while the older version is installed. */
    static void use(CleanRoot root) throws IOException, InterruptedException {
        assertThat(root.resolve(GONE)).exists();
        assertThat(root.resolve(SETTINGS)).hasContent("# of an older version\n");
        Files.writeString(root.resolve(SETTINGS), CHANGED);
        Files.writeString(root.resolve(PREPARED), "");
        InstalledPackage.makeState(root);
        expectRun(root);
    }

    /** The newer version is in use, and what the administrator has is kept; the package's own text is beside it. */
    static void expectUpgraded(CleanRoot root, String besideEnd) throws IOException, InterruptedException {
        assertThat(root.resolve(GONE)).doesNotExist();
        assertThat(root.resolve(PREPARED)).doesNotExist();
        assertThat(root.resolve(SETTINGS)).hasContent(CHANGED);
        assertThat(root.resolve(SETTINGS + besideEnd))
                .hasSameBinaryContentAs(PACKAGING.resolve("src/files" + SETTINGS));
        InstalledPackage.expectState(root);
        InstalledPackage.expectQuickStart(root);
        assertThat(root.resolve("/usr/lib/verbena/system.cdx.json"))
                .content()
                .contains("\"name\": \"verbena\", \"version\": \"" + ReleaseBuild.version() + "\"");
        expectRun(root);
    }

    /** The program runs, also with a state that another version may have made. */
    private static void expectRun(CleanRoot root) throws IOException, InterruptedException {
        ReleaseBuild.Result run = root.inside(
                """
                verbena --version
                cd /var/lib/verbena
                chroot --userspec=verbena:verbena --skip-chdir / env HOME=/var/lib/verbena \
                    verbena --state /var/lib/verbena/jobs -c nfs:version
                """);

        assertThat(run.status()).as(run.out()).isZero();
        assertThat(run.out())
                .startsWith("verbena " + ReleaseBuild.version() + "\n")
                .contains("Karaf");
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> walked = Files.walk(from)) {
            for (Path each : walked.toList()) {
                Files.copy(each, to.resolve(from.relativize(each)));
            }
        }
    }
}
