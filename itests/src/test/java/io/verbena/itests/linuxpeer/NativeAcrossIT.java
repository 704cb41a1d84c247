package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Digests;
import io.verbena.itests.VerbenaStack;
import io.verbena.nfs41.client.internal.NfsMount;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Our two ways to do RDMA with one another: the guest's device siw0, and software iWARP on this machine. */
@AgainstLinux(inside = true)
@Timeout(400)
class NativeAcrossIT {
    private static final int SIZE = 8 << 20;
    private static final String FOLDER = "/tmp/across";

    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    NativeAcrossIT(LinuxGuest guest) {
        this.guest = guest;
    }

    /** Each connects to the other, in one run of the distribution in the guest. */
    @Test
    void shouldCopyBothWaysWhicheverConnects() throws Exception {
        byte[] ours = Contents.random(1, SIZE);
        GuestVerbena verbena = new GuestVerbena(guest);
        guest.run("mkdir -p " + FOLDER + "/exported && head -c " + SIZE + " /dev/urandom > " + FOLDER
                + "/exported/theirs");
        try (ServedToLinux served = new ServedToLinux(guest, folder).start()) {
            Files.write(served.directory().resolve("ours"), ours);
            String mount = "nfs:mount -o proto=rdma,provider=" + GuestJvm.DEVICES + ",rpcrdma=1,port="
                    + guest.hostPort() + " " + GuestMount.HOST + ":/ host";
            String export = "nfs:export --provider " + GuestJvm.DEVICES + " --address " + LinuxGuest.IWARP + " --port "
                    + LinuxGuest.OWN_PORT + " --squash none --name across " + FOLDER + "/exported";
            try (GuestVerbena.Running running = verbena.start(
                    mount,
                    "nfs:get host:/ours " + FOLDER + "/got",
                    "nfs:put " + FOLDER + "/exported/theirs host:/put",
                    "nfs:mounts",
                    export)) {
                assertThat(digest(FOLDER + "/got")).isEqualTo(Contents.sha256(ours));
                assertThat(digest(FOLDER + "/exported/theirs"))
                        .isEqualTo(Digests.ofFile(served.directory().resolve("put")));
                connectToTheGuest(ours);
                running.end();
            }
        } finally {
            guest.run("rm -rf " + FOLDER);
        }
    }

    private void connectToTheGuest(byte[] ours) throws Exception {
        try (VerbenaStack stack = new VerbenaStack();
                NfsMount mount = stack.mount(guest.own(), "/", "rpcrdma=1")) {
            assertThat(Contents.sha256(Contents.read(mount, "/theirs"))).isEqualTo(digest(FOLDER + "/exported/theirs"));
            Contents.write(mount, "/ours", ours);
            assertThat(digest(FOLDER + "/exported/ours")).isEqualTo(Contents.sha256(ours));
        }
    }

    private String digest(String inGuest) throws Exception {
        return guest.run("sha256sum < " + inGuest).substring(0, 64);
    }
}
