package io.verbena.itests.linuxpeer;

import io.verbena.itests.Digests;
import io.verbena.itests.FuseMount;
import io.verbena.itests.MountedProgramsCase;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** Programs of others on a mount of Linux's server. */
@AgainstLinux
final class KnfsdFuseIT extends MountedProgramsCase {
    private final LinuxGuest guest;

    KnfsdFuseIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.run("rm -rf /export/" + WORK);
    }

    @Override
    protected FuseMount mount(Path empty) throws Exception {
        guest.run("mkdir /export/" + WORK);
        return new FuseMount(empty, "127.0.0.1:/", "port=" + guest.nfs().getPort());
    }

    @Override
    protected Map<String, String> atServer() throws Exception {
        return Digests.parse(guest.run("cd /export/" + WORK + " && find . -type f -print0 | xargs -0r sha256sum"));
    }
}
