package io.verbena.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A YARN cluster with the shaded jar on its class path; with the profile {@code clusters}. */
@ExtendWith(SharedExport.class)
@EnabledIfSystemProperty(named = "verbena.yarn.jars", matches = ".+")
final class YarnIT {
    private static final int FILES = 20;

    @Test
    void shouldCopyBetweenTwoExports(@TempDir Path folder) throws Exception {
        try (TestExport other = new TestExport()) {
            Path source = Files.createDirectories(SharedExport.own().directory().resolve("yarn/sub"));
            byte[] content = new byte[300_000];
            Random random = new Random(3);
            for (int i = 0; i < FILES; i++) {
                random.nextBytes(content);
                Files.write(source.resolve("file" + i), content);
            }
            List<String> command = List.of(
                    ChildProcess.java(),
                    "-Xmx1g",
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("verbena.yarn.jars") + "/*:" + System.getProperty("verbena.hadoop.jar"),
                    Path.of("src/test/yarn/CopyOnCluster.java").toAbsolutePath().toString(),
                    SharedExport.own().uri().resolve("/yarn").toString(),
                    other.uri().resolve("/copied").toString());

            ChildProcess copy = ChildProcess.run(folder, Map.of("XDG_STATE_HOME", folder.toString()), command);

            assertThat(copy.status()).as(copy.output()).isZero();
            assertThat(copy.output()).contains("COPIED 0").contains("UPDATED 0");
            for (int i = 0; i < FILES; i++) {
                assertThat(other.directory().resolve("copied/sub/file" + i))
                        .hasBinaryContent(Files.readAllBytes(source.resolve("file" + i)));
            }
        }
    }
}
