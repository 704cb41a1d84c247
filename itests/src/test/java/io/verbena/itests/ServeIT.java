package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports in the foreground, as a service of the system has them. */
final class ServeIT {
    @TempDir
    private Path folder;

    private Launcher verbena;
    private Path served;

    @BeforeEach
    void setUp() throws Exception {
        verbena = new Launcher(folder);
        served = Files.createDirectory(folder.resolve("it's a \"$served\" {directory}*"));
        Files.writeString(served.resolve("file"), "content\n");
    }

    @Test
    void shouldServeADirectoryWithoutATerminalUntilItIsTerminated() throws Exception {
        int port = Launcher.freePort();
        Launcher.Run server = verbena.start("serve", served.toString(), "--port", "" + port, "--name", "e");
        server.process().getOutputStream().close();
        awaitReady(server, "ready: serving e at 127.0.0.1:" + port);

        Launcher.Result client =
                verbena.run("-q", "-c", "nfs:mount -o port=" + port + " 127.0.0.1:/ m; nfs:cat m:/file");
        assertThat(client.out()).as(client.err()).isEqualTo("content\n");

        server.process().destroy();
        Launcher.Result end = server.await();
        assertThat(end.failures()).isEmpty();
        assertThat(end.out()).isEmpty();
        assertThat(end.err()).endsWith("stopping\n");
        assertThat(end.status()).isZero();
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    @Test
    void shouldReadItsExportsAgainAndTellTheServiceManager() throws Exception {
        Path told = folder.resolve("told");
        Path tools = Files.createDirectory(folder.resolve("tools"));
        Path notify = Files.writeString(tools.resolve("systemd-notify"), "#!/bin/sh\necho \"$*\" >>'" + told + "'\n");
        Files.setPosixFilePermissions(notify, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path other = Files.createDirectory(folder.resolve("other"));
        int first = Launcher.freePort();
        int second = Launcher.freePort();
        String kept = "--port " + first + " --name kept \"" + served.toString().replaceAll("[\"$]", "\\\\$0") + '"';
        Path exports = Files.writeString(folder.resolve("exports"), "# what is served\n\n" + kept + "\n");
        Launcher.Run server = verbena.startWith(
                Map.of("NOTIFY_SOCKET", "/nonexistent", "PATH", tools + ":" + System.getenv("PATH")),
                "--state",
                folder.resolve("state").toString(),
                "serve",
                "--exports",
                exports.toString());
        awaitReady(server, "ready: serving kept at 127.0.0.1:" + first);

        Files.writeString(
                exports,
                "--port " + second + " --name other " + other + "\n--nonsense\n/x; shell:exec touch " + folder
                        + "/run\n--port 0 " + folder + "/none\n",
                StandardOpenOption.APPEND);
        hangUp(server);
        awaitReady(server, "ready: serving kept at 127.0.0.1:" + first + ", other at 127.0.0.1:" + second);
        assertThat(Files.readString(server.err()))
                .contains("exports, line 5: nfs:export: unknown option '--nonsense'")
                .contains("exports, line 6: ", "exports, line 7: cannot export");
        assertThat(folder.resolve("run")).doesNotExist();

        Files.writeString(exports, "--port " + second + " --nonsense " + other + "\n");
        hangUp(server);
        Launcher.awaitTrue(() -> Files.readString(server.err()).contains("exports, line 1: nfs:export: unknown"));
        assertThat(verbena.run("-q", "-c", "nfs:mount -o port=" + first + " 127.0.0.1:/ m; nfs:cat m:/file")
                        .out())
                .isEqualTo("content\n");

        Files.writeString(exports, "--port " + second + " --name other " + other + "\n");
        hangUp(server);
        awaitReady(server, "ready: serving other at 127.0.0.1:" + second);

        server.process().destroy();
        Launcher.Result end = server.await();
        assertThat(end.failures()).isEmpty();
        assertThat(end.status()).isZero();
        assertThat(Files.readAllLines(told))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("READY=1 STATUS=serving kept at "),
                        line -> assertThat(line).startsWith("RELOADING=1 MONOTONIC_USEC="),
                        line -> assertThat(line).startsWith("READY=1 STATUS=serving kept at "),
                        line -> assertThat(line).startsWith("RELOADING=1 MONOTONIC_USEC="),
                        line -> assertThat(line).startsWith("READY=1 STATUS=serving kept at "),
                        line -> assertThat(line).startsWith("RELOADING=1 MONOTONIC_USEC="),
                        line -> assertThat(line).startsWith("READY=1 STATUS=serving other at "),
                        line -> assertThat(line).isEqualTo("STOPPING=1 STATUS=stopping"));
        // the exports belong to the service, and not to the state that outlives it
        assertThat(verbena.run("--state", folder.resolve("state").toString(), "-c", "nfs:exports --json")
                        .out())
                .isEqualTo("[]\n");
    }

    @Test
    void shouldSayWhatItCannotServe() throws Exception {
        assertThat(verbena.run("serve").err()).isEqualTo("verbena: serve wants a directory, or --exports FILE\n");

        Launcher.Result gone = verbena.run("serve", folder.resolve("gone").toString());
        assertThat(gone.err()).contains("no such directory");
        assertThat(gone.status()).isEqualTo(3);

        Launcher.Result unread =
                verbena.run("serve", "--exports", folder.resolve("gone").toString());
        assertThat(unread.err()).contains("cannot read the exports in ");
        assertThat(unread.status()).isEqualTo(3);
    }

    private static void awaitReady(Launcher.Run server, String line) throws Exception {
        Launcher.awaitTrue(() -> Files.readAllLines(server.err()).contains(line));
    }

    private static void hangUp(Launcher.Run server) throws Exception {
        Process kill =
                new ProcessBuilder(List.of("kill", "-HUP", "" + server.process().pid())).start();
        assertThat(kill.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }
}
