package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Digests;
import io.verbena.itests.LongRun;
import io.verbena.itests.VerbenaStack;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Our two providers with each other: the guest's device siw0, and software iWARP on this machine. */
@LongRun
@AgainstLinux(inside = true)
@Timeout(400)
class NativeAcrossIT {
    private static final int SIZE = 8 << 20;
    private static final String FOLDER = "/tmp/across";

    private final LinuxGuest guest;
    private final GuestVerbena verbena;

    @TempDir
    private Path folder;

    NativeAcrossIT(LinuxGuest guest, GuestVerbena verbena) {
        this.guest = guest;
        this.verbena = verbena;
    }

    @BeforeEach
    void setUp() throws Exception {
        guest.run("mkdir -p " + FOLDER + "/exported && head -c " + SIZE + " /dev/urandom > " + FOLDER
                + "/exported/theirs");
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.run("rm -rf " + FOLDER);
    }

    @Test
    void shouldCopyBothWaysFromTheGuest() throws Exception {
        byte[] ours = Contents.random(1, SIZE);
        try (ServedToLinux served = new ServedToLinux(guest, folder).start()) {
            Files.write(served.directory().resolve("ours"), ours);
            verbena.run(
                    "nfs:mount -o proto=rdma,provider=" + GuestJvm.DEVICES + ",rpcrdma=1,port=" + guest.hostPort() + " "
                            + GuestMount.HOST + ":/ host",
                    "nfs:get host:/ours " + FOLDER + "/got",
                    "nfs:put " + FOLDER + "/exported/theirs host:/put",
                    "nfs:unmount host");
            assertThat(digest(FOLDER + "/got")).isEqualTo(Contents.sha256(ours));
            assertThat(digest(FOLDER + "/exported/theirs"))
                    .isEqualTo(Digests.ofFile(served.directory().resolve("put")));
        }
    }

    @Test
    void shouldCopyBothWaysFromThisMachine() throws Exception {
        byte[] ours = Contents.random(2, SIZE);
        verbena.run("nfs:export --allow any --provider " + GuestJvm.DEVICES + " --address " + LinuxGuest.IWARP
                + " --port " + LinuxGuest.OWN_PORT + " --squash none --name across " + FOLDER + "/exported");
        try (VerbenaStack stack = new VerbenaStack();
                NfsMount mount = stack.mount(guest.own(), "/", "rpcrdma=1")) {
            assertThat(Contents.sha256(Contents.read(mount, "/theirs"))).isEqualTo(digest(FOLDER + "/exported/theirs"));
            Contents.write(mount, "/ours", ours);
            assertThat(digest(FOLDER + "/exported/ours")).isEqualTo(Contents.sha256(ours));
        } finally {
            verbena.run("nfs:unexport across");
        }
    }

    private String digest(String inGuest) throws Exception {
        return guest.run("sha256sum < " + inGuest).substring(0, 64);
    }
}
