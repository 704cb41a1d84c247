package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bundles replaced in the running distribution while it copies, creates, renames and removes, both ends being in it: see
 * {@code swap:run} of the bundle io.verbena.swap.probe. A longer run: {@code -Dverbena.swap.size=1024
 * -Dverbena.swap.count=60 -Dit.test=SwapIT}, and {@code -Dverbena.swap.seed=N} repeats one.
 */
@Timeout(280)
final class SwapIT {
    @TempDir
    private Path folder;

    @Test
    void shouldLoseAndRepeatNothingWhileBundlesAreReplaced() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        int port = freePort();
        Launcher.Result run = new Launcher(folder)
                .run(
                        "-c",
                        String.join(
                                "\n",
                                "nfs:export --port " + port + " --name served " + served,
                                "nfs:mount -o port=" + port + " 127.0.0.1:/ a",
                                SwapScript.run(folder, "a", 48, 12),
                                "nfs:unmount a"));
        System.out.println(run.out());
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(served).as("the run removes what it has made").isEmptyDirectory();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
