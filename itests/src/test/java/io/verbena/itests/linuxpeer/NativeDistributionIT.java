package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Digests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The distribution in the guest, through its devices: a client of Linux's server, and a server to Linux's client. */
@AgainstLinux(inside = true, judged = false)
@Timeout(600)
class NativeDistributionIT {
    private static final String HERE = "/tmp/distribution";
    private static final String SERVED = "/export/distribution";
    private static final int FILES = 1000;

    /** A file of 64 MiB and a tree of small ones, of all sizes up to some pages. */
    private static final String MAKE =
            """
            set -e; mkdir -p %1$s/made/tree %2$s; cd %1$s/made
            head -c 64M /dev/urandom > big
            python3 - <<'PROGRAM'
            import os
            for i in range(%3$d):
                folder = "tree/%%d" %% (i %% 10)
                os.makedirs(folder, exist_ok=True)
                with open("%%s/%%d" %% (folder, i), "wb") as file:
                    file.write(os.urandom(i * 7 %% 9001))
            PROGRAM
            """
                    .formatted(HERE, SERVED, FILES);

    private final LinuxGuest guest;
    private GuestVerbena verbena;
    private Map<String, String> made;

    NativeDistributionIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void setUp() throws Exception {
        verbena = new GuestVerbena(guest);
        guest.run(MAKE);
        made = digests(HERE + "/made");
        assertThat(made).hasSize(FILES + 1);
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.run("rm -rf " + HERE + " " + SERVED);
    }

    private Map<String, String> digests(String directory) throws Exception {
        return Digests.parse(guest.run("cd " + directory + " && find . -type f -print0 | xargs -0r sha256sum"));
    }

    @Test
    void shouldCopyToAndFromLinuxByBothDevices() throws Exception {
        List<String> script = new ArrayList<>();
        script.addAll(copies("siw", LinuxGuest.IWARP));
        script.addAll(copies("rxe", LinuxGuest.ROCE));
        String printed = verbena.run(script.toArray(String[]::new));

        assertThat(printed.replaceAll("\\s", ""))
                .containsPattern("siw\\|" + LinuxGuest.IWARP + ":/\\|mounted\\|" + GuestJvm.DEVICES)
                .containsPattern("rxe\\|" + LinuxGuest.ROCE + ":/\\|mounted\\|" + GuestJvm.DEVICES);
        for (String way : List.of("siw", "rxe")) {
            assertThat(digests(SERVED + "/" + way)).as("there by %s", way).isEqualTo(made);
            assertThat(digests(HERE + "/" + way)).as("and back by %s", way).isEqualTo(made);
        }
    }

    private static List<String> copies(String name, String address) {
        String there = name + ":/distribution/" + name;
        return List.of(
                "nfs:mount -o proto=rdma,provider=" + GuestJvm.DEVICES + ",port=20049 " + address + ":/ " + name,
                "nfs:mkdir " + there,
                "nfs:put -r " + HERE + "/made/big " + HERE + "/made/tree " + there + "/",
                "nfs:get -r " + there + " " + HERE,
                "nfs:mounts",
                "nfs:unmount " + name);
    }

    @Test
    void shouldServeLinuxByRoce() throws Exception {
        String export = "nfs:export --provider " + GuestJvm.DEVICES + " --address " + LinuxGuest.ROCE
                + " --port 20051 --squash none --name distribution " + HERE + "/made";
        try (GuestVerbena.Running running = verbena.start(export, "nfs:exports");
                GuestMount mount = new GuestMount(guest, "distribution", LinuxGuest.ROCE, 20051, "")) {
            assertThat(mount.digests(".")).isEqualTo(made);
            mount.run(
                    """
                    cp -r tree written
                    dd if=big of=direct bs=1M oflag=direct status=none
                    sync -f .""");
            Map<String, String> written = digests(HERE + "/made/written");
            assertThat(written).hasSize(FILES).isEqualTo(digests(HERE + "/made/tree"));
            assertThat(digests(HERE + "/made")).containsEntry("direct", made.get("big"));
            assertThat(mount.counters().badReplies()).isZero();
            mount.unmount();
            assertThat(running.output().replaceAll("\\s", "")).contains("|" + GuestJvm.DEVICES);
            running.end();
        }
    }
}
