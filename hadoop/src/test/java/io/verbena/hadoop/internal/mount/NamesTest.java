package io.verbena.hadoop.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class NamesTest {
    @Test
    void shouldLookANameUpAgainThatCouldNotBeLookedUp() {
        List<Integer> asked = new ArrayList<>();
        Names names = new Names(
                id -> {
                    asked.add(id);
                    if (asked.size() == 1) {
                        throw new IOException("too many open files");
                    }
                    return Optional.of("alice");
                },
                "user");
        assertThat(names.name("4711")).isEqualTo("4711");
        assertThat(names.name("4711")).isEqualTo("alice");
        assertThat(names.name("4711")).isEqualTo("alice");
        assertThat(asked).containsExactly(4711, 4711);
    }
}
