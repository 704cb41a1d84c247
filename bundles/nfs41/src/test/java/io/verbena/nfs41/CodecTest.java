package io.verbena.nfs41;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every codec with its counterpart, with truncated bytes and with random ones. */
class CodecTest {
    private static final int FUZZ_ROUNDS = 300;

    /** What the project's Upper-Layer Binding lets go by chunks. */
    private static final Set<String> FILE_DATA = Set.of("READ result", "READLINK result", "WRITE args");

    static Stream<Samples.Sample<?>> samples() {
        return Stream.concat(Samples.all().stream(), CallbackSamples.all().stream());
    }

    @ParameterizedTest
    @MethodSource("samples")
    void shouldReadWhatItWrote(Samples.Sample<?> sample) throws XdrException {
        XdrReader in = new XdrReader(ByteBuffer.wrap(sample.encoded()));
        for (int word : sample.head()) {
            assertThat(in.getInt()).isEqualTo(word);
        }
        assertThat(sample.decoder().decode(in)).isEqualTo(sample.value());
        in.requireEnd();
    }

    @ParameterizedTest
    @MethodSource("samples")
    void shouldRefuseWhatIsCutShort(Samples.Sample<?> sample) throws XdrException {
        byte[] full = sample.encoded();
        for (int length = 4 * sample.head().size(); length < full.length; length += 4) {
            XdrReader in = new XdrReader(ByteBuffer.wrap(full, 0, length));
            in.skip(4 * sample.head().size());
            assertThatThrownBy(() -> sample.decoder().decode(in)).isInstanceOf(XdrException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("samples")
    void shouldThrowNothingButXdrExceptionsOnRandomChanges(Samples.Sample<?> sample) throws XdrException {
        Random random = new Random(sample.name().hashCode());
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            byte[] bytes = sample.encoded();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? random.nextInt() : 0xff);
            }
            XdrReader in = new XdrReader(ByteBuffer.wrap(bytes));
            in.skip(4 * sample.head().size());
            try {
                sample.decoder().decode(in);
            } catch (XdrException expected) {
                assertThat(expected.offset()).isBetween(0, bytes.length);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("samples")
    @Proves({"V1-4.4.1-1", "V1-6-1", "ULB-5.1-5", "ULB-5.5.2-2", "ULB-5.6-1"})
    @DisplayName(
            "nothing leaves the stream but the data of READ and of WRITE and READLINK's text: no name or attribute")
    void shouldKeepAllButFileDataInTheStream(Samples.Sample<?> sample) {
        XdrWriter out = new XdrWriter();
        sample.encodeTo(out);

        if (FILE_DATA.contains(sample.kind())) {
            assertThat(out.items()).hasSize(1);
        } else {
            assertThat(out.items()).isEmpty();
            assertThat(out.position()).isEqualTo(sample.encoded().length);
        }
    }

    @Test
    void shouldCoverEveryOperationThatHasACodec() {
        assertThat(Samples.all().stream().map(sample -> sample.head().get(0)).distinct())
                .hasSize(41);
        assertThat(CallbackSamples.all().stream()
                        .map(sample -> sample.head().get(0))
                        .distinct())
                .hasSize(7);
    }
}
