package io.verbena.hadoop.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ReadPolicyTest {
    @Test
    void shouldTakeTheFirstPolicyThatIsKnown() {
        assertThat(ReadPolicy.of("clairvoyant, Vector, sequential", ReadPolicy.ADAPTIVE))
                .isEqualTo(ReadPolicy.RANDOM);
        assertThat(ReadPolicy.of("whole-file", ReadPolicy.RANDOM)).isEqualTo(ReadPolicy.SEQUENTIAL);
        assertThat(ReadPolicy.of("default", ReadPolicy.RANDOM)).isEqualTo(ReadPolicy.RANDOM);
        assertThat(ReadPolicy.of("", ReadPolicy.SEQUENTIAL)).isEqualTo(ReadPolicy.SEQUENTIAL);
    }
}
