package io.verbena.cli.internal.resident;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class FrameReaderTest {
    private static FrameReader of(byte[] octets, int most) {
        return new FrameReader(Channels.newChannel(new ByteArrayInputStream(octets) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, most));
            }
        }));
    }

    @Test
    void shouldReadWhatWasEncodedHoweverItArrives() throws IOException {
        byte[] large = new byte[200_000];
        Arrays.fill(large, (byte) 0xff);
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        for (Frame frame : new Frame[] {
            Frame.of(Frame.GO), new Frame(Frame.OUT, large), Frame.of(Frame.EXIT, 130), new Frame('\u00ff', large)
        }) {
            sent.writeBytes(frame.encoded().array());
        }

        for (int most : new int[] {1, 3, 70_000}) {
            FrameReader reader = of(sent.toByteArray(), most);
            assertThat(reader.read().orElseThrow().type()).isEqualTo(Frame.GO);
            assertThat(reader.read().orElseThrow().content()).isEqualTo(large);
            assertThat(reader.read().orElseThrow().number()).isEqualTo(130);
            assertThat(reader.read().orElseThrow().type()).isEqualTo('\u00ff');
            assertThat(reader.read()).isEmpty();
            assertThat(reader.read()).isEmpty();
        }
    }

    @Test
    void shouldRefuseWhatIsTooLongOrEndsTooSoon() {
        for (String bad : new String[] {"H\0\100\0\1", "H\u00ff\u00ff\u00ff\u00ff", "H\0\0", "H\0\0\0\2a"}) {
            FrameReader reader = of(bad.getBytes(ISO_8859_1), 100);
            assertThatThrownBy(reader::read).as(bad).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldHaveNoNumberInOtherContent() throws IOException {
        assertThat(Frame.of(Frame.EXIT).number()).isEqualTo(-1);
        assertThat(new FrameReader(Channels.newChannel(InputStream.nullInputStream())).read())
                .isEmpty();
    }
}
