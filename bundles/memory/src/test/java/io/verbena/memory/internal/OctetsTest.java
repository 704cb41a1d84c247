package io.verbena.memory.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class OctetsTest {
    @ParameterizedTest
    @CsvSource({"0,0", "4096,4096", "64k,65536", "512m,536870912", "2G,2147483648", "1t,1099511627776"})
    void readsSizes(String text, long octets) {
        assertThat(Octets.parse(text)).isEqualTo(octets);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "m", "-1", "1.5g", "12 m b", "99999999999t", "9999999999999999999"})
    void refusesWhatIsNoSize(String text) {
        assertThatThrownBy(() -> Octets.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void limitIsAPartOfWhatTheJvmGives() {
        assertThat(JvmMemory.defaultLimit()).isBetween(1L, JvmMemory.maxDirectMemory() - 1);
    }
}
