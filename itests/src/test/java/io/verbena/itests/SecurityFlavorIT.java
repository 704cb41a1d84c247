package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** RPCSEC_GSS in the running distribution, where it is a feature of its own. */
@Timeout(120)
final class SecurityFlavorIT {
    private static final String SERVICE = "io.verbena.rpc.security.RpcSecurity";

    @TempDir
    private Path folder;

    @Test
    void shouldComeAndGoAsAService() throws Exception {
        Launcher.Result run = new Launcher(folder)
                .run(
                        "-c",
                        String.join(
                                "\n",
                                "feature:install verbena-rpcsec-gss",
                                "service:list " + SERVICE,
                                "echo then",
                                "bundle:stop io.verbena.rpcsec.gss",
                                "echo stopped",
                                "service:list " + SERVICE,
                                "bundle:start io.verbena.rpcsec.gss",
                                "echo started",
                                "service:list " + SERVICE));
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        String[] told = run.out().split("then\n|stopped\n|started\n", -1);
        assertThat(told).hasSize(4);
        assertThat(told[0]).contains("flavor = 6").contains("io.verbena.rpcsec.gss");
        assertThat(told[2]).doesNotContain("flavor");
        assertThat(told[3]).contains("flavor = 6");
    }
}
