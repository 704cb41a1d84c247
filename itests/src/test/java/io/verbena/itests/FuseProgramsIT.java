package io.verbena.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Programs of others on a mount of {@code verbena serve}. */
final class FuseProgramsIT extends MountedProgramsCase {
    @TempDir
    private static Path folder;

    private static Path exported;
    private static int port;
    private static Launcher.Run server;

    @BeforeAll
    static void serve() throws Exception {
        FuseMount.assumePossible();
        exported = Files.createDirectory(folder.resolve("exported"));
        port = Launcher.freePort();
        server = new Launcher(folder)
                .startWith(
                        Map.of("XDG_STATE_HOME", folder.toString()),
                        "serve",
                        exported.toString(),
                        "--port",
                        "" + port,
                        "--no-root-squash");
        Launcher.awaitTrue(() -> {
            server.expectAlive();
            return server.printed().contains("ready: ");
        });
    }

    @AfterAll
    static void stopServing() throws Exception {
        if (server != null) {
            server.process().destroy();
            Launcher.Result unused = server.await();
        }
    }

    @AfterEach
    void tidyUp() throws IOException, InterruptedException {
        if (new ProcessBuilder("rm", "-r", exported.resolve(WORK).toString())
                        .start()
                        .waitFor()
                != 0) {
            throw new AssertionError("what the programs have left cannot be removed");
        }
    }

    @Override
    protected FuseMount mount(Path empty) throws Exception {
        Files.createDirectory(exported.resolve(WORK));
        return new FuseMount(empty, "127.0.0.1:/", "port=" + port);
    }

    @Override
    protected Map<String, String> atServer() throws IOException {
        return Digests.of(exported.resolve(WORK));
    }
}
