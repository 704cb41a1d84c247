package io.verbena.cli.internal.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StatementsTest {
    @Test
    void shouldEndAStatementWithALineOrASemicolon() {
        assertThat(Statements.of("a 1; b\n\n  c 'x y'\n;d")).containsExactly("a 1", "b", "c 'x y'", "d");
    }

    @Test
    void shouldKeepWhatIsQuotedEscapedOrInBraces() {
        assertThat(Statements.of("a ';\n' \"x;\\\";y\" \\; z; try { b; c\n } { (d; e) }\n[1\n2]"))
                .containsExactly("a ';\n' \"x;\\\";y\" \\; z", "try { b; c\n } { (d; e) }", "[1\n2]");
    }

    @Test
    void shouldLeaveOutComments() {
        assertThat(Statements.of("# it's one; really\na b#c http://d // don't\n// e\n  # f"))
                .containsExactly("a b#c http://d");
    }

    @Test
    void shouldGoOnBehindAPipe() {
        assertThat(Statements.of("a |\n b && \nc\nd")).containsExactly("a |\n b && \nc", "d");
    }

    @Test
    void shouldTakeAnUnfinishedStatementAsItIs() {
        assertThat(Statements.of("a\nb { c ; d e")).containsExactly("a", "b { c ; d e");
        assertThat(Statements.of("a \\")).containsExactly("a \\");
    }

    /** The shell interprets {@code ||} as two pipes with nothing between them. */
    @Test
    void shouldRefuseAnOrThatTheShellWouldTakeForAPipe() {
        assertThatThrownBy(() -> Statements.of("a || b")).hasMessageContaining("try { A } { B }");
        assertThat(Statements.of("a '||' b; x = %(c || d)")).containsExactly("a '||' b", "x = %(c || d)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a 'b\nc", "a\nb \"c\\\"", "a '"})
    void shouldSayWhichQuoteIsNotClosed(String script) {
        assertThatThrownBy(() -> Statements.of(script))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("a quote is not closed: ['\"].*");
    }
}
