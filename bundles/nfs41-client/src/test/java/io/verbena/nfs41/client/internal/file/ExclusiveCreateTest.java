package io.verbena.nfs41.client.internal.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import java.io.IOException;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ExclusiveCreateTest {
    private static final AttributeMask TIMES = AttributeMask.of(Attribute.TIME_ACCESS_SET, Attribute.TIME_MODIFY_SET);

    private static void create(FakeServer server) throws IOException {
        try (NfsMount mount = server.mount("")) {
            mount.open("/new", Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), 0640)
                    .close();
        }
    }

    @Test
    void shouldSetTheTimesThatHoldTheVerifier() throws Exception {
        try (FakeServer server = new FakeServer()) {
            server.supported = TIMES.with(Attribute.MODE);
            server.settableInExclusiveCreate = AttributeMask.of(Attribute.MODE);
            create(server);
            assertThat(server.set).singleElement().satisfies(set -> {
                assertThat(set.mask()).isEqualTo(TIMES);
                assertThat(set.get(Attribute.TIME_ACCESS_SET)).isEqualTo(SetTime.SERVER_TIME);
                assertThat(set.get(Attribute.TIME_MODIFY_SET)).isEqualTo(SetTime.SERVER_TIME);
            });
        }
    }

    @Test
    void shouldSetTheModeWhereCreationCannot() throws Exception {
        try (FakeServer server = new FakeServer()) {
            server.supported = AttributeMask.of(Attribute.MODE);
            create(server);
            assertThat(server.set).singleElement().satisfies(set -> {
                assertThat(set.mask()).isEqualTo(AttributeMask.of(Attribute.MODE));
                assertThat(set.get(Attribute.MODE)).isEqualTo(0640);
            });
        }
    }

    @Test
    void shouldSetNothingWhereCreationSetsAll() throws Exception {
        try (FakeServer server = new FakeServer()) {
            server.supported = TIMES.with(Attribute.MODE);
            server.settableInExclusiveCreate = server.supported;
            create(server);
            assertThat(server.set).isEmpty();
        }
    }
}
