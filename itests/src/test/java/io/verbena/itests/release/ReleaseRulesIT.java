package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a release build refuses before it makes anything, asked of this checkout's top pom. */
final class ReleaseRulesIT {
    private static final String LINE = "A release names the project's page";

    @TempDir
    private Path folder;

    @BeforeEach
    void wantRelease() {
        ReleaseBuild.assumePresent();
    }

    @Test
    void shouldRefuseAReleaseWithoutAPage() throws Exception {
        ReleaseBuild.Result refused = validate("-Drevision=1.0.0");

        assertThat(refused.status()).isNotZero();
        assertThat(refused.out().lines().filter(line -> line.contains(LINE)))
                .singleElement()
                .asString()
                .contains("1.0.0 of https://verbena.invalid", "-Dverbena.home=URL");
    }

    @Test
    void shouldTakeAReleaseWithAPage() throws Exception {
        ReleaseBuild.Result taken = validate("-Drevision=1.0.0", "-Dverbena.home=https://verbena.example");

        assertThat(taken.status()).as(taken.out()).isZero();
    }

    @Test
    void shouldTakeASnapshotWithoutAPage() throws Exception {
        ReleaseBuild.Result taken = validate("-Drevision=1.0.0-SNAPSHOT");

        assertThat(taken.status()).as(taken.out()).isZero();
    }

    private ReleaseBuild.Result validate(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("verbena.maven") + "/bin/mvn",
                "-B",
                "-o",
                "-N",
                "-f",
                ReleaseBuild.TOP.resolve("pom.xml").toString(),
                "-Prelease",
                "-Dmaven.repo.local=" + System.getProperty("verbena.local.repository")));
        command.addAll(List.of(options));
        command.add("validate");
        return ReleaseBuild.run(folder, command);
    }
}
