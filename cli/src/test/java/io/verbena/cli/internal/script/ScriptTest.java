package io.verbena.cli.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

final class ScriptTest {
    @Test
    void shouldTellAFailureInOneLine() {
        assertThat(Script.oneLine(new IOException("no answer\n  from server:\r\n\tgave up\n")))
                .isEqualTo("no answer from server: gave up");
    }

    @Test
    void shouldNameAFailureThatSaysNothing() {
        assertThat(Script.oneLine(new IllegalStateException())).isEqualTo("IllegalStateException");
    }

    @Test
    void shouldSayWhatIsWrongWithAFile() {
        assertThat(Script.oneLine(new NoSuchFileException("report.csv"))).isEqualTo("NoSuchFileException: report.csv");
    }

    @Test
    void shouldCallAnInterruptOne() {
        assertThat(Script.oneLine(new InterruptedException("sleep interrupted")))
                .isEqualTo("interrupted");
    }
}
