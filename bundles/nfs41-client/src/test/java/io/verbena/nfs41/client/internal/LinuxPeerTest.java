package io.verbena.nfs41.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Against a Linux NFS/RDMA server: {@code -Dverbena.peer=HOST:PORT}, its pseudo root writable. */
@EnabledIfSystemProperty(named = "verbena.peer", matches = ".+:[0-9]+")
class LinuxPeerTest {
    @Test
    @Timeout(300)
    void shouldDoWhatAUserDoes() throws Exception {
        String[] peer = System.getProperty("verbena.peer").split(":", -1);
        try (Stack stack = new Stack();
                NfsMount mount =
                        NfsMount.create("linux", peer[0], "/", "soft,timeo=300,port=" + peer[1], stack.transport())) {
            mount.connect(Duration.ofSeconds(30));
            assertThat(mount.settings()).containsKeys("session", "slots", "lease");
            new MountScenario(mount).run(64, 2000);
        }
    }
}
