package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two clients of Linux's server, ours and Linux's own: locks, and files that Linux's client changes while our client
 * has them open.
 */
@AgainstLinux
class KnfsdSharingIT {
    private static final long BEYOND_32_BITS = 5L << 32;
    private static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);
    private static final Set<StandardOpenOption> CHANGE = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> NEW =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

    private static KernelMount kernel;

    private final LinuxGuest guest;
    private VerbenaStack stack;
    private NfsMount mount;

    KnfsdSharingIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeAll
    static void mountInGuest(LinuxGuest guest) throws Exception {
        kernel = KernelMount.of(guest);
    }

    @AfterAll
    static void unmountInGuest() throws Exception {
        if (kernel != null) {
            kernel.unmount();
        }
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
        guest.run("rm -f /export/shared*");
    }

    private RemoteFile create(String name, byte[] content) throws IOException {
        RemoteFile file = mount.open("/" + name, NEW, 0666);
        file.write(ByteBuffer.wrap(content), 0);
        file.sync();
        return file;
    }

    private static byte[] random(int size) {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    private static byte[] read(RemoteFile file, long position, int most) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(most);
        int count = Math.max(0, file.read(buffer, position));
        assertThat(buffer.position()).isEqualTo(count);
        assertThat(Arrays.copyOfRange(buffer.array(), count, most))
                .as("nothing is put behind what was read")
                .isEqualTo(new byte[most - count]);
        return Arrays.copyOf(buffer.array(), count);
    }

    private static String text(RemoteFile file) throws IOException {
        return new String(read(file, 0, 1000), UTF_8);
    }

    /** The content that Linux's client reads. */
    private String kernelSha256(String name) throws Exception {
        return guest.run("sha256sum < " + KernelMount.PLACE + "/" + name).substring(0, 64);
    }

    private static String sha256(byte[] content) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    }

    /** Runs a command in the directory of Linux's client. */
    private String inKernelMount(String command) throws Exception {
        return guest.run("cd " + KernelMount.PLACE + " && " + command);
    }

    @Test
    void shouldRespectALockThatTheKernelHolds() throws Exception {
        try (RemoteFile file = create("shared-theirs", new byte[1])) {
            kernel.whileHolding("shared-theirs", "exclusive:10:10", () -> {
                assertRefused(file, 10, 10, false);
                assertRefused(file, 19, 1, true);
                assertRefused(file, 0, Long.MAX_VALUE, true);
                assertGranted(file, 0, 10, false);
                assertGranted(file, 20, Long.MAX_VALUE, false);
            });
            assertGranted(file, 0, Long.MAX_VALUE, false);
        }
    }

    private static void assertRefused(RemoteFile file, long position, long size, boolean shared) throws IOException {
        assertThat(file.isLocked(position, size, shared)).isTrue();
        assertThat(file.tryLock(position, size, shared)).isEmpty();
    }

    private static void assertGranted(RemoteFile file, long position, long size, boolean shared) throws IOException {
        assertThat(file.isLocked(position, size, shared)).isFalse();
        Optional<RemoteLock> lock = file.tryLock(position, size, shared);
        assertThat(lock).isPresent();
        lock.get().close();
    }

    @Test
    void shouldKeepTheKernelFromWhatWeHaveLocked() throws Exception {
        try (RemoteFile file = create("shared-ours", new byte[1])) {
            RemoteLock first = file.tryLock(100, 50, false).orElseThrow();
            RemoteLock second = file.tryLock(150, 50, false).orElseThrow();

            assertThat(kernel.tryLocks(
                            "shared-ours", "exclusive:149:1", "shared:150:1", "exclusive:0:100", "exclusive:200:0"))
                    .isEqualTo("refused refused granted granted");
            first.close();
            assertThat(kernel.tryLocks("shared-ours", "exclusive:100:50", "exclusive:100:51"))
                    .isEqualTo("granted refused");
            second.close();
            assertThat(kernel.tryLocks("shared-ours", "exclusive:0:0")).isEqualTo("granted");
        }
    }

    @Test
    void shouldShareALockForReadingAndNoOther() throws Exception {
        create("shared-both", new byte[1]).close();
        try (RemoteFile file = mount.open("/shared-both", READ, 0);
                RemoteFile writable = mount.open("/shared-both", CHANGE, 0)) {
            RemoteLock ours = file.tryLock(0, 10, true).orElseThrow();
            assertThat(kernel.tryLocks("shared-both", "shared:0:10", "exclusive:0:10"))
                    .isEqualTo("granted refused");
            kernel.whileHolding("shared-both", "shared:0:10", () -> {
                ours.close();
                assertGranted(file, 0, 10, true);
                assertRefused(writable, 9, 1, false);
            });
            assertGranted(writable, 0, 10, false);
        }
    }

    @Test
    void shouldLockWholeFilesAndBeyond32Bits() throws Exception {
        try (RemoteFile file = create("shared-wide", new byte[1])) {
            kernel.whileHolding("shared-wide", "exclusive:" + BEYOND_32_BITS + ":1", () -> {
                assertRefused(file, BEYOND_32_BITS, 1, false);
                assertRefused(file, 0, Long.MAX_VALUE, false);
                assertGranted(file, BEYOND_32_BITS - 1, 1, false);
                assertGranted(file, BEYOND_32_BITS + 1, Long.MAX_VALUE, false);
                assertGranted(file, 0, 1, false); // the low 32 bits of the offset
            });
            kernel.whileHolding("shared-wide", "exclusive:" + BEYOND_32_BITS + ":0", () -> {
                assertRefused(file, Long.MAX_VALUE - 1, 1, false);
            });
            RemoteLock whole = file.tryLock(0, Long.MAX_VALUE, false).orElseThrow();
            assertThat(kernel.tryLocks("shared-wide", "shared:" + (1L << 62) + ":1", "shared:0:1"))
                    .isEqualTo("refused refused");
            whole.close();
            assertThat(file.tryLock(BEYOND_32_BITS, 10, false)).isPresent();
            assertThat(kernel.tryLocks(
                            "shared-wide", "shared:" + (BEYOND_32_BITS + 9) + ":1", "exclusive:0:" + BEYOND_32_BITS))
                    .isEqualTo("refused granted");
        }
    }

    @Test
    void shouldHandALockToAKernelThatWaitsForIt() throws Exception {
        try (RemoteFile file = create("shared-handed", new byte[1])) {
            RemoteLock ours = file.tryLock(0, 1, false).orElseThrow();
            KernelMount.HeldLock theirs = kernel.waitFor("shared-handed", "exclusive:0:1");
            try {
                assertThat(kernel.tryLocks("shared-handed", "exclusive:0:1")).isEqualTo("refused");
                assertThat(theirs.isWaiting()).isTrue();
                ours.close();
                theirs.awaitGrant();
                assertRefused(file, 0, 1, true);
            } finally {
                theirs.release();
            }
            assertGranted(file, 0, 1, false);
        }
    }

    @Test
    void shouldGiveLocksUpWithTheFileAndWithTheMount() throws Exception {
        RemoteFile file = create("shared-given-up", new byte[1]);
        assertThat(file.tryLock(0, 10, false)).isPresent();
        assertThat(kernel.tryLocks("shared-given-up", "shared:0:1")).isEqualTo("refused");
        file.close();
        assertThat(kernel.tryLocks("shared-given-up", "exclusive:0:0")).isEqualTo("granted");

        NfsMount other = stack.mount(guest.nfs(), "/", "");
        assertThat(other.open("/shared-given-up", CHANGE, 0).tryLock(0, 10, false))
                .isPresent();
        assertThat(kernel.tryLocks("shared-given-up", "shared:0:1")).isEqualTo("refused");
        other.close();
        assertThat(kernel.tryLocks("shared-given-up", "exclusive:0:0")).isEqualTo("granted");
    }

    @Test
    void shouldReadWhatTheKernelHasWrittenMeanwhile() throws Exception {
        try (RemoteFile file = create("shared-read", "first".getBytes(UTF_8))) {
            assertThat(text(file)).isEqualTo("first");
            long change = file.attributes().change();

            inKernelMount("printf second > shared-read");

            assertThat(text(file)).isEqualTo("second");
            assertThat(file.attributes().size()).isEqualTo(6);
            assertThat(file.attributes().change()).isNotEqualTo(change);
            assertThat(mount.attributes("/shared-read", true).size()).isEqualTo(6);
        }
    }

    @Test
    void shouldGoOnWhereTheKernelHasAppended() throws Exception {
        try (RemoteFile file = create("shared-grown", "one ".getBytes(UTF_8));
                SeekableByteChannel channel = file.channel()) {
            ByteBuffer all = ByteBuffer.allocate(100);
            assertThat(readFully(channel, all)).isEqualTo(4);

            inKernelMount("printf 'two' >> shared-grown");

            assertThat(readFully(channel, all)).isEqualTo(3);
            assertThat(new String(all.array(), 0, all.position(), UTF_8)).isEqualTo("one two");
            assertThat(channel.size()).isEqualTo(7);
        }
    }

    private static int readFully(SeekableByteChannel channel, ByteBuffer destination) throws IOException {
        int start = destination.position();
        while (channel.read(destination) > 0) {
            // until the end
        }
        return destination.position() - start;
    }

    @Test
    void shouldNotInventDataBehindAnEndThatTheKernelHasMoved() throws Exception {
        byte[] content = random(7 << 20);
        int kept = (1 << 20) + 5;
        try (RemoteFile file = create("shared-cut", content);
                SeekableByteChannel channel = file.channel()) {
            ByteBuffer all = ByteBuffer.allocate(content.length + 1);
            channel.read(all.limit(4096)); // the read-ahead begins
            inKernelMount("truncate -s " + kept + " shared-cut");

            readFully(channel, all.limit(all.capacity()));
            assertThat(all.position()).isBetween(kept, content.length);
            assertThat(Arrays.copyOf(all.array(), all.position()))
                    .as("what was there once, and no zeros behind the end")
                    .isEqualTo(Arrays.copyOf(content, all.position()));
            assertThat(channel.size()).isEqualTo(kept);
            assertThat(read(file, 0, content.length)).isEqualTo(Arrays.copyOf(content, kept));
            assertThat(file.read(ByteBuffer.allocate(1), kept)).isEqualTo(-1);
            try (SeekableByteChannel anew = file.channel()) {
                assertThat(readFully(anew, ByteBuffer.allocate(content.length))).isEqualTo(kept);
            }
        }
    }

    @Test
    void shouldKeepTheOldFileWhenTheKernelPutsAnotherInItsPlace() throws Exception {
        try (RemoteFile file = create("shared-replaced", "old".getBytes(UTF_8))) {
            long fileId = file.attributes().fileId();
            inKernelMount("printf newer > shared-newer && mv shared-newer shared-replaced");

            assertThat(text(file)).isEqualTo("old");
            file.write(ByteBuffer.wrap("own".getBytes(UTF_8)), 3);
            file.sync();
            assertThat(text(file)).isEqualTo("oldown");
            assertThat(file.attributes().fileId()).isEqualTo(fileId);
            assertThat(file.attributes().linkCount()).isZero();
            try (RemoteFile newer = mount.open("/shared-replaced", READ, 0)) {
                assertThat(text(newer)).isEqualTo("newer");
                assertThat(newer.attributes().fileId()).isNotEqualTo(fileId);
            }
        }
        assertThat(inKernelMount("cat shared-replaced")).isEqualTo("newer");
    }

    @Test
    void shouldGoOnWithAFileThatTheKernelHasRemoved() throws Exception {
        byte[] content = random(300_000);
        RemoteFile file = create("shared-removed", content);
        inKernelMount("rm shared-removed");

        assertThatThrownBy(() -> mount.attributes("/shared-removed", true))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("/shared-removed");
        assertThatThrownBy(() -> mount.open("/shared-removed", READ, 0)).isInstanceOf(NoSuchFileException.class);
        assertThat(read(file, 0, content.length)).isEqualTo(content);
        file.write(ByteBuffer.wrap(content), content.length);
        file.sync();
        assertThat(file.attributes().size()).isEqualTo(2L * content.length);
        file.close();
        assertThat(guest.run("ls /export")).doesNotContain("shared-removed");
    }

    @Test
    void shouldSayThatAFileIsGoneWhenTheServerHasForgottenUsToo() throws Exception {
        RemoteFile removed = create("shared-stale", "old".getBytes(UTF_8));
        RemoteFile locked = create("shared-lost-lock", "old".getBytes(UTF_8));
        assertThat(locked.tryLock(0, 1, false)).isPresent();
        inKernelMount("rm shared-stale");
        guest.run("for client in /proc/fs/nfsd/clients/*; do"
                + " if grep -q verbena/.*/peer/ $client/info; then echo expire > $client/ctl; fi; done");

        assertThatThrownBy(() -> read(removed, 0, 3))
                .asInstanceOf(type(NfsException.class))
                .satisfies(e -> assertThat(e.status()).isEqualTo("NFS4ERR_STALE"))
                .satisfies(e ->
                        assertThat(e).hasMessageContaining("peer:/shared-stale").hasMessageContaining("removed"));
        assertThatThrownBy(() -> read(locked, 0, 3)).hasMessageContaining("a lock on it was lost");
        try (RemoteFile anew = mount.open("/shared-lost-lock", READ, 0)) {
            assertThat(text(anew)).isEqualTo("old");
        }
        assertThatThrownBy(removed::close).hasMessageContaining("peer:/shared-stale");
        locked.close();
    }

    @Test
    void shouldAppendInTurnWithTheKernel() throws Exception {
        create("shared-appended", new byte[0]).close();
        try (RemoteFile file = mount.open("/shared-appended", Set.of(StandardOpenOption.APPEND), 0);
                SeekableByteChannel channel = file.channel()) {
            for (int round = 0; round < 3; round++) {
                channel.write(ByteBuffer.wrap(("ours " + round + "\n").getBytes(UTF_8)));
                assertThat(channel.size()).isEqualTo((2L * round + 1) * 7 + round * 2L);
                inKernelMount("echo 'theirs " + round + "' >> shared-appended");
            }
        }
        assertThat(guest.run("cat /export/shared-appended"))
                .isEqualTo("ours 0\ntheirs 0\nours 1\ntheirs 1\nours 2\ntheirs 2\n");
    }

    @Test
    void shouldShowTheKernelWhatIsSyncedOrClosed() throws Exception {
        byte[] content = random(600_001);
        RemoteFile file = create("shared-shown", content);
        assertThat(kernelSha256("shared-shown")).isEqualTo(sha256(content));

        byte[] half = Arrays.copyOf(content, 300_000);
        file.truncate(half.length);
        assertThat(kernelSha256("shared-shown")).isEqualTo(sha256(half));

        half[0] ^= 1;
        try (SeekableByteChannel channel = file.channel()) {
            channel.write(ByteBuffer.wrap(half, 0, 1));
        }
        assertThat(kernelSha256("shared-shown")).isEqualTo(sha256(half));

        half[1] ^= 1;
        file.write(ByteBuffer.wrap(half, 1, 1), 1);
        file.close();
        assertThat(kernelSha256("shared-shown")).isEqualTo(sha256(half));

        mount.rename("/shared-shown", "/shared-renamed");
        assertThat(inKernelMount("ls shared-*")).isEqualTo("shared-renamed\n");
    }

    @Test
    void shouldHaveTheKernelGiveItsDelegationBackBeforeWeWrite() throws Exception {
        create("shared-delegated", "old".getBytes(UTF_8)).close();
        Process reader = guest.start("cd " + KernelMount.PLACE
                + " && mkfifo /tmp/delegated && exec 5< shared-delegated && cat <&5 && echo"
                + " && timeout 60 cat /tmp/delegated"
                + " && cat shared-delegated; rm /tmp/delegated");
        try (var lines = reader.inputReader(UTF_8)) {
            assertThat(lines.readLine()).isEqualTo("old");
            assertThat(guest.run("cat /proc/fs/nfsd/clients/*/states"))
                    .as("it has a delegation")
                    .containsPattern("type: deleg.*shared-delegated");

            try (RemoteFile file = mount.open("/shared-delegated", CHANGE, 0)) {
                file.write(ByteBuffer.wrap("new".getBytes(UTF_8)), 0);
            }

            guest.run("timeout 20 sh -c 'echo > /tmp/delegated'");
            assertThat(lines.readLine()).isEmpty();
            assertThat(lines.readLine()).isEqualTo("new");
        }
    }

    @Test
    void shouldCreateExclusivelyAmongTwoClients() throws Exception {
        create("shared-exclusive", new byte[0]).close();
        assertThat(inKernelMount("if (set -C; : > shared-exclusive) 2>&-; then echo made; else echo there; fi"))
                .isEqualTo("there\n");
        inKernelMount("(set -C; : > shared-exclusive-too)");
        assertThatThrownBy(() -> mount.open("/shared-exclusive-too", NEW, 0600))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining("/shared-exclusive-too");
    }
}
