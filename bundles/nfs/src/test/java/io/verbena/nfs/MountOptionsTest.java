package io.verbena.nfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MountOptionsTest {
    @Test
    void shouldReadKeysFlagsAndOpposites() {
        MountOptions options = MountOptions.parse("proto=rdma,port=2050,soft,nocrc,ro,nfsvers=4.1");

        assertThat(options.number(MountOption.PORT)).isEqualTo(2050);
        assertThat(options.isSet(MountOption.SOFT)).isTrue();
        assertThat(options.isSet(MountOption.CRC)).isFalse();
        assertThat(options.isSet(MountOption.RO)).isTrue();
        assertThat(options.get(MountOption.VERS)).isEqualTo("4.1");
        assertThat(MountOptions.parse("rdma").given()).containsEntry(MountOption.PROTO, "rdma");
    }

    @Test
    void shouldHaveDefaultsThatItWouldAcceptItself() {
        assertThat(MountOptions.parse("")).isEqualTo(MountOptions.DEFAULTS);
        for (MountOption option : MountOption.values()) {
            boolean openUnlessGiven = option.defaultValue().isEmpty();
            if (option.kind() != MountOption.Kind.FLAG && !openUnlessGiven) {
                String text = option.key() + "=" + option.defaultValue();
                assertThat(MountOptions.parse(text).get(option)).isEqualTo(option.defaultValue());
            }
        }
    }

    @Test
    void shouldLetTheLastOfAKeyHold() {
        assertThat(MountOptions.parse("soft,rsize=4096,hard,rsize=8192")).hasToString("rsize=8192,hard");
    }

    @Test
    void shouldReadWhatItPrints() {
        MountOptions options = MountOptions.parse("timeo=50,hard,retrans=0,noinvalidate,provider=iwarp");

        assertThat(MountOptions.parse(options.toString())).isEqualTo(options);
    }

    @Test
    void shouldNameTheNearestKnownOption() {
        assertThatThrownBy(() -> MountOptions.parse("rsiz=1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown mount option 'rsiz': did you mean 'rsize'?");
    }

    @Test
    void shouldSayWhichValuesWouldDo() {
        assertThatThrownBy(() -> MountOptions.parse("port=0")).hasMessageContaining("a number from 1 to 65535");
        assertThatThrownBy(() -> MountOptions.parse("port=99999999999999999999"))
                .hasMessageContaining("'port'");
        assertThatThrownBy(() -> MountOptions.parse("port")).hasMessageContaining("wants a value");
        assertThatThrownBy(() -> MountOptions.parse("proto=tcp")).hasMessageContaining("'tcp': rdma");
        assertThatThrownBy(() -> MountOptions.parse("soft=1")).hasMessageContaining("takes no value");
    }
}
