package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.itests.Transfer;
import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transfers, open files and locks when Linux's server, its device or its network fails. */
@AgainstLinux(alone = true, crc = false)
class KnfsdFailuresIT {
    private static final int SIZE = 4 << 20;
    private static final Set<StandardOpenOption> CREATE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final String OTHER = "*:/export/failures/other";
    /**
     * No CRC: after a CRC error Linux's siw forgets RDMA Reads, threads of its server wait for them for ever, and the
     * server cannot be stopped (docs/interoperability.md).
     */
    private static final String NO_CRC = "nocrc,";
    /** Options that cause many requests in flight. */
    private static final String SMALL_MESSAGES = NO_CRC + "rsize=65536,wsize=65536";

    private final LinuxGuest guest;
    private final Knfsd knfsd;
    private VerbenaStack stack;
    private NfsMount mount;

    KnfsdFailuresIT(LinuxGuest guest) {
        this.guest = guest;
        this.knfsd = new Knfsd(guest);
    }

    @BeforeEach
    void begin() throws Exception {
        stack = new VerbenaStack();
        guest.run("mkdir /export/failures");
    }

    @AfterEach
    void end() throws Exception {
        try {
            knfsd.restore(); // before the mount closes its files there
        } finally {
            try {
                if (mount != null) {
                    mount.close();
                }
            } finally {
                stack.close();
            }
        }
        guest.run("exportfs -u '" + OTHER + "' 2>/dev/null; umount -l /export/failures/other 2>/dev/null;"
                + " rm -r /export/failures");
    }

    private RemoteFile locked(String path) throws IOException {
        RemoteFile file = mount.open(path, CREATE, 0644);
        file.write(ByteBuffer.wrap("before".getBytes(UTF_8)), 0);
        assertThat(file.tryLock(0, Long.MAX_VALUE, false)).isPresent();
        return file;
    }

