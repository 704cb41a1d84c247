package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that local paths are converted to text by {@link io.verbena.text.LocalNames} only. */
class LocalNamesRuleTest {
    /**
     * {@code toString()} and {@code Path.of(String)} lose octets. Code that copies, completes or lists must not use
     * them.
     */
    @Test
    void shouldBeTheOnlyWayFromPathsToTextAndBack() throws IOException {
        List<String> found = new ArrayList<>();
        Path top = Path.of("src/main/java/io/verbena/cli/internal");
        for (String folder : List.of("complete", "nfs")) {
            try (Stream<Path> sources = Files.walk(top.resolve(folder))) {
                for (Path source : sources.filter(Files::isRegularFile).toList()) {
                    String text = Files.readString(source);
                    for (String lossy : List.of("getFileName(", " Path.of(", "(Path.of(", "Paths.get(", "new File(")) {
                        if (text.contains(lossy)) {
                            found.add(source + ": " + lossy);
                        }
                    }
                }
            }
        }

        assertThat(found).isEmpty();
    }
}
