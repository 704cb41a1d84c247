package io.verbena.rpcrdma.v1.internal;

import static io.verbena.rpcrdma.HeaderError.BAD_HEADER;
import static io.verbena.rpcrdma.HeaderError.NONE;
import static io.verbena.rpcrdma.HeaderError.VERSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.conformance.Proves;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.Segments;
import io.verbena.rpcrdma.TransportHeader;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed Version One headers: the decoder's error and its offset. */
@Proves("V1-5.5-1")
@DisplayName("basic validity checks")
class MalformedHeaderTest {
    private final VersionOneFraming framing = new VersionOneFraming();
    private final TransportHeader header = new TransportHeader();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4, 12, 15})
    void shouldDropWhatIsShorterThanTheFixedFields(int length) {
        ByteBuffer message = ByteBuffer.wrap(Segments.words("1 1 1 0 0 0 0"));

        HeaderException refused =
                catchThrowableOfType(HeaderException.class, () -> framing.decode(message, 0, length, header));

        assertThat(refused.error()).isEqualTo(NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "2", "0x01000000", "0xffffffff"})
    @Proves({"V1-5.1.2-1", "V1-5.5-2"})
    @DisplayName("another version than 1 is answered with ERR_VERS")
    void shouldRefuseOtherVersions(String version) {
        assertRefused(VERSION, 4, "1 " + version + " 1 0 0 0 0");
        assertRefused(VERSION, 4, "1 " + version + " 1 9 1 1 1");
        assertRefused(VERSION, 4, "1 " + version + " 1 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "6", "0x80000000", "0xffffffff"})
    @Proves({"V1-5.1.4-1", "V1-5.5-3"})
    @DisplayName("an rdma_proc that there is not is answered with ERR_CHUNK")
    void shouldRefuseUnknownProcedures(String procedure) {
        assertRefused(BAD_HEADER, 12, "1 1 1 " + procedure + " 0 0 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "0x01000000", "0x80000000", "0xffffffff"})
    @Proves({"V1-5-1", "V1-5.5-3"})
    @DisplayName("the word in front of an optional item is 0 or 1")
    void shouldRefuseOtherMarksOfOptionalItems(String mark) {
        assertRefused(BAD_HEADER, 16, "1 1 1 0 " + mark + " 0 0");
        assertRefused(BAD_HEADER, 20, "1 1 1 0 0 " + mark + " 0");
        assertRefused(BAD_HEADER, 24, "1 1 1 0 0 0 " + mark);
        assertRefused(BAD_HEADER, 40, "1 1 1 0 1 PHLOO " + mark + " 0 0", 4);
        assertRefused(BAD_HEADER, 28, "1 1 1 0 0 1 0 " + mark + " 0");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 181, 0x7fffffff, -1})
    @Proves("V1-4.4.4.1-4")
    @DisplayName("a Read segment whose position is no multiple of four is refused")
    void shouldRefuseUnalignedPositions(int position) {
        assertRefused(BAD_HEADER, 20, "1 1 1 0 1 PHLOO 0 0 0", position);
        assertRefused(BAD_HEADER, 44, "1 1 1 0 1 PHLOO 1 PHLOO 0 0 0", 4, position);
    }

    @ParameterizedTest
    @CsvSource({
        "2",
        "3",
        "0x0fffffff",
        "0x10000000",
        "0x10000001",
        "0x20000000",
        "0x7fffffff",
        "0x80000000",
        "0xffffffff"
    })
    @Proves("V1-5.5-3")
    @DisplayName("a chunk never has more segments than the octets received have room for")
    void shouldRefuseCountsBeyondTheMessage(String count) {
        // 0x10000000 segments of 16 octets overflow to 0 in 32 bits, 0x10000001 segments to the octets of one
        assertRefused(BAD_HEADER, 24, "1 1 1 0 0 1 " + count + " HLOO 0 0");
        assertRefused(BAD_HEADER, 28, "1 1 1 0 0 0 1 " + count + " HLOO");
    }

    @Test
    void shouldTellTheSectionAndTheOffset() {
        assertThatThrownBy(() -> decode(Segments.words("1 1 1 0 0 0 2")))
                .isInstanceOf(HeaderException.class)
                .hasMessageContaining("RFC 8166 4.3.3")
                .hasMessageContaining("header offset 24")
                .extracting(e -> ((HeaderException) e).section())
                .isEqualTo("RFC 8166 4.3.3");
    }

    @Test
    @Proves("V1-5.5-3")
    @DisplayName("a header that is cut off anywhere is refused, and nothing behind its end is read")
    void shouldRefuseEveryTruncation() throws HeaderException {
        byte[] whole = Segments.words("1 1 1 0 1 PHLOO 1 PHLOO 0 1 2 HLOO HLOO 1 0 0 1 1 HLOO", 0, 8);
        assertThat(decode(whole)).isEqualTo(whole.length);

        for (int length = 16; length < whole.length; length++) {
            ByteBuffer exact = ByteBuffer.wrap(whole, 0, length); // reads beyond the limit fail
            int cut = length;
            HeaderException refused =
                    catchThrowableOfType(HeaderException.class, () -> framing.decode(exact, 0, cut, header));
            assertThat(refused).as("cut at %d", length).isNotNull();
            assertThat(refused.error()).as("cut at %d", length).isEqualTo(BAD_HEADER);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 1 1 2", "1 1 1 2 0", "1 1 1 2 0 0", "1 1 1 2 0 0 0 0"})
    void shouldRefuseTruncatedAlignedMessages(String picture) {
        assertRefused(BAD_HEADER, picture);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1 1 1 4",
                "1 1 1 4 0",
                "1 1 1 4 3",
                "1 1 1 4 0xffffffff",
                "1 1 1 4 1",
                "1 1 1 4 1 1",
                "1 2 1 4 2",
                "1 2 1 4 3",
                "1 2 1 4"
            })
    @Proves("V1-5.5-1")
    @DisplayName("an error that is malformed or of another version, ERR_VERS aside, is not answered with an error")
    void shouldNotAnswerErrors(String picture) {
        assertRefused(NONE, picture);
    }

    @Test
    void shouldRefuseLengthsThatTheBufferDoesNotHave() {
        ByteBuffer message = ByteBuffer.wrap(Segments.words("1 1 1 0 0 0 0"));

        assertThatThrownBy(() -> framing.decode(message, 0, 29, header)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> framing.decode(message, -1, 28, header)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> framing.decode(message, 0, -1, header)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> framing.decode(message, Integer.MAX_VALUE, 28, header))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    private void assertRefused(HeaderError error, int at, String picture, int... positions) {
        assertThat(assertRefused(error, picture, positions).offset())
                .as(picture)
                .isEqualTo(at);
    }

    private HeaderException assertRefused(HeaderError error, String picture, int... positions) {
        HeaderException refused =
                catchThrowableOfType(HeaderException.class, () -> decode(Segments.words(picture, positions)));
        assertThat(refused).as(picture).isNotNull();
        assertThat(refused.error()).as(picture).isEqualTo(error);
        return refused;
    }

    private int decode(byte[] octets) throws HeaderException {
        return framing.decode(ByteBuffer.wrap(octets), 0, octets.length, header);
    }
}
