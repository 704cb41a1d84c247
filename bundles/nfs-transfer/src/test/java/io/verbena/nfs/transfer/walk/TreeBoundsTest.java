package io.verbena.nfs.transfer.walk;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class TreeBoundsTest {
    @Test
    void shouldHoldNoMoreEntriesThanTheHeapHasRoomFor() {
        assertThatCode(() -> TreeBounds.checkEntries("a:/dir", TreeBounds.MAX_ENTRIES))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> TreeBounds.checkEntries("a:/dir", TreeBounds.MAX_ENTRIES + 1))
                .isInstanceOf(IOException.class)
                .hasMessage("a:/dir: more than " + TreeBounds.MAX_ENTRIES + " entries, too many to hold at once");
    }
}
