package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files that our server delegates to Linux's client, and recalls when our own client needs them. */
@AgainstLinux
@Timeout(150)
class KernelDelegationsIT {
    private static final int BLOCKS = 64;

    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    private ServedToLinux served;
    private GuestMount mount;

    KernelDelegationsIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void serve() throws Exception {
        served = new ServedToLinux(guest, folder).start();
        mount = served.mount("delegated", "");
        guest.run("rm -f /tmp/release");
    }

    @AfterEach
    void end() throws Exception {
        guest.run("touch /tmp/release");
        served.close();
    }

    private long counter(String name) {
        return served.server().counters().get(name);
    }

    /** The guest's own count of an operation on this mount. */
    private long sent(String operation) throws Exception {
        return Long.parseLong(guest.run("awk '/ mounted on / { here = ($5 == \"" + mount.path()
                        + "\") } here && $1 == \"" + operation + ":\" { print $2 }' /proc/self/mountstats")
                .strip());
    }

    /** A program in the guest that reports when it is ready, and then waits until it is released. */
    private Process holder(String program) throws Exception {
        Process process = mount.start("python3 -u - <<'PROGRAM'\nimport hashlib, os, time\n" + program
                + "print('ready', flush=True)\nwhile not os.path.exists('/tmp/release'): time.sleep(0.05)\n"
                + "file.close()\nPROGRAM\n");
        BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        assertThat(lines.readLine()).isEqualTo("ready");
        return process;
    }

    private void release(Process holder) throws Exception {
        guest.run("touch /tmp/release");
        assertThat(holder.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(holder.exitValue()).isZero();
    }

    @Test
    void shouldHaveAReadDelegationBackBeforeAnotherClientWrites() throws Exception {
        Files.writeString(served.directory().resolve("file"), "before");
        Process holder = holder("file = open('file', 'rb'); assert file.read() == b'before'\n");
        assertThat(counter("delegationsGranted")).isEqualTo(1);
        assertThat(counter("recalls")).isZero();
        long before = sent("OPEN");
        assertThat(mount.run("for i in 1 2 3 4 5; do cat file; done")).isEqualTo("before".repeat(5));
        assertThat(sent("OPEN")).as("opened without asking").isEqualTo(before);
        assertThat(sent("DELEGRETURN")).isZero();

        try (NfsMount own = served.ownMount();
                RemoteFile file = own.open("/file", Set.of(StandardOpenOption.WRITE), 0)) {
            assertThat(counter("recalls")).isEqualTo(1);
            assertThat(sent("DELEGRETURN")).isEqualTo(1);
            file.write(ByteBuffer.wrap("behind".getBytes(UTF_8)), 0);
        }

        assertThat(mount.run("cat file")).isEqualTo("behind");
        release(holder);
        assertThat(counter("revocations")).isZero();
        served.assertWell();
    }

    /** Linux may return a delegation with unwritten data while the file is open; all data is written at the close. */
    @Test
    void shouldHaveAWriteDelegationBackAndLoseNothing() throws Exception {
        Process holder = holder(
                """
                file = open('file', 'w+b', buffering=0)
                for block in range(BLOCKS // 2):
                    file.write(hashlib.sha256(b'%d' % block).digest() * 128)
                file.close()
                file = open('file', 'a+b', buffering=0)
                for block in range(BLOCKS // 2, BLOCKS):
                    file.write(hashlib.sha256(b'%d' % block).digest() * 128)
                """
                        .replace("BLOCKS", "" + BLOCKS));
        assertThat(counter("delegationsGranted")).isEqualTo(1);
        assertThat(sent("OPEN")).as("opened again without asking").isEqualTo(1);

        try (NfsMount own = served.ownMount();
                RemoteFile file = own.open("/file", Set.of(StandardOpenOption.READ), 0)) {
            assertThat(counter("recalls")).isEqualTo(1);
            assertThat(sent("DELEGRETURN")).isEqualTo(1);
            assertThat(sent("OPEN_NOATTR"))
                    .as("opened at the server by its delegation")
                    .isEqualTo(1);
            release(holder);
            ByteBuffer read = ByteBuffer.allocate(BLOCKS * 4096);
            assertThat(file.read(read, 0)).isEqualTo(read.capacity());
            assertThat(read.array()).isEqualTo(written());
        }

        assertThat(Files.readAllBytes(served.directory().resolve("file"))).isEqualTo(written());
        assertThat(counter("revocations")).isZero();
        served.assertWell();
    }

    private static byte[] written() throws Exception {
        ByteBuffer all = ByteBuffer.allocate(BLOCKS * 4096);
        for (int block = 0; block < BLOCKS; block++) {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(String.valueOf(block).getBytes(UTF_8));
            for (int i = 0; i < 128; i++) {
                all.put(digest);
            }
        }
        return all.array();
    }

    @Test
    void shouldHaveBackWhatWasReclaimedFromARestartedServer() throws Exception {
        Files.writeString(served.directory().resolve("file"), "before");
        Process holder = holder("file = open('file', 'rb'); assert file.read() == b'before'\n");
        served.stop();
        served.start();
        // waits until the kernel has found its session gone, and has reclaimed its state
        mount.run("touch another");
        assertThat(counter("delegationsGranted"))
                .as("reclaimed, and of the new file")
                .isEqualTo(2);
        assertThat(counter("recalls")).isZero();

        try (NfsMount own = served.ownMount();
                RemoteFile file = own.open("/file", Set.of(StandardOpenOption.WRITE), 0)) {
            assertThat(counter("recalls")).isEqualTo(1);
            file.write(ByteBuffer.wrap("behind".getBytes(UTF_8)), 0);
        }

        assertThat(sent("DELEGRETURN")).isEqualTo(1);
        assertThat(mount.run("cat file")).isEqualTo("behind");
        release(holder);
        assertThat(counter("revocations")).isZero();
        served.assertWell("nfs: server .* (not responding, still trying|OK)");
    }

    @Test
    void shouldHaveBackWhatAnotherClientRemoves() throws Exception {
        Files.writeString(served.directory().resolve("file"), "content");
        mount.run("cat file");
        assertThat(counter("delegationsGranted")).isEqualTo(1);

        try (NfsMount own = served.ownMount()) {
            own.remove("/file");
        }

        assertThat(counter("recalls")).isEqualTo(1);
        assertThat(sent("DELEGRETURN")).isEqualTo(1);
        assertThat(mount.run("! cat file 2> /dev/null && echo gone")).isEqualTo("gone\n");
        served.assertWell();
    }
}
