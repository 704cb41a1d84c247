package io.verbena.cli.internal.nfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.Shell;
import io.verbena.text.OctetText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Words of a command that goes on, as the shell reads them. */
class TransferWordsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a:/caf\\xE9.txt",
                "a:/a\\\\x41",
                "it's \"here\"",
                "$HOME/{a,b};c|d&e*?[f]",
                "`x` (y) <z> #1 ~!",
                "größe"
            })
    void shouldBeReadAsTheyAre(String word) throws Exception {
        try (Shell shell = new Shell(TransferWordsTest.class)) {
            shell.inSession("", session -> {
                session.execute("word = " + TransferWords.quoted(word));

                assertThat(session.get("word")).hasToString(word);
            });
        }
    }

    /** What a user typed may have octets and control characters, which a line that is printed has not. */
    @Test
    void shouldHaveNothingThatBreaksALine() {
        String quoted = TransferWords.quoted("a:/x\n\udce9");

        assertThat(quoted).isEqualTo("a:/x\\\\x0A\\\\xE9");
        assertThat(OctetText.unescape(quoted.replace("\\\\", "\\"))).isEqualTo("a:/x\n\udce9");
    }
}
