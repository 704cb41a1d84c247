package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replaces RPCSEC_GSS in the running distribution, which holds both ends, while it copies, creates, renames and removes
 * under krb5p. The ends forget their contexts each time.
 */
@Timeout(280)
final class SecuritySwapIT {
    private static final String USER = "alice@" + Kdc.REALM;

    @TempDir
    private Path folder;

    @Test
    void shouldLoseAndRepeatNothingWhileTheFlavorIsReplaced() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        int port = Launcher.freePort();
        try (Kdc kdc = new Kdc(Files.createDirectory(folder.resolve("kdc")))) {
            Path server = kdc.principal("nfs/localhost");
            Path user = kdc.principal("alice");
            Path principals = Files.writeString(
                    folder.resolve("principals"), USER + " = " + Files.getAttribute(served, "unix:uid") + "\n");
            String script = String.join(
                    "\n",
                    "nfs:export --no-root-squash --port " + port + " --name served --sec krb5p --gss-port 0 --keytab "
                            + server + " --principal nfs/localhost@" + Kdc.REALM + " --principals " + principals + " "
                            + served,
                    "nfs:mount -o swapTimeout=10,sec=krb5p,keytab=" + user + ",principal=" + USER + ",port=" + port
                            + " localhost:/ a",
                    SwapScript.run(folder, "a", 8, 8, "bundles=io.verbena.rpcsec.gss"),
                    "nfs:unmount a");

            Launcher.Result run = new Launcher(folder)
                    .startWith(Map.of("VERBENA_OPTS", "-Djava.security.krb5.conf=" + kdc.configuration()), "-c", script)
                    .await();

            System.out.println(run.out());
            assertThat(run.status()).as(run.out() + run.err()).isZero();
            assertThat(served).as("the run removes what it has made").isEmptyDirectory();
        }
    }
}
