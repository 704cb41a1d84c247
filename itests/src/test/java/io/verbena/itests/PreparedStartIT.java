package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The start that the build has prepared. */
@Timeout(value = 280, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PreparedStartIT {
    @TempDir
    private Path folder;

    @Test
    void shouldTakeTheClassesOfBundlesFromTheArchive() throws Exception {
        assumeTrue(System.getProperty("verbena.newer.jdk") == null, "the archive fits only the JDK that has made it");
        Path loaded = folder.resolve("loaded");

        Launcher.Result result = new Launcher(folder)
                .startWith(
                        Map.of("VERBENA_OPTS", "-Xlog:class+load:file=" + loaded + ":none"),
                        "--daemon",
                        "off",
                        "-c",
                        "echo")
                .await();

        assertThat(result.status()).as(result.err()).isZero();
        List<String> lines = Files.readAllLines(loaded);
        long fromArchive = count(lines, "source: shared objects file (top)");
        long fromJars = count(lines, "source: jar:bundle:");
        // a few cannot be archived; of classes that are not linked there would be 800 more
        assertThat(fromJars).isLessThan(fromArchive / 20);
    }

    private static long count(List<String> lines, String source) {
        return lines.stream().filter(line -> line.contains(source)).count();
    }
}
