package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;

/** The life of resident instances: what they run, for whom, and when they end. */
final class DaemonIT extends DaemonCase {
    @Test
    void shouldRunElsewhereWhatItCannotRun() throws Exception {
        int before = taken();
        Launcher.Run first = start(Map.of(), "-c", mount + "nfs:tail -f m:/file");
        Launcher.awaitTrue(() -> Files.readString(first.out()).contains("content"));
        assertThat(run("-c", "echo second").out()).isEqualTo("second\n");
        first.process().destroy();
        first.await();
        assertThat(taken()).isEqualTo(before + 1);

        Outcome changing = run("-c", "bundle:stop io.verbena.cli.rdma; rdma:devices");
        assertThat(changing.status()).isEqualTo(5);
        assertThat(run("-c", "rdma:devices").status()).isZero();
        assertThat(taken()).isEqualTo(before + 2);

        // what commands make has the modes that the caller wants
        Process masked = new ProcessBuilder(
                        "sh",
                        "-c",
                        "umask 077; exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("verbena.launcher", "../verbena"))
                                .toAbsolutePath()
                                .toString(),
                        "-q",
                        "-c",
                        mount + "nfs:get -q -f m:/file masked; echo ok")
                .directory(work.toFile())
                .start();
        assertThat(masked.waitFor()).isZero();
        assertThat(taken()).isEqualTo(before + 2);
        assertThat(start(Map.of("VERBENA_OPTS", "-Dother=true"), "-c", "echo other")
                        .await()
                        .out())
                .isEqualTo("other\n");
        assertThat(taken()).isEqualTo(before + 2);
    }

