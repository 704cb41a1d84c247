package io.verbena.rpcsec.gss.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SequenceWindowTest {
    private final SequenceWindow window = new SequenceWindow(8);

    @Test
    @Proves("GSS-5.3.3.1-4")
    void shouldTakeEachNumberOnce() {
        for (int number : new int[] {1, 3, 2, 9}) {
            assertThat(window.take(number)).isTrue();
            assertThat(window.take(number)).isFalse();
        }
    }

    @Test
    @Proves("GSS-5.3.3.1-3")
    void shouldTakeNothingBelowTheWindow() {
        assertThat(window.take(20)).isTrue();
        assertThat(window.take(12)).as("20 - 8").isFalse();
        assertThat(window.take(13)).isTrue();
        assertThat(window.take(-1)).isFalse();
    }

    @Test
    void shouldTakeTheGreatestNumber() {
        assertThat(window.take(Integer.MAX_VALUE)).isTrue();
        assertThat(window.take(Integer.MAX_VALUE - 7)).isTrue();
        assertThat(window.take(Integer.MAX_VALUE - 8)).isFalse();
        assertThat(window.take(Integer.MAX_VALUE)).isFalse();
    }

    @Test
    @Proves({"GSS-5.3.3.1-3", "GSS-5.3.3.1-4"})
    void shouldDoAsASetOfAllThatHasCome() {
        Random random = new Random(1);
        Set<Integer> come = new HashSet<>();
        int highest = 0;
        for (int i = 0; i < 100_000; i++) {
            int number = Math.max(0, highest + random.nextInt(24) - 14);
            boolean expected = number > highest - 8 && come.add(number);
            assertThat(window.take(number)).as("%d behind %d", number, highest).isEqualTo(expected);
            highest = Math.max(highest, number);
        }
    }
}
