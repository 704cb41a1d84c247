package io.verbena.cli.internal.resident;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.text.LocalNames;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class HelloTest {
    private static byte[] fields(byte[]... fields) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] field : fields) {
            all.writeBytes(ByteBuffer.allocate(4).putInt(field.length).array());
            all.writeBytes(field);
        }
        return all.toByteArray();
    }

    private static byte[] hello(String version, byte[] directory, byte[] text, String count, String... rest) {
        byte[][] fixed = {
            version.getBytes(UTF_8),
            "key".getBytes(UTF_8),
            directory,
            "80".getBytes(UTF_8),
            "script quiet timestamps".getBytes(UTF_8),
            text,
            count.getBytes(UTF_8)
        };
        byte[][] all = Arrays.copyOf(fixed, fixed.length + rest.length);
        for (int i = 0; i < rest.length; i++) {
            all[fixed.length + i] = rest[i].getBytes(UTF_8);
        }
        return fields(all);
    }

    @Test
    void shouldCarryTheScriptAndHowItIsCalled() {
        byte[] directory = {'/', 'd', (byte) 0xe9};

        Hello hello = Hello.of(hello("1", directory, "echo ä\n".getBytes(UTF_8), "2", "a b", "", "X=y=z", "E="));

        assertThat(hello.key()).isEqualTo("key");
        assertThat(hello.text()).isEqualTo("echo ä\n");
        assertThat(hello.options().arguments()).containsExactly("a b", "");
        assertThat(hello.options().quiet()).isTrue();
        assertThat(hello.options().timestamps()).isTrue();
        assertThat(hello.options().keepGoing()).isFalse();
        assertThat(hello.options().invocation().columns()).isEqualTo(80);
        assertThat(hello.options().invocation().environment("X")).contains("y=z");
        assertThat(hello.options().invocation().environment("E")).contains("");
        assertThat(hello.options().invocation().environment("PATH")).isEmpty();
        assertThat(LocalNames.text(hello.options().invocation().path("a/../b"))).isEqualTo("/d\udce9/a/../b");
    }

    @Test
    void shouldLeaveToOthersWhatItDoesNotUnderstand() {
        byte[] root = {'/'};
        byte[] text = "echo".getBytes(UTF_8);
        for (byte[] bad : new byte[][] {
            {},
            hello("2", root, text, "0"),
            hello("1", new byte[] {'d'}, text, "0"),
            hello("1", root, new byte[] {(byte) 0xe9}, "0"),
            hello("1", root, text, "1"),
            hello("1", root, text, "-1"),
            hello("1", root, text, "12345678901"),
            Arrays.copyOf(hello("1", root, text, "0"), 20),
            {0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff},
        }) {
            assertThatThrownBy(() -> Hello.of(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
