package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.NfsMount;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Our client against Linux's server: files of all sizes. */
@AgainstLinux
class KnfsdFilesIT {
    private final LinuxGuest guest;
    private VerbenaStack stack;
    private NfsMount mount;

    KnfsdFilesIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void mount() throws Exception {
        stack = new VerbenaStack();
        mount = stack.mount(guest.nfs(), "/", "");
    }

    @AfterEach
    void unmount() throws Exception {
        mount.close();
        stack.close();
    }

    @Test
    void shouldWriteWhatTheServerReads() throws Exception {
        byte[] content = new byte[256 << 20];
        new Random(1).nextBytes(content);
        try (RemoteFile file = mount.open("/big", Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), 0644)) {
            file.write(ByteBuffer.wrap(content), 0);
        }
        assertThat(guest.run("sha256sum < /export/big")).isNotEmpty();
        try (RemoteFile file = mount.open("/big", Set.of(StandardOpenOption.READ), 0644)) {
            assertThat(file.read(ByteBuffer.allocate(content.length), 0)).isEqualTo(content.length);
        }
        guest.run("rm /export/big");
    }
}
