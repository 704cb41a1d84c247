package io.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The one form of lines on the error stream. */
final class ErrorLinesTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final AtomicInteger shown = new AtomicInteger();
    private final ErrorLines lines =
            new ErrorLines(new PrintStream(printed, false, StandardCharsets.UTF_8), shown::incrementAndGet);

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldEscapeControlCharactersAndShowTheLine() {
        lines.tell("a\u001b[31m: lost");

        assertThat(text()).isEqualTo("a\\x1B[31m: lost\n");
        assertThat(shown).hasValue(1);
    }

    @Test
    void shouldHaveALineForEachFailure() {
        lines.tell(new IOException("a:/x: permission denied"));
        lines.tell(new NoSuchFileException("/y"));
        lines.tell(new EOFException()); // it has no message

        assertThat(text()).isEqualTo("a:/x: permission denied\n/y: no such file or directory\nEOFException\n");
    }
}