    @ParameterizedTest
    @ValueSource(strings = {"hard", "soft,timeo=100,retrans=5"})
    void shouldGoOnWithFilesAndLocksWhenTheServerRestarts(String option) throws Exception {
        mount = stack.mount(guest.nfs(), "/", SMALL_MESSAGES + "," + option);
        String made = knfsd.make("/failures/read", SIZE >> 20);
        try (RemoteFile held = locked("/failures/held")) {
            Lock turns = new ReentrantLock(true);
            Transfer writing = Transfer.write(mount, "/failures/written", SIZE, turns);
            Transfer reading = Transfer.read(mount, "/failures/read", SIZE, turns);
            writing.awaitUnderWay();
            reading.awaitUnderWay();
            knfsd.stop();
            assertThat(knfsd.canLock("/failures/held"))
                    .as("the server forgets locks")
                    .isTrue();
            knfsd.start();
            mount.open("/failures/new", CREATE, 0600).close(); // waits for the end of the grace period
            assertThat(knfsd.canLock("/failures/held")).isFalse();
            held.write(ByteBuffer.wrap("during".getBytes(UTF_8)), 0);
            assertThat(Transfer.sha256(reading.finish())).isEqualTo(made);
            assertThat(Transfer.sha256(writing.finish())).isEqualTo(knfsd.sha256("/failures/written"));
        }
        assertThat(knfsd.canLock("/failures/held")).isTrue();
        assertThat(knfsd.content("/failures/held")).isEqualTo("during");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGoOnWithARemovedOpenFileWhenTheServerRestarts(boolean replaced) throws Exception {
        mount = stack.mount(guest.nfs(), "/", NO_CRC + "hard");
        try (RemoteFile file = mount.open("/failures/removed", CREATE, 0644)) {
            file.write(ByteBuffer.wrap("before".getBytes(UTF_8)), 0);
            file.sync();
            if (replaced) {
                Contents.write(mount, "/failures/other", "other".getBytes(UTF_8));
                mount.rename("/failures/other", "/failures/removed");
            } else {
                mount.remove("/failures/removed");
                assertThatThrownBy(() -> mount.attributes("/failures/removed", false))
                        .isInstanceOf(NoSuchFileException.class);
            }
            knfsd.stop(); // the server loses the file as well, unless it has a name
            knfsd.start();

            file.write(ByteBuffer.wrap(" and after".getBytes(UTF_8)), 6);
            file.sync();
            ByteBuffer read = ByteBuffer.allocate(16);
            assertThat(file.read(read, 0)).isEqualTo(16);
            assertThat(new String(read.array(), UTF_8)).isEqualTo("before and after");
        }
        // the close removes the temporary name
        assertThat(guest.run("ls -A /export/failures")).isEqualTo(replaced ? "removed\n" : "");
        if (replaced) {
            assertThat(knfsd.content("/failures/removed")).isEqualTo("other");
        }
    }

    @Test
    @Timeout(400)
    void shouldFinishACopyOf256MebibytesWhenTheServerRestartsMeanwhile() throws Exception {
        mount = stack.mount(guest.nfs(), "/", NO_CRC + "hard");
        try (RemoteFile held = locked("/failures/held");
                RemoteFile large = mount.open("/failures/large", CREATE, 0644)) {
            CountDownLatch underWay = new CountDownLatch(48);
            FutureTask<String> copy = new FutureTask<>(() -> write(large, 256, underWay));
            new Thread(copy, "copy").start();
            assertThat(underWay.await(120, TimeUnit.SECONDS)).isTrue();
            knfsd.stop();
            knfsd.start();
            String written = copy.get(240, TimeUnit.SECONDS);
            assertThat(knfsd.sha256("/failures/large")).isEqualTo(written);
            assertThat(knfsd.canLock("/failures/held")).isFalse();
            held.write(ByteBuffer.wrap("during".getBytes(UTF_8)), 0);
        }
        assertThat(knfsd.canLock("/failures/held")).isTrue();
        assertThat(knfsd.content("/failures/held")).isEqualTo("during");
    }

    /** Writes {@code mebibytes} MiB, and returns their SHA-256 when they are on stable storage. */
    private static String write(RemoteFile file, int mebibytes, CountDownLatch progress) throws IOException {
        MessageDigest digest = Contents.sha256();
        try (SeekableByteChannel channel = file.channel()) {
            for (int i = 0; i < mebibytes; i++) {
                byte[] block = Contents.random(i, 1 << 20);
                digest.update(block);
                channel.write(ByteBuffer.wrap(block));
                progress.countDown();
            }
        }
        file.sync();
        return Contents.hex(digest.digest());
    }

    /** Linux keeps the state of a client whose lease has expired until another client needs it. */
    @ParameterizedTest
    @ValueSource(ints = {3, 14})
    void shouldGoOnAfterALossOfTheNetwork(int seconds) throws Exception {
        mount = stack.mount(guest.nfs(), "/", SMALL_MESSAGES + ",hard");
        try (RemoteFile held = locked("/failures/held")) {
            Transfer writing = Transfer.write(mount, "/failures/written", SIZE).awaitUnderWay();
            cutNetwork(seconds);
            assertThat(Transfer.sha256(writing.finish())).isEqualTo(knfsd.sha256("/failures/written"));
            held.write(ByteBuffer.wrap("during".getBytes(UTF_8)), 0);
            held.sync();
            assertThat(knfsd.canLock("/failures/held")).isFalse();
        }
        assertThat(knfsd.content("/failures/held")).isEqualTo("during");
    }

    private void cutNetwork(int seconds) throws Exception {
        guest.setLink(false);
        try {
            TimeUnit.SECONDS.sleep(seconds); // the test is about this time: the lease is 10 s
        } finally {
            guest.setLink(true);
        }
    }

    @Test
    void shouldReportALockThatWasLostWithTheNetwork() throws Exception {
        mount = stack.mount(guest.nfs(), "/", SMALL_MESSAGES + ",hard");
        RemoteFile held = locked("/failures/held");
        Transfer writing = Transfer.write(mount, "/failures/written", SIZE).awaitUnderWay();
        knfsd.beginToSteal("/failures/held");
        cutNetwork(22);
        knfsd.awaitStolen("/failures/held");
        assertThat(Transfer.sha256(writing.finish())).isEqualTo(knfsd.sha256("/failures/written"));
        assertThatThrownBy(() -> {
                    held.write(ByteBuffer.wrap("during".getBytes(UTF_8)), 0);
                    held.sync();
                })
                .isInstanceOf(NfsException.class)
                .hasMessageContaining("a lock on it was lost");
        assertThatThrownBy(held::close).hasMessageContaining("a lock on it was lost");
        assertThat(knfsd.content("/failures/held")).isEqualTo("stolen");
    }

    @Test
    void shouldReportAnExportThatIsWithdrawnAndGoOnWhenItIsBack() throws Exception {
        String export = "'" + OTHER + "'";
        String options = " -o rw,fsid=77,no_root_squash,insecure,no_subtree_check,sec=sys,async ";
        String make = "mkdir -p /export/failures/other && mount -t tmpfs other /export/failures/other && exportfs"
                + options + export;
        guest.run(make);
        mount = stack.mount(guest.nfs(), "/failures/other", NO_CRC + "hard");
        RemoteFile file = mount.open("/file", CREATE, 0644);
        file.write(ByteBuffer.wrap("before".getBytes(UTF_8)), 0);
        file.sync();
        guest.run("exportfs -u " + export);
        assertStale(() -> file.read(ByteBuffer.allocate(6), 0));
        assertStale(() -> mount.attributes("/file", true));
        guest.run("exportfs" + options + export);
        ByteBuffer read = ByteBuffer.allocate(6);
        assertThat(file.read(read, 0)).isEqualTo(6);
        assertThat(read.array()).isEqualTo("before".getBytes(UTF_8));
        assertThat(mount.attributes("/file", true).size()).isEqualTo(6);
        // now the exported file system is removed for good, and another one takes its place
        guest.run("exportfs -u " + export + " && umount -l /export/failures/other");
        assertStale(() -> file.read(ByteBuffer.allocate(6), 0));
        guest.run(make);
        assertStale(() -> file.read(ByteBuffer.allocate(6), 0));
        assertThat(mount.list("/")).isEmpty();
        mount.open("/new", CREATE, 0644).close();
        assertStale(file::close);
    }

    private static void assertStale(ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(NfsException.class).hasMessageContaining("NFS4ERR_STALE");
    }
}