    @Test
    void shouldTalkToProcessesOfItsUserOnly() throws Exception {
        Path sockets = runtime.resolve("verbena");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(sockets)))
                .isEqualTo("rwx------");
        Path socket;
        try (var all = Files.newDirectoryStream(sockets, "*.sock")) {
            socket = all.iterator().next();
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-------");

        // others would have to get through the directories and the socket first
        String ask = "$SIG{PIPE} = 'IGNORE'; socket(S, 1, 1, 0);"
                + " connect(S, pack('Sa*', 1, \"$ARGV[0]\\0\")) or die 'not connected';"
                + " syswrite S, pack('aN', 'Q', 0); print sysread(S, $x, 99) ? 'answer' : 'none'";
        assertThat(output("perl", "-e", ask, socket.toString())).isEqualTo("answer");
        if ("root".equals(System.getProperty("user.name"))) {
            List<Path> opened = List.of(folder, runtime, sockets, socket);
            for (Path each : opened) {
                Files.setPosixFilePermissions(
                        each, PosixFilePermissions.fromString(each.equals(socket) ? "rwxrwxrwx" : "rwxr-xr-x"));
            }
            String stranger = output(
                    "setpriv",
                    "--reuid=65534",
                    "--regid=65534",
                    "--clear-groups",
                    "perl",
                    "-e",
                    ask,
                    socket.toString());
            int before = taken(socket);
            // the client trusts no directory that others can enter
            assertThat(run("-c", "echo alone").out()).isEqualTo("alone\n");
            assertThat(taken(socket)).isEqualTo(before);
            for (Path each : opened) {
                Files.setPosixFilePermissions(
                        each, PosixFilePermissions.fromString(each.equals(socket) ? "rw-------" : "rwx------"));
            }
            assertThat(stranger).isEqualTo("none");
        }
        status();
    }

    private static int taken(Path socket) throws Exception {
        String ask = "socket(S, 1, 1, 0); connect(S, pack('Sa*', 1, \"$ARGV[0]\\0\")) or exit 3;"
                + " syswrite S, pack('aN', 'Q', 0); sysread S, $x, 999; print $x";
        Matcher status = STATUS.matcher(output("perl", "-e", ask, socket.toString()));
        assertThat(status.find()).isTrue();
        return Integer.parseInt(status.group(2));
    }

    private static String output(String... command) throws Exception {
        List<String> bounded = new ArrayList<>(List.of("timeout", "120"));
        bounded.addAll(List.of(command));
        Process process = new ProcessBuilder(bounded).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @Test
    void shouldSurviveTheDeathOfAnInstance() throws Exception {
        Map<String, String> own = Map.of("VERBENA_OPTS", "-Downer=death");
        assertThat(start(own, "--daemon", "auto", "-c", "echo one").await().out())
                .isEqualTo("one\n");
        Launcher.Run interrupted = start(own, "-q", "-c", mount + "nfs:tail -f m:/file");
        Launcher.awaitTrue(() -> Files.readString(interrupted.out()).contains("content"));
        long process = Long.parseLong(statuses().stream()
                .filter(status -> status.group(3).equals("1"))
                .findFirst()
                .orElseThrow()
                .group(1));
        signal("KILL", process);
        Launcher.Result lost = interrupted.await();
        assertThat(lost.err())
                .isEqualTo("verbena: the resident instance has ended during the script, which is not run again\n");
        assertThat(lost.status()).isEqualTo(5);

        // its socket is still there
        assertThat(start(own, "-c", "echo two").await().out()).isEqualTo("two\n");
        assertThat(start(own, "--daemon", "auto", "-c", "echo three").await().out())
                .isEqualTo("three\n");
        assertThat(statuses()).hasSizeGreaterThan(1);
    }

    private List<Matcher> statuses() throws Exception {
        List<Matcher> all = new ArrayList<>();
        start(Map.of(), "daemon", "status").await().out().lines().forEach(line -> {
            Matcher status = STATUS.matcher(line);
            assertThat(status.find()).as(line).isTrue();
            all.add(status);
        });
        return all;
    }

    @Test
    void shouldEndWhenItHasHadNothingToDo() throws Exception {
        Path state = Files.createDirectory(folder.resolve("idle"));
        Map<String, String> soon = Map.of("VERBENA_DAEMON_IDLE", "1");
        assertThat(start(soon, "--state", state.toString(), "--daemon", "auto", "-c", "echo one")
                        .await()
                        .out())
                .isEqualTo("one\n");
        Launcher.awaitTrue(() -> Files.notExists(state.resolve("resident/instance.sock")));
        assertThat(run("--state", state.toString(), "-c", "echo two").out()).isEqualTo("two\n");
    }

    @Test
    void shouldShareWhatADirectoryOfStateHas() throws Exception {
        Path state = Files.createDirectory(folder.resolve("state"));
        String[] with = {"--state", state.toString()};
        assertThat(run(with[0], with[1], "--daemon", "auto", "-q", "-c", mount + "echo mounted"))
                .isEqualTo(new Outcome(0, "mounted\n", ""));
        Launcher.Run first = start(Map.of(), with[0], with[1], "-c", "nfs:tail -f m:/file");
        Launcher.awaitTrue(() -> Files.readString(first.out()).contains("content"));
        assertThat(run(with[0], with[1], "-c", "nfs:cat m:/file").out()).isEqualTo("content\n");
        assertThat(status(with).group(2)).isEqualTo("3");
        first.process().destroy();
        assertThat(first.await().status()).isEqualTo(143);

        // the instance makes room for a process of its own, which has the mounts too
        Outcome other = run(with[0], with[1], "-c", "nfs:cat m:/file; bundle:list -t 0 -s | grep -c io.verbena.cli");
        assertThat(other.err()).isEmpty();
        assertThat(other.out()).startsWith("content\n");
        assertThat(start(Map.of(), with[0], with[1], "daemon", "status").await().status())
                .isEqualTo(3);
    }

    @Test
    void shouldKeepTheMountsOfAFileInTheForeground() throws Exception {
        Path told = folder.resolve("told-of-mounts");
        Path tools = Files.createDirectory(folder.resolve("tools"));
        Path notify = Files.writeString(tools.resolve("systemd-notify"), "#!/bin/sh\necho \"$*\" >>'" + told + "'\n");
        Files.setPosixFilePermissions(notify, PosixFilePermissions.fromString("rwxr-xr-x"));
        String[] with = {"--state", folder.resolve("service").toString()};
        String line = mount.replace("nfs:mount ", "").replace(" m; ", "");
        String port = line.replaceAll("\\D*(\\d+).*", "$1");
        Path mounts = Files.writeString(work.resolve("mounts"), "# what is mounted\n\n" + line + " one\n");
        Launcher.Run service = start(
                Map.of("NOTIFY_SOCKET", "/nonexistent", "PATH", tools + ":" + System.getenv("PATH")),
                with[0],
                with[1],
                "mount-service",
                "mounts");
        Launcher.awaitTrue(() -> Files.readString(service.err()).contains("ready: mounted one of 127.0.0.1:/ ("));
        assertThat(run(with[0], with[1], "-c", "nfs:cat one:/file")).isEqualTo(new Outcome(0, "content\n", ""));
        assertThat(run(with[0], with[1], "-c", "bundle:list").err())
                .startsWith("verbena: '" + with[1] + "' is in use: another verbena runs with it");

        Files.writeString(mounts, "127.0.0.1:/ /mnt/two nfs4 port=" + port + " 0 0\n");
        signal("HUP", service.process().pid());
        Launcher.awaitTrue(() -> Files.readString(service.err()).contains("ready: mounted two of 127.0.0.1:/ ("));
        assertThat(run(with[0], with[1], "-c", "nfs:cat two:/file").out()).isEqualTo("content\n");
        assertThat(run(with[0], with[1], "-c", "nfs:cat one:/file").status()).isEqualTo(3);

        service.process().destroy();
        Launcher.Result end = service.await();
        assertThat(end.err()).endsWith("stopping\n");
        assertThat(end.status()).isZero();
        assertThat(Files.readAllLines(told).stream().map(said -> said.replaceFirst("[= ].*", "")))
                .startsWith("READY", "RELOADING", "READY")
                .endsWith("STOPPING");
        assertThat(run(with[0], with[1], "-c", "nfs:mounts --json").out()).isEqualTo("[]\n");
        assertThat(run("mount-service", "mounts").err()).contains("mount-service wants --state DIR before it");
    }
}
