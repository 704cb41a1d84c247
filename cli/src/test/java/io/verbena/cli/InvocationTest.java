package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class InvocationTest {
    @Test
    void shouldCountRelativePathsFromItsOwnDirectory() {
        Invocation invocation = new Invocation(Path.of("/some/where"), Map.of("A", "b"), 80);

        assertThat(invocation.path("file")).isEqualTo(Path.of("/some/where/file"));
        assertThat(invocation.path("../file")).isEqualTo(Path.of("/some/where/../file"));
        assertThat(invocation.path("/file")).isEqualTo(Path.of("/file"));
        assertThat(invocation.path("~/file")).isEqualTo(Path.of(System.getProperty("user.home"), "file"));
        assertThat(invocation.environment("A")).contains("b");
        assertThat(invocation.environment("PATH")).isEmpty();
    }

    @Test
    void shouldBeThatOfTheProcessByDefault() {
        assertThat(Invocation.of(null)).isSameAs(Invocation.ofProcess());
        assertThat(Invocation.ofProcess().path("file"))
                .isEqualTo(Path.of("file").toAbsolutePath());
        assertThatThrownBy(() -> new Invocation(Path.of("a"), Map.of(), 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
