package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * State that Linux's server keeps for our client: for a killed client, and for files that are removed while they are
 * open.
 */
@AgainstLinux
@Timeout(80) // shorter than knfsd's lease of 90 s
class KnfsdKilledClientIT {
    private static final Set<StandardOpenOption> CHANGE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);

    @TempDir
    Path state;

    private final LinuxGuest guest;
    private final List<Process> processes = new ArrayList<>();

    KnfsdKilledClientIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @AfterEach
    void close() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly();
            process.waitFor(20, TimeUnit.SECONDS);
        }
        guest.run("rm -f /export/killed* /export/.nfs*");
    }

    private Process start() throws IOException {
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        InetSocketAddress server = guest.nfs();
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classes,
                LockingClient.class.getName(),
                server.getAddress().getHostAddress(),
                String.valueOf(server.getPort()),
                "/killed");
        builder.environment().put("XDG_STATE_HOME", state.toString());
        builder.redirectError(state.resolve("errors").toFile());
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private static String line(Process process) throws IOException {
        return new BufferedReader(process.inputReader(UTF_8)).readLine();
    }

    @Test
    void shouldGetItsLockBackAtOnceAfterItWasKilled() throws Exception {
        Process first = start();
        assertThat(line(first)).isEqualTo("locked");
        first.destroyForcibly();
        assertThat(first.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(line(start())).isEqualTo("locked");
    }

    @Test
    void shouldNotTakeTheLockOfOneThatLives() throws Exception {
        assertThat(line(start())).isEqualTo("locked");
        assertThat(line(start())).isEqualTo("denied");
    }

    @Test
    void shouldGoOnWithFilesThatItRemovesOrReplacesItself() throws Exception {
        try (VerbenaStack stack = new VerbenaStack();
                NfsMount mount = stack.mount(guest.nfs(), "/", "")) {
            RemoteFile removed = create(mount, "/killed-removed", 1);
            RemoteFile replaced = create(mount, "/killed-replaced", 2);
            create(mount, "/killed-new", 3).close();
            mount.remove("/killed-removed");
            mount.rename("/killed-new", "/killed-replaced");
            assertThat(guest.run("ls /export")).doesNotContain("killed-removed").doesNotContain("killed-new");
            assertThat(guest.run("ls -a /export"))
                    .as("as knfsd does not preserve them")
                    .contains(".nfs");
            guest.run("echo 3 > /proc/sys/vm/drop_caches");
            assertThat(content(removed)).isEqualTo((byte) 1);
            assertThat(content(replaced)).isEqualTo((byte) 2);
            try (RemoteFile anew = mount.open("/killed-replaced", CHANGE, 0666)) {
                assertThat(content(anew)).isEqualTo((byte) 3);
            }
            removed.close();
            replaced.close();
            assertThat(guest.run("ls -a /export")).doesNotContain(".nfs");
        }
    }

    private static RemoteFile create(NfsMount mount, String path, int content) throws IOException {
        RemoteFile file = mount.open(path, CHANGE, 0666);
        file.write(ByteBuffer.wrap(new byte[] {(byte) content}), 0);
        file.sync();
        return file;
    }

    private static byte content(RemoteFile file) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(1);
        assertThat(file.read(read, 0)).isEqualTo(1);
        return read.get(0);
    }
}
