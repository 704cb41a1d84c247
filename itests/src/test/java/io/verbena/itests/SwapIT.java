package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Replaces bundles in the running distribution, which holds both ends, while it copies, creates, renames and removes:
 * see {@code swap:run} of the bundle io.verbena.swap.probe. A longer run:
 * {@code -Dverbena.swap.size=1024 -Dverbena.swap.count=60 -Dit.test=SwapIT}, and {@code -Dverbena.swap.seed=N} repeats
 * one.
 */
@Timeout(280)
final class SwapIT {
    private static final String V1 = "io.verbena.rpcrdma.v1";
    private static final String V2 = "io.verbena.rpcrdma.v2";

    @TempDir
    private Path folder;

    private Path served;
    private Launcher verbena;
    private String mount;

    @BeforeEach
    void setUp() throws IOException {
        served = Files.createDirectory(folder.resolve("served"));
        verbena = new Launcher(folder);
        int port = Launcher.freePort();
        mount = "nfs:export --no-root-squash --port " + port + " --name served " + served + "\n"
                + "nfs:mount -o swapTimeout=10,port=" + port + " 127.0.0.1:/ a";
    }

    private Launcher.Result run(String... commands) throws Exception {
        return verbena.run("-c", mount + "\n" + String.join("\n", commands));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nconnect=3,"})
    void shouldLoseAndRepeatNothingWhileBundlesAreReplaced(String connections) throws Exception {
        mount = mount.replace("-o ", "-o " + connections);

        Launcher.Result run = run(SwapScript.run(folder, "a", 32, 8), "nfs:unmount a");

        System.out.println(run.out());
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(served).as("the run removes what it has made").isEmptyDirectory();
    }

    @Test
    void shouldGoOnWithVersionOneWhereVersionTwoGoesForGoodAndBackOnRequest() throws Exception {
        byte[] content = new byte[200 << 20];
        new Random(1).nextBytes(content);
        Path big = Files.write(folder.resolve("big"), content);

        Launcher.Result run = run(
                SwapScript.INSTALL,
                "nfs:mkdir a:/d",
                "nfs:mounts",
                "echo then",
                "swap:during a /d 'nfs:put -q " + big + " a:/d/big' 'bundle:stop " + V2 + "'",
                "nfs:mounts",
                "echo then",
                "bundle:start " + V2,
                "rdma:reconnect a",
                "nfs:mounts");

        assertThat(run.status()).as(run.out() + run.err()).isZero();
        String[] told = run.out().split("\\nthen\\n", -1);
        assertThat(told).hasSize(3);
        assertThat(told[0]).containsPattern("[ ,|]version=2");
        assertThat(told[1]).containsPattern("[ ,|]version=1");
        assertThat(told[2]).containsPattern("[ ,|]version=2");
        assertThat(Files.mismatch(served.resolve("d/big"), big)).isEqualTo(-1);
    }

    @Test
    void shouldNameTheFramingThatIsMissingAndHealWhenItIsBack() throws Exception {
        mount = mount.replace("swapTimeout=10", "swapTimeout=2");

        Launcher.Result run = run(
                "bundle:stop " + V2,
                "bundle:stop " + V1,
                "try { nfs:ls a:/ } { echo said $exception }",
                "bundle:start " + V1,
                "nfs:mkdir a:/healed",
                "nfs:ls a:/");

        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).containsPattern("said .*start the bundle io\\.verbena\\.rpcrdma\\.v1");
        assertThat(served.resolve("healed")).isDirectory();
    }
}
