package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Digests;
import io.verbena.itests.Launcher;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Linux's client against our server, which stops and restarts. */
@AgainstLinux
class KernelRecoveryIT {
    private static final Duration BOUND = Duration.ofSeconds(100);
    private static final Duration POLL = Duration.ofMillis(20);

    /** The kernel's messages about a server that does not respond, and responds again. */
    private static final String AWAY = "nfs: server .* (not responding, still trying|OK)";

    private static final int BLOCKS = 400;
    private static final int BLOCK = 8192;

    /** Writes blocks whose octets depend on their place, each to stable storage, while it holds a lock. */
    private static final String WRITER =
            """
            import fcntl, hashlib, os, time
            file = open('written', 'wb', buffering=0)
            fcntl.lockf(file, fcntl.LOCK_EX)
            digest = hashlib.sha256()
            for block in range(BLOCKS):
                octets = hashlib.sha256(b'%d' % block).digest() * (BLOCK // 32)
                assert file.write(octets) == BLOCK
                os.fsync(file.fileno())
                digest.update(octets)
            while not os.path.exists('/tmp/release'):
                time.sleep(0.05)
            file.close()
            print(digest.hexdigest())
            """
                    .replace("BLOCKS", "" + BLOCKS)
                    .replace("BLOCK", "" + BLOCK);

    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    private ServedToLinux served;

    KernelRecoveryIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void setUp() throws Exception {
        served = new ServedToLinux(guest, folder);
        guest.run("rm -f /tmp/release");
    }

    @AfterEach
    void end() throws Exception {
        served.close();
    }

    @FunctionalInterface
    private interface Condition {
        boolean isTrue() throws IOException;
    }

    private static void await(Condition condition) throws IOException {
        long end = System.nanoTime() + BOUND.toNanos();
        while (!condition.isTrue()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(end);
            LockSupport.parkNanos(POLL.toNanos()); // leaves the processor to the guest
        }
    }

    private static void awaitSize(Path file, long size) throws IOException {
        await(() -> Files.exists(file) && Files.size(file) >= size);
    }

    private String endOf(Process writer) throws IOException, InterruptedException {
        guest.run("touch /tmp/release");
        assertThat(writer.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return new String(writer.getInputStream().readAllBytes(), UTF_8).strip();
    }

    @Test
    void shouldGoOnWritingWhenTheServerIsRestarted() throws Exception {
        GuestMount mount = served.start().mount("recovery", "");
        Path written = served.directory().resolve("written");
        Process writer = mount.start("python3 - <<'PROGRAM'\n" + WRITER + "PROGRAM\n");
        for (int restart = 1; restart <= 2; restart++) {
            awaitSize(written, (long) restart * 50 * BLOCK);
            served.stop();
            assertThat(Files.size(written)).isLessThan((long) BLOCKS * BLOCK);
            served.start();
        }
        awaitSize(written, (long) BLOCKS * BLOCK);

        // the client has reclaimed the open file and its lock
        try (NfsMount own = served.ownMount();
                RemoteFile file = own.open("/written", Set.of(StandardOpenOption.WRITE), 0)) {
            assertThat(file.tryLock(0, 1, false)).isEmpty();
            assertThat(endOf(writer)).isEqualTo(Digests.ofFile(written));
            assertThat(file.tryLock(0, 1, false)).isPresent();
        }
        assertThat(Files.size(written)).isEqualTo((long) BLOCKS * BLOCK);
        served.assertWell(AWAY);
    }

    @Test
    void shouldGoOnWritingWhenTheProcessIsKilled() throws Exception {
        KernelLog log = new KernelLog(guest);
        Launcher verbena = new Launcher(folder);
        Path state = folder.resolve("container");
        Launcher.Run first = verbena.start(
                "--state",
                state.toString(),
                "-c",
                "nfs:export --no-root-squash --port " + guest.hostPort() + " --name e " + served.directory()
                        + "; sleep 600000");
        await(() -> Files.readString(first.err()).contains("exported"));
        try (GuestMount mount = new GuestMount(guest, "recovery", guest.hostPort(), "")) {
            Path written = served.directory().resolve("written");
            Process writer = mount.start("python3 - <<'PROGRAM'\n" + WRITER + "PROGRAM\n");
            awaitSize(written, 50L * BLOCK);
            kill(first);
            assertThat(Files.size(written)).isLessThan((long) BLOCKS * BLOCK);

            // the export is kept with the container's state
            Launcher.Run second = verbena.start("--state", state.toString(), "-c", "sleep 600000");
            awaitSize(written, (long) BLOCKS * BLOCK);
            assertThat(endOf(writer)).isEqualTo(Digests.ofFile(written));
            assertThat(mount.counters().connects()).isLessThanOrEqualTo(3 + log.crcErrors());
            mount.unmount();
            kill(second);
        }
        assertThat(log.complaints(AWAY)).isEmpty();
    }

    private static void kill(Launcher.Run run) throws Exception {
        run.process().descendants().forEach(ProcessHandle::destroyForcibly);
        run.await();
    }
}
