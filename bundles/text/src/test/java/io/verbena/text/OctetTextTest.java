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

    @ParameterizedTest
    @ValueSource(
            ints = {
                0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028,
                0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2065, 0x2066, 0x2067, 0x2068, 0x2069, 0x2800,
                0x3164, 0xe000, 0xfe0f, 0xfeff, 0xffa0, 0xfffb, 0xffff, 0x110bd, 0x1d173, 0xe0001, 0xe0041, 0xe01ef,
                0xf0000, 0x10ffff
            })
    void shouldEscapeInvisibleCharactersAndTakeThemBack(int point) {
        String name = "a" + Character.toString(point) + "b";
        StringBuilder octets = new StringBuilder();
        for (byte octet : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
            octets.append(String.format("\\x%02X", octet));
        }

        assertThat(OctetText.escape(name)).isEqualTo("a" + octets + "b");
        assertThat(OctetText.printable(name)).isEqualTo("a" + octets + "b");
        assertThat(OctetText.unescape(OctetText.escape(name))).isEqualTo(name);
    }

    @Test
    void shouldLeaveNoCharacterThatIsNotShown() {
        for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
            String shown = OctetText.escape(Character.toString(point));

            assertThat(shown.codePoints().allMatch(OctetText::isVisible))
                    .as("U+%X", point)
                    .isTrue();
            if (OctetText.isEncodable(Character.toString(point))) {
                assertThat(OctetText.encode(OctetText.unescape(shown)))
                        .as("U+%X", point)
                        .isEqualTo(OctetText.encode(Character.toString(point)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"e\u0301", "\u0915\u094d\u0937", "\u05d0\u05b8", "\u0e01\u0e35\u0e48", "a\u0489", "\ud83d\ude00"
            })
    void shouldLeaveCombiningCharactersAndPictures(String name) {
        assertThat(OctetText.escape(name)).isEqualTo(name);
        assertThat(OctetText.printable(name)).isEqualTo(name);
    }

    @Test
    void shouldLeaveBackslashesOfALine() {
        assertThat(OctetText.printable("a\\xE9: \u202etxt.exe\n")).isEqualTo("a\\xE9: \\xE2\\x80\\xAEtxt.exe\\x0A");
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
