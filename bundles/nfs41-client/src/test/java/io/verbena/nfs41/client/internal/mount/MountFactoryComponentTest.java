package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.MountState;
import io.verbena.nfs41.client.internal.testing.ClosingTogether;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several mounts, each of which may wait for its server, are left at the same time. */
@Timeout(60)
class MountFactoryComponentTest {
    private static final int MOUNTS = 3;

    private final FakeServer server = new FakeServer();
    private final ClosingTogether closing = new ClosingTogether(server, MOUNTS);
    private final MountFactoryComponent factory = new MountFactoryComponent(new DirectMemory(), new SystemRuntime());
    private final List<ClosableMount> mounts = new ArrayList<>();

    @BeforeEach
    void mount() throws IOException {
        factory.setTransport(closing.transport);
        for (int i = 0; i < MOUNTS; i++) {
            ClosableMount mount = factory.mount("m" + i, "127.0.0.1", "/", MountOptions.DEFAULTS);
            mount.connect(Duration.ofSeconds(20));
            mounts.add(mount);
        }
    }

    @AfterEach
    void end() {
        factory.deactivate();
        server.close();
    }

    @Test
    void shouldEndAllMountsSideBySide() {
        factory.deactivate();
        assertThat(closing.alone).isEmpty();
        assertThat(mounts).extracting(ClosableMount::state).containsOnly(MountState.UNMOUNTED);
    }

    @Test
    void shouldLeaveATransportByAllMountsSideBySide() {
        factory.unsetTransport(closing.transport);
        assertThat(closing.alone).isEmpty();
    }
}
