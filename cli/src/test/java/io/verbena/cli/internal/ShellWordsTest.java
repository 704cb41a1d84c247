package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ShellWordsTest {
    @Test
    void shouldFindTheWordsOfALine() {
        assertThat(ShellWords.of("  --port 1\t'a $b' \"it's \\\"c\\\" {d}\" e\\ f'g'\"h\" '' # --ro"))
                .containsExactly("--port", "1", "a $b", "it's \"c\" {d}", "e fgh", "");
        assertThat(ShellWords.of("[::1]:/* {a,b}?")).containsExactly("[::1]:/*", "{a,b}?");
        assertThat(ShellWords.of("a#b \"\\a\"")).containsExactly("a#b", "\\a");
        assertThat(ShellWords.of(" # nothing")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a; shell:exec id",
                "/a | tac",
                "/a & b",
                "/a > b",
                "$(id)",
                "\"$(id)\"",
                "$HOME",
                "\"`id`\"",
                "(nfs:ls a:/)",
                "'a",
                "\"a"
            })
    void shouldRefuseWhatIsMoreThanWords(String line) {
        assertThatThrownBy(() -> ShellWords.of(line)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a b", "it's", "\"$HOME\"", "{a,b}*?[c]", "a;b|c&d", "a\\", "#a", "`a`", "", "é/ü", "\\x41"})
    void shouldQuoteAWord(String word) {
        assertThat(ShellWords.of(ShellWords.quoted(word))).containsExactly(word);
    }

    @Test
    void shouldQuoteWhatWouldBeginAComment() {
        assertThat(ShellWords.quoted("//srv")).isEqualTo("\\//srv");
    }
}
