package io.verbena.nfs41.client.internal.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.MountState;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.rpc.Credential;
import io.verbena.runtime.SystemRuntime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MountSettingsTest {
    private static MountSettings settings(String options) {
        return MountSettings.of("m", "host", "/a/b", MountOptions.parse(options));
    }

    @Test
    @Proves({"V1-7-1", "ULB-5.3-2"})
    void shouldFailCallsInTimeUnlessToldToGoOn() {
        MountSettings settings = settings("");
        assertThat(settings.port()).isEqualTo(20049);
        assertThat(settings.isSoft()).isTrue();
        assertThat(settings("hard").isSoft()).isFalse();
        assertThat(settings.callTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.wsize()).isEqualTo(1 << 20);
        assertThat(settings.transport()).isEmpty();
        assertThat(settings.source()).isEqualTo("host:/a/b");
    }

    @Test
    void shouldCallAsTheUserThatWasNamed() {
        MountSettings settings = settings("uid=4294967295,gid=100,groups=1:2,machine=here");
        assertThat(settings.credential()).isEqualTo(new Credential.Sys(0, "here", -1, 100, List.of(1, 2)));
        assertThat(settings("sec=none").credential()).isEqualTo(Credential.none());
    }

    @Test
    void shouldTellTheTransportWhatIsItsOwn() {
        assertThat(settings("provider=iwarp,nocrc,inline=8192,soft").transport())
                .containsOnlyKeys("provider", "crc", "inline")
                .containsEntry("inline", "8192")
                .containsEntry("crc", "off");
        assertThat(settings("crc,noinvalidate,poll=50").transport())
                .containsOnlyKeys("crc", "invalidate", "poll")
                .containsEntry("poll", "50")
                .containsEntry("crc", "on")
                .containsEntry("invalidate", "off");
    }

    @ParameterizedTest
    @CsvSource({
        "uid=root,mount option 'uid' cannot be 'root': a number from 0 to 4294967295",
        "gid=4294967296,mount option 'gid' cannot be '4294967296': a number from 0 to 4294967295",
        "groups=1:x,mount option 'groups' cannot be 'x': a number from 0 to 4294967295",
        "slots=0,mount option 'slots' cannot be '0': a number from 1 to 1024"
    })
    void shouldNameTheOptionAndWhatIsAllowed(String options, String message) {
        assertThatThrownBy(() -> settings(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void shouldMakeAFailedMountOfWhatCannotBe() {
        try (NfsMount mount =
                new NfsMount("m", "host", "relative", "", null, new DirectMemory(), new SystemRuntime())) {
            assertThat(mount.state()).isEqualTo(MountState.FAILED);
            assertThatThrownBy(() -> mount.list("/")).hasMessageContaining("'relative'");
            assertThat(mount.failure()).isPresent();
        }
    }
}
