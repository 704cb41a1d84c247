package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a mount tells of itself. */
class SettingsReportTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private static final Duration LONG = Duration.ofSeconds(10);

    @Test
    void shouldTellOfChecksumsWhatTheConnectionTells() throws Exception {
        try (FakeServer server = new FakeServer();
                NfsMount mount = NfsMount.create("m", "127.0.0.1", "/", "", server, new DirectMemory(), RUNTIME)) {
            mount.connect(LONG);
            assertThat(mount.settings()).containsEntry("crc", "on");
        }
    }

    @Test
    void shouldTellOfNoChecksumsWhereTheConnectionHasNoneOfItsOwn() throws Exception {
        try (FakeServer server = new FakeServer();
                NfsMount mount = NfsMount.create("m", "127.0.0.1", "/", "", server, new DirectMemory(), RUNTIME)) {
            server.settings = Map.of("provider", "native", "device", "rxe0");
            mount.connect(LONG);
            assertThat(mount.settings()).containsEntry("device", "rxe0").doesNotContainKey("crc");
        }
    }
}
