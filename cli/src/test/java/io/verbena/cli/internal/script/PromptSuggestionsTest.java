package io.verbena.cli.internal.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.SharedThreadIo;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.apache.felix.service.command.Function;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.impl.action.command.ManagerImpl;
import org.apache.karaf.shell.impl.console.SessionFactoryImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PromptSuggestionsTest {
    private final ThreadIOImpl threadIo = SharedThreadIo.get();
    private final SessionFactoryImpl sessions = new SessionFactoryImpl(threadIo);
    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();

    @BeforeEach
    void start() {
        new ManagerImpl(sessions, sessions).register(ScriptTest.Look.class);
        sessions.getCommandProcessor().addListener(new PromptSuggestions());
    }

    @AfterEach
    void stop() {
        sessions.stop();
    }

    /** Types a line that fails, and returns the output besides the failure. */
    private String type(String line, boolean isPrompt) {
        screen.reset();
        PrintStream out = new PrintStream(screen, true, StandardCharsets.UTF_8);
        try (Session session = sessions.create(InputStream.nullInputStream(), out, out)) {
            if (isPrompt) {
                session.put(".jline.reader", "that of a prompt");
            }
            session.put("again", (Function) (inner, arguments) -> inner.execute("test:lok"));
            assertThatThrownBy(() -> session.execute(line)).isNotNull();
        }
        return screen.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "test:look --recusrive x, test:look has no option --recusrive: did you mean '--recursive'?",
        "test:lok x,              There is no command test:lok: did you mean 'test:look'?",
        "lok x,                   There is no command lok: did you mean 'test:look'?",
        "again,                   There is no command test:lok: did you mean 'test:look'?"
    })
    void shouldNameTheNearestInOneLine(String line, String suggestion) {
        assertThat(type(line, true)).isEqualTo("%s%n", suggestion);
    }

    @ParameterizedTest
    @ValueSource(strings = {"test:look --xyz x", "test:look", "nonsense", "some:nonsense"})
    void shouldSayNothingWhereNoneIsNear(String line) {
        assertThat(type(line, true)).isEmpty();
    }

    @Test
    void shouldSayNothingToAScript() {
        assertThat(type("test:lok x", false)).isEmpty();
    }
}
