package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.itests.Launcher;
import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Linux's disk becomes full during a write: every writer gets an error, and space becomes available again. */
@AgainstLinux
class KnfsdFullDiskIT {
    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

    private final LinuxGuest guest;
    private VerbenaStack stack;
    private NfsMount mount;

    KnfsdFullDiskIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void mount() throws Exception {
        stack = new VerbenaStack();
        mount = stack.mount(guest.nfs(), "/small", "");
    }

    @AfterEach
    void tidyUp() throws Exception {
        mount.close();
        stack.close();
        guest.run("rm -f /export/small/*");
    }

    @Test
    void shouldTellOfAFullDiskAndGoOn() throws Exception {
        long free = mount.fileSystemStatus("/").availableBytes();
        RemoteFile file = mount.open("/full", NEW, 0600);

        full("/full", () -> {
            file.write(ByteBuffer.allocateDirect(20 << 20), 0);
            file.sync();
        });
        closeAfterFailure(file);
        full("/too", () -> {
            try (RemoteFile more = mount.open("/too", NEW, 0600)) {
                more.write(ByteBuffer.allocate(100_000), 0);
            }
        });

        // The WRITEs are in flight at the same time. A later one may find room where an earlier one found none,
        // so that the file may end behind the size of the disk, with a hole before.
        assertThat(mount.attributes("/full", true).spaceUsed()).isLessThanOrEqualTo(8 << 20);
        mount.remove("/full");
        mount.remove("/too");
        assertThat(mount.fileSystemStatus("/").availableBytes()).isEqualTo(free);
        try (RemoteFile after = mount.open("/after", NEW, 0600)) {
            after.write(ByteBuffer.wrap("room".getBytes(UTF_8)), 0);
        }
        assertThat(guest.run("cat /export/small/after; rm /export/small/after")).isEqualTo("room");
    }

    private static void full(String path, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(NfsException.class)
                .hasMessage("peer:" + path + ": no space is left on the server (NFS4ERR_NOSPC)");
    }

    /** Closes after a failure. The close may report the same failure, and no other one. */
    private static void closeAfterFailure(RemoteFile file) throws IOException {
        try {
            file.close();
        } catch (NfsException e) {
            assertThat(e.status()).isEqualTo("NFS4ERR_NOSPC");
        }
    }

    @Test
    void shouldTellOfAFullDiskWhereWritesGoBehind() throws Exception {
        leaveLittleRoom();
        RemoteFile file = mount.open("/long", NEW, 0600);
        SeekableByteChannel channel = file.channel();
        full("/long", () -> {
            for (int i = 0; i < 200; i++) {
                channel.write(ByteBuffer.allocate(1 << 16));
            }
            channel.close();
        });
        closeAfterFailure(file);
    }

    private void leaveLittleRoom() throws Exception {
        guest.run("head -c 7900K /dev/zero > /export/small/filler");
    }

    /** Data buffered in a channel fails when it is sent: at a close of the channel or the file, or at a sync. */
    @ParameterizedTest
    @ValueSource(strings = {"channel", "file", "sync"})
    void shouldTellOfAFullDiskAtTheLatestInTheEnd(String end) throws Exception {
        leaveLittleRoom();
        RemoteFile file = mount.open("/short", NEW, 0600);
        SeekableByteChannel channel = file.channel();
        assertThat(channel.write(ByteBuffer.allocate(400_000))).isEqualTo(400_000);
        full("/short", () -> {
            switch (end) {
                case "channel" -> channel.close();
                case "file" -> file.close();
                default -> file.sync();
            }
        });
        closeAfterFailure(file);
    }

    @Test
    void shouldLeaveNothingBehindInTheShell(@TempDir Path folder) throws Exception {
        byte[] content = new byte[20 << 20];
        new Random(1).nextBytes(content);
        Path large = Files.write(folder.resolve("large"), content);
        Path small = Files.writeString(folder.resolve("small"), "room");
        long free = mount.fileSystemStatus("/").availableBytes();

        Launcher.Result run = new Launcher(folder)
                .runWithInput(
                        String.join(
                                "\n",
                                "nfs:mount -o port=" + guest.nfs().getPort() + " 127.0.0.1:/small a",
                                "try { nfs:put " + large + " a:/ } { echo FAILED ($exception message) }",
                                "nfs:ls -a a:/; nfs:put " + small + " a:/; nfs:cat a:/small; nfs:rm a:/small",
                                "nfs:put " + large + " a:/"),
                        "-");

        assertThat(run.out()).isEqualTo("FAILED a:/large: no space is left on the server (NFS4ERR_NOSPC)\nroom");
        assertThat(run.failures()).containsExactly("verbena: a:/large: no space is left on the server (NFS4ERR_NOSPC)");
        assertThat(run.status()).isEqualTo(1);
        assertThat(mount.list("/")).isEmpty();
        assertThat(mount.fileSystemStatus("/").availableBytes()).isEqualTo(free);
    }
}
