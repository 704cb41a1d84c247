package io.verbena.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Octets as text, and back. */
final class OctetTextTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "", // nothing
                "636166e92e747874", // ISO 8859-1
                "c3a9", // UTF-8 of two octets
                "f09f9880", // of four
                "f09f98", // cut off
                "c0af", // over-long
                "e080af",
                "eda080", // a surrogate's
                "edb2a9", // of U+DCA9, which stands for an octet itself
                "f4908080", // beyond Unicode
                "ff",
                "80",
                "0a",
                "5c",
                "2d2d",
                "c3c3a9",
                "e2e282ac82ac",
                "01f0f09f9880"
            })
    void shouldGiveBackEveryOctet(String hex) {
        byte[] octets = HexFormat.of().parseHex(hex);

        assertThat(OctetText.encode(OctetText.decode(octets))).isEqualTo(octets);
        assertThat(OctetText.encode(OctetText.unescape(OctetText.escape(OctetText.decode(octets)))))
                .isEqualTo(octets);
    }

    @Test
    void shouldGiveBackAnyOctets() {
        Random random = new Random(15);
        for (int i = 0; i < 20_000; i++) {
            byte[] octets = new byte[random.nextInt(12)];
            random.nextBytes(octets);
            String text = OctetText.decode(octets);

            assertThat(OctetText.isEncodable(text)).isTrue();
            assertThat(OctetText.encode(text)).isEqualTo(octets);
            assertThat(OctetText.encode(OctetText.unescape(OctetText.escape(text))))
                    .isEqualTo(octets);
            assertThat(OctetText.escape(text).chars()).allMatch(shown -> shown >= ' ' && shown != 0x7f);
        }
    }

    @Test
    void shouldDecodeWellFormedTextAsUsual() {
        String text = "caf\u00e9 \u4e16\u754c \ud83d\ude00";

        assertThat(OctetText.decode(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(text);
        assertThat(OctetText.encode(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldMakeASurrogateOfAnOctet() {
        assertThat(OctetText.decode(new byte[] {'a', (byte) 0xe9, 'b'})).isEqualTo("a\udce9b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "a\udbff", "\udc00", "\udc7f", "\udd00", "\udfff"})
    void shouldRefuseSurrogatesThatStandForNoOctet(String text) {
        assertThat(OctetText.isEncodable(text)).isFalse();
        assertThatThrownBy(() -> OctetText.encode(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("stands for no octet");
    }

    @Test
    void shouldShowWhatCannotBeShown() {
        assertThat(OctetText.escape("caf\udce9\n\u009b\\x41 \u00e9"))
                .isEqualTo("caf\\xE9\\x0A\\xC2\\x9B\\\\x41 \u00e9");
    }

    @Test
    void shouldReadWhatItHasShown() {
        assertThat(OctetText.unescape("caf\\xE9\\x0a")).isEqualTo("caf\udce9\n");
        assertThat(OctetText.unescape("a\\\\x41")).isEqualTo("a\\x41");
        assertThat(OctetText.unescape("\\xC3\\xA9")).isEqualTo("\u00e9");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\\b", "\\", "\\x", "\\x4", "\\xg0", "a\\x\uff11\uff12", "\\ x41"})
    void shouldTakeOtherBackslashesAsTheyAre(String shown) {
        assertThat(OctetText.unescape(shown)).isEqualTo(shown);
    }
}
