package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Digests;
import io.verbena.itests.Launcher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The distribution in the guest, through its devices: a client of Linux's server, and a server to Linux's client. */
@AgainstLinux(inside = true, judged = false)
@Timeout(600)
class NativeDistributionIT {
    private static final String HERE = "/tmp/distribution";
    private static final String SERVED = "/export/distribution";
    private static final int FILES = 1000;
    private static final long POLL_NANOS = Duration.ofMillis(200).toNanos();

    private final LinuxGuest guest;
    private final GuestVerbena verbena;

    NativeDistributionIT(LinuxGuest guest, GuestVerbena verbena) {
        this.guest = guest;
        this.verbena = verbena;
    }

    @BeforeEach
    void setUp() throws Exception {
        guest.run("mkdir -p " + HERE + "/made " + SERVED);
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.run("rm -rf " + HERE + " " + SERVED);
    }

    /**
     * Creates a file of {@code mebibytes} MiB and a tree of small files, most of some octets and some of several pages.
     */
    private Map<String, String> make(int mebibytes, int files) throws Exception {
        guest.run(
                """
                cd %s/made
                head -c %dM /dev/urandom > big
                python3 - <<'PROGRAM'
                import os
                for i in range(%d):
                    folder = "tree/%%d" %% (i %% 10)
                    os.makedirs(folder, exist_ok=True)
                    with open("%%s/%%d" %% (folder, i), "wb") as file:
                        file.write(os.urandom(i * 17 if i %% 20 == 0 else i %% 61))
                PROGRAM
                """
                        .formatted(HERE, mebibytes, files));
        Map<String, String> made = digests(HERE + "/made");
        assertThat(made).hasSize(files + 1);
        return made;
    }

    private Map<String, String> digests(String directory) throws Exception {
        return Digests.parse(guest.run("cd " + directory + " && find . -type f -print0 | xargs -0r sha256sum"));
    }

    @Test
    void shouldTellOfBothDevicesHowTheyOpenMemoryAndWhy() throws Exception {
        assertThat(verbena.run("rdma:devices -l rxe0"))
                .containsPattern("provider +native\n")
                .containsPattern("transport +roce\n")
                .containsPattern("registration +type-2 memory window\n")
                .containsPattern("registration_reason +the device has type-2 memory windows");
        assertThat(verbena.run("rdma:devices -l siw0"))
                .containsPattern("provider +native\n")
                .containsPattern("transport +iwarp\n")
                .containsPattern("registration +registration for each operation\n")
                .containsPattern("registration_reason +iWARP devices have no memory windows for user space\n");
        assertThat(packed(verbena.run("rdma:devices"))).contains("native|rxe0|", "native|siw0|", "iwarp|iwarp-eth0|");
    }

    /** A table without its blanks, so that tests do not depend on its layout. */
    private static String packed(String table) {
        return table.replaceAll("[ \\t]", "");
    }

    @Test
    void shouldTakeADeviceOfItsOwnAccordAndSaySo() throws Exception {
        String printed = verbena.run(
                "nfs:mount -o proto=rdma,port=20049 " + LinuxGuest.ROCE + ":/ auto",
                "nfs:ls auto:/",
                "nfs:mounts",
                "nfs:unmount auto");

        assertThat(packed(printed))
                .contains("auto|" + LinuxGuest.ROCE + ":/|mounted|nativerxe0(auto:rxe0")
                .contains("registration=type-2memorywindow");
    }

    @Test
    void shouldCopyToAndFromLinuxByIwarp() throws Exception {
        copyBothWays("siw", "siw0", LinuxGuest.IWARP);
    }

    @Test
    void shouldCopyToAndFromLinuxByRoce() throws Exception {
        copyBothWays("rxe", "rxe0", LinuxGuest.ROCE);
    }

    private void copyBothWays(String name, String device, String address) throws Exception {
        Map<String, String> made = make(64, FILES);
        String there = name + ":/distribution/" + name;

        String printed = verbena.run(
                "nfs:mount -o proto=rdma,provider=" + GuestJvm.DEVICES + ",port=20049 " + address + ":/ " + name,
                "nfs:mkdir " + there,
                "nfs:put -r " + HERE + "/made/big " + HERE + "/made/tree " + there + "/",
                "nfs:get -r " + there + " " + HERE + "/back",
                "nfs:mounts",
                "nfs:unmount " + name);

        assertThat(packed(printed))
                .contains(name + "|" + address + ":/|mounted|" + GuestJvm.DEVICES + device + "(askedfor)")
                .contains("reconnects=0,");
        assertThat(digests(SERVED + "/" + name)).as("there").isEqualTo(made);
        assertThat(digests(HERE + "/back")).as("and back").isEqualTo(made);
    }

    @Test
    void shouldServeLinuxByRoce() throws Exception {
        Map<String, String> made = make(16, 200);
        verbena.run("nfs:export --allow any --provider " + GuestJvm.DEVICES + " --address " + LinuxGuest.ROCE
                + " --port 20051 --squash none --name distribution " + HERE + "/made");
        try (GuestMount mount = new GuestMount(guest, "distribution", LinuxGuest.ROCE, 20051, "")) {
            assertThat(mount.digests(".")).isEqualTo(made);
            mount.run(
                    """
                    cp -r tree written
                    dd if=big of=direct bs=1M oflag=direct status=none
                    sync -f .""");
            assertThat(digests(HERE + "/made/written")).isEqualTo(digests(HERE + "/made/tree"));
            assertThat(digests(HERE + "/made")).containsEntry("direct", made.get("big"));
            assertThat(mount.counters().badReplies()).isZero();
            assertThat(packed(verbena.run("nfs:exports"))).contains("|" + GuestJvm.DEVICES);
            mount.unmount();
        } finally {
            verbena.run("nfs:unexport distribution");
        }
    }

    @Test
    void shouldTestBothDevices() throws Exception {
        for (String device : List.of("rxe0", "siw0")) {
            assertTested(verbena.run("rdma:selftest --count 20 " + device));
        }
    }

    private static void assertTested(String printed) {
        assertThat(printed)
                .containsPattern("access after invalidation +ok")
                .containsPattern("Send latency, .* +ok")
                .doesNotContain("FAILED");
    }

    /** The verbs, with either end connecting, between siw0 and software iWARP on this machine. */
    @Test
    void shouldTestTheWayToSoftware(@TempDir Path folder) throws Exception {
        Launcher.Run host;
        verbena.order("rdma:selftest --provider " + GuestJvm.DEVICES + " --listen " + LinuxGuest.IWARP + ":"
                + LinuxGuest.OWN_PORT);
        verbena.awaitOutput("listening at");
        host = new Launcher(folder)
                .start(
                        "-c",
                        "rdma:selftest --provider iwarp --count 20 127.0.0.1:"
                                + guest.own().getPort() + "; rdma:selftest --provider iwarp --listen 127.0.0.1:"
                                + guest.hostPort());
        // the host listens after its own test has ended
        while (host.process().isAlive() && !Files.readString(host.out()).contains("listening at")) {
            LockSupport.parkNanos(POLL_NANOS); // leaves the processor to the guest
        }
        assertTested(Files.readString(host.out()));
        verbena.await();
        assertTested(verbena.run("rdma:selftest --provider " + GuestJvm.DEVICES + " --count 20 " + GuestMount.HOST + ":"
                + guest.hostPort()));
        Launcher.Result result = host.await();
        assertThat(result.status()).as(result.out() + result.err()).isZero();
    }
}
