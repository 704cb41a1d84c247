package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.Shell;
import io.verbena.text.OctetText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the words of a command to continue, as the shell parses them. */
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

    /**
     * The words that a user types may contain any octets and control characters. A printed line must not contain them.
     */
    @Test
    void shouldHaveNothingThatBreaksALine() {
        String quoted = TransferWords.quoted("a:/x\n\udce9");

        assertThat(quoted).isEqualTo("a:/x\\\\x0A\\\\xE9");
        assertThat(OctetText.unescape(quoted.replace("\\\\", "\\"))).isEqualTo("a:/x\n\udce9");
    }
}
