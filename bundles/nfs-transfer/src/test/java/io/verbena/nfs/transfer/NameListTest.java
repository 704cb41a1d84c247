package io.verbena.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.text.OctetText;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests lists of names. */
class NameListTest {
    private static NameList read(String text, boolean areNulTerminated) throws Exception {
        return NameList.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)), areNulTerminated);
    }

    @Test
    void shouldReadLines() throws Exception {
        assertThat(read("a\n\n# b\n;c\n/d/e/\r\n./f//g\nh h", false).names())
                .containsExactlyInAnyOrder("a", "d/e", "f/g", "h h");
    }

    @Test
    void shouldTakeEachOctetOfATerminatedName() throws Exception {
        assertThat(read("#a\nb\r\0\0x\u00ff\0", true).names())
                .containsExactlyInAnyOrder("#a\nb\r", OctetText.decode(new byte[] {'x', (byte) 0xff}));
    }

    @ParameterizedTest
    @CsvSource({
        "a, false, true",
        "d, true, true",
        "d, false, false",
        "d/e, false, true",
        "d/e/f/g, false, true",
        "d/x, false, false",
        "de, true, false"
    })
    void shouldTakeWhatIsNamedAndTheWayThere(String path, boolean isDirectory, boolean isTaken) {
        assertThat(NameList.of(List.of("a", "d/e")).takes(path, isDirectory)).isEqualTo(isTaken);
    }

    @Test
    void shouldRefuseNamesThatLeadElsewhere() {
        assertThatThrownBy(() -> read("a/../b\n", false)).hasMessageContaining("without ..");
        assertThatThrownBy(() -> read("a\0b\0", false)).hasMessageContaining("are the names separated by it?");
    }
}
