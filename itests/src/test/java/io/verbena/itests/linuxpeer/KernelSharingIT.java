package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Digests;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Linux's client shares our server: two of its mounts, two of our exports, and our own client. */
@AgainstLinux
class KernelSharingIT {
    private static final Set<StandardOpenOption> CHANGE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);

    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    private ServedToLinux served;

    KernelSharingIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void serve() throws Exception {
        served = new ServedToLinux(guest, folder).start();
    }

    @AfterEach
    void end() throws Exception {
        served.close();
    }

    /**
     * Serves without delegations: two mounts with separate caches are still one client, so a delegation to one mount is
     * not recalled for the other.
     */
    private void serveWithoutDelegations() throws Exception {
        served.close();
        served = new ServedToLinux(guest, folder.resolve("plain"))
                .withoutDelegations()
                .start();
    }

    @Test
    void shouldKeepLocksBetweenTwoMounts() throws Exception {
        serveWithoutDelegations();
        GuestMount one = served.mount("one", "nosharecache");
        GuestMount two = served.mount("two", "nosharecache");

        String out = one.python(
                """
                import fcntl, os
                def attempt(take, path, *rest):
                    # in a process of its own: locks are between processes
                    read, write = os.pipe()
                    if os.fork() == 0:
                        with open(path, 'r+') as file:
                            try:
                                take(file, *rest); os.write(write, b'taken')
                            except BlockingIOError:
                                os.write(write, b'denied')
                        os._exit(0)
                    os.wait()
                    return os.read(read, 10).decode()
                NOW = fcntl.LOCK_NB
                open('file', 'w').write('x' * 1000)
                file = open('file', 'r+')
                other = 'OTHER/file'
                fcntl.lockf(file, fcntl.LOCK_EX, 100, 50)
                print(attempt(fcntl.lockf, other, fcntl.LOCK_EX | NOW, 1, 149),
                      attempt(fcntl.lockf, other, fcntl.LOCK_SH | NOW, 0, 0),
                      attempt(fcntl.lockf, other, fcntl.LOCK_EX | NOW, 50, 0),
                      attempt(fcntl.lockf, other, fcntl.LOCK_EX | NOW, 0, 150))
                fcntl.lockf(file, fcntl.LOCK_UN, 50, 75)
                print(attempt(fcntl.lockf, other, fcntl.LOCK_EX | NOW, 50, 75),
                      attempt(fcntl.lockf, other, fcntl.LOCK_EX | NOW, 51, 75))
                fcntl.lockf(file, fcntl.LOCK_SH, 0)
                print(attempt(fcntl.lockf, other, fcntl.LOCK_SH | NOW, 0),
                      attempt(fcntl.lockf, other, fcntl.LOCK_EX | NOW, 0))
                fcntl.lockf(file, fcntl.LOCK_UN)
                fcntl.flock(file, fcntl.LOCK_EX)
                print(attempt(fcntl.flock, other, fcntl.LOCK_EX | NOW), attempt(fcntl.flock, other, fcntl.LOCK_SH | \
                NOW))
                file.close()
                print(attempt(fcntl.flock, other, fcntl.LOCK_EX | NOW))
                """
                        .replace("OTHER", two.path()));

        assertThat(out).isEqualTo("denied denied taken taken\ntaken denied\ntaken denied\ndenied denied\ntaken\n");
        served.assertWell();
    }

    @Test
    void shouldKeepLocksBetweenTheKernelAndOurClient() throws Exception {
        GuestMount mount = served.mount("one", "");
        mount.run("echo 0123456789 > file");
        try (NfsMount own = served.ownMount();
                RemoteFile file = own.open("/file", CHANGE, 0644)) {
            guest.run("rm -f /tmp/release");
            Process holder = mount.start(
                    "exec 3<> file; flock 3; echo held > holds; while [ ! -e /tmp/release ]; do sleep 0.05; done");
            mount.run("while [ ! -e holds ]; do sleep 0.05; done; ! flock -n file true");
            assertThat(file.tryLock(0, 5, true)).isEmpty();
            guest.run("touch /tmp/release");
            assertThat(holder.waitFor()).isZero();

            try (var lock = file.tryLock(0, 5, false).orElseThrow()) {
                assertThat(lock).isNotNull();
                mount.run("! flock -n file true");
            }
            mount.run("flock -w 20 file true");
        }
        served.assertWell();
    }

    @Test
    void shouldKeepWhatTwoProcessesAppendAndMakeEachNameOnce() throws Exception {
        serveWithoutDelegations();
        GuestMount one = served.mount("one", "nosharecache");
        GuestMount two = served.mount("two", "nosharecache");

        one.run("for who in a b; do (for i in $(seq 30); do echo $who$i >> appended; done) & done; wait\n"
                + "for place in " + one.path() + " " + two.path() + "; do (cd $place; for i in $(seq 20); do\n"
                + "  flock lock sh -c \"echo $place-$i >> locked\"\n"
                + "  if (set -C; : > exclusive-$i) 2>/dev/null; then echo $i >> /tmp/made; fi; done) & done; wait");

        assertThat(Files.readAllLines(served.directory().resolve("appended")))
                .hasSize(60)
                .doesNotHaveDuplicates();
        assertThat(Files.readAllLines(served.directory().resolve("locked")))
                .hasSize(40)
                .doesNotHaveDuplicates();
        assertThat(guest.run("sort -n /tmp/made | uniq -c | awk '{ print $1 }' | sort | uniq -c; rm /tmp/made"))
                .isEqualToIgnoringWhitespace("20 1");
        served.assertWell();
    }

    @Test
    void shouldServeTwoExportsAtOnce() throws Exception {
        try (ServedToLinux other = new ServedToLinux(guest, folder.resolve("other"), 0).start()) {
            GuestMount one = served.mount("one", "");
            GuestMount two = other.mount("two", "");

            one.run("cp -a /etc/security tree; cp -a tree " + two.path() + "; mv tree " + two.path() + "/moved\n"
                    + "diff -r /etc/security " + two.path() + "/tree; diff -r /etc/security " + two.path() + "/moved");

            assertThat(served.directory()).isEmptyDirectory();
            assertThat(Digests.of(other.directory().resolve("moved")))
                    .isNotEmpty()
                    .isEqualTo(Digests.of(other.directory().resolve("tree")))
                    .isEqualTo(one.digests("/etc/security"));
            served.assertWell();
            other.assertWell();
        }
    }

    @Test
    void shouldSeeWhatTheOtherChangesWhenItOpensTheFileAgain() throws Exception {
        GuestMount mount = served.mount("one", "");
        Random random = new Random(1);
        try (NfsMount own = served.ownMount()) {
            for (int i = 0; i < 8; i++) {
                // the same length each time, so that only the change attribute tells the difference
                byte[] content = new byte[70_001];
                random.nextBytes(content);
                try (RemoteFile file = own.open("/shared", CHANGE, 0644)) {
                    file.write(ByteBuffer.wrap(content), 0);
                }
                Path here = served.directory().resolve("shared");
                assertThat(mount.run("sha256sum < shared")).startsWith(Digests.ofFile(here));

                mount.run("head -c 70001 /dev/urandom | dd of=shared conv=notrunc status=none");
                ByteBuffer read = ByteBuffer.allocate(70_001);
                try (RemoteFile file = own.open("/shared", CHANGE, 0644)) {
                    assertThat(file.read(read, 0)).isEqualTo(70_001);
                }
                assertThat(Files.readAllBytes(here)).isEqualTo(read.array()).isNotEqualTo(content);
            }
        }
        served.assertWell();
    }
}
