package io.verbena.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs every stress test for a moment. {@code stress/run} runs them for long. */
final class ShortRunIT {
    private static final int MOST_MINUTES = 15;

    /** The working directory, where the harness leaves its results. */
    private final Path folder = Path.of(System.getProperty("verbena.stress.folder"));

    private final Path log = folder.resolve("log");

    @BeforeEach
    void setUp() throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> earlier = Files.walk(folder)) {
                earlier.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(File::delete);
            }
        }
        Files.createDirectories(folder);
    }

    @Test
    void shouldSeeNothingForbidden() throws Exception {
        Process harness = new ProcessBuilder(command())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(harness.waitFor(MOST_MINUTES, TimeUnit.MINUTES))
                    .as(() -> "ended; " + log)
                    .isTrue();
        } finally {
            harness.descendants().forEach(ProcessHandle::destroyForcibly);
            harness.destroyForcibly();
        }
        String told = Files.readString(log);
        assertThat(harness.exitValue()).as(told).isZero();
        assertThat(told)
                .as("all of what was planned has passed")
                .containsPattern("Results: ([1-9][0-9]*) planned; \\1 passed, 0 failed, 0 soft errs, 0 hard errs");
    }

    /**
     * One fork of each test, without split compilation; the system schedules the threads. The harness itself has no
     * options of the JVM, since it gives them to the tests as well: these are to be compiled as programs are. A fork
     * first finds out what its strides need of memory, and touches its heap, which takes seconds with the defaults (40
     * strides, 256 MiB).
     */
    private static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "org.openjdk.jcstress.Main",
                "-m",
                "quick",
                "-f",
                "1",
                "-strideCount",
                "1",
                "-hs",
                "64",
                "-pth",
                "false",
                "-sc",
                "false",
                "-af",
                "NONE",
                "-spinStyle",
                "THREAD_YIELD",
                "-jvmArgs",
                "-XX:+UseSerialGC",
                "-r",
                "report");
    }
}
