package io.verbena.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FailuresTest {
    @Test
    void shouldCompareTheWordsOfTheFirstLine() {
        assertThat(Failures.areAlike(
                        "client-0-1: there are [f6] in place of []\n at",
                        "client-2: there are [] in place of [f1, f2]"))
                .isTrue();
        assertThat(Failures.areAlike("f1 has 4 octets", "f1 has 4 octets more")).isFalse();
    }

    @Test
    void shouldFindWordsInTheFirstLine() {
        assertThat(Failures.tells("client-0-1: f1 has 4 octets\nor 5", "f25 has 3 octets"))
                .isTrue();
        assertThat(Failures.tells("client-0-1: f1 has 4 octets\nor 5", "or 5")).isFalse();
    }
}
