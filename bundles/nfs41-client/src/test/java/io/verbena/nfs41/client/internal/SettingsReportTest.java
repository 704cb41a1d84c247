package io.verbena.nfs41.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a mount tells of itself. */
class SettingsReportTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    @Test
    void shouldTellOfChecksumsWhatTheConnectionTells() throws Exception {
        try (FakeServer server = new FakeServer();
                NfsMount mount = NfsMount.create("m", "127.0.0.1", "/", "", server)) {
            mount.connect(LONG);
            assertThat(mount.settings()).containsEntry("crc", "on");
        }
    }

    @Test
    void shouldTellOfNoChecksumsWhereTheConnectionHasNoneOfItsOwn() throws Exception {
        try (FakeServer server = new FakeServer();
                NfsMount mount = NfsMount.create("m", "127.0.0.1", "/", "", server)) {
            server.settings = Map.of("provider", "native", "device", "rxe0");
            mount.connect(LONG);
            assertThat(mount.settings()).containsEntry("device", "rxe0").doesNotContainKey("crc");
        }
    }
}
