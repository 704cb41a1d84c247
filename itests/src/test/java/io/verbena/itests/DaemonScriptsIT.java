package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts that a resident instance runs do what a process of their own does, to the octet. */
final class DaemonScriptsIT extends DaemonCase {
    @Test
    void shouldDoTheSameAsAProcessOfItsOwn() throws Exception {
        Path script =
                Files.writeString(folder.resolve("script"), "# as a file\necho $1 $argc $args\nnfs:cat m:/none\n");
        assertThat(compared("", "-c", "nfs:version; echo $2 $argc $args", "a b", "$HOME;'x", "*")
                        .status())
                .isZero();
        assertThat(compared("", "--keep-going", script.toString(), "one", "").status())
                .isEqualTo(3);
        assertThat(compared("", "-c", mount + "nfs:ls -l m:/; nfs:cat m:/file; nfs:ls m:/ | grep file")
                        .out())
                .contains("n\\xE9", "content");
        assertThat(compared(
                                "",
                                "-q",
                                "-c",
                                mount + "nfs:get -q -f m:/file here; nfs:put -q ./here m:/there;"
                                        + " nfs:sha256 here m:/there; nfs:stat m:/there | grep -c there")
                        .status())
                .isZero();
        assertThat(work.resolve("here")).hasContent("content");
        assertThat(compared("some input\n", "-q", "-c", mount + "nfs:put -q - m:/in; nfs:cat m:/in")
                        .out())
                .isEqualTo("some input\n");
        assertThat(compared("", "-c", mount + "nfs:cat m:/none; echo after").status())
                .isEqualTo(3);
        assertThat(compared("", "-q", "-c", mount + "nfs:ls --recusrive m:/").status())
                .isEqualTo(2);
        assertThat(compared("", "-q", "-c", mount + "nfs:lss m:/").status()).isEqualTo(2);
        assertThat(compared("", "-c", "nfs:mount nosuchhost.invalid:/ p").status())
                .isEqualTo(5);
        assertThat(compared("", "-c", mount + "nfs:lock m:/file { nfs:cat m:/file }; each [1 2] { echo $it }")
                        .out())
                .isEqualTo("content\n1\n2\n");
    }

    @Test
    void shouldCarryOctetsAndTheLossOfTheirReader() throws Exception {
        Outcome whole = compared("", "-q", "-c", mount + "nfs:get m:/large -");
        assertThat(whole.out().getBytes(StandardCharsets.ISO_8859_1))
                .isEqualTo(Files.readAllBytes(served.resolve("large")));
    }

    /** Runs a script with the streams that a line of sh gives it, in which "$@" is the call of the launcher. */
    private Outcome within(String line, String daemon, String script) throws Exception {
        Path shell = folder.resolve("within");
        Files.writeString(shell, "#!/bin/sh\nline=$1\nshift\neval \"$line\"\n");
        Files.setPosixFilePermissions(shell, PosixFilePermissions.fromString("rwx------"));
        int before = taken();
        Outcome outcome = Outcome.of(new Launcher(folder, shell, work)
                .startWith(
                        Map.of("XDG_RUNTIME_DIR", runtime.toString()),
                        line,
                        PROGRAM.toString(),
                        "--daemon",
                        daemon,
                        "-q",
                        "-c",
                        mount + script));
        assertThat(taken()).as(line).isEqualTo(daemon.equals("off") ? before : before + 1);
        return outcome;
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "use"})
    void shouldFailWhereAStreamCannotBeUsed(String daemon) throws Exception {
        String lost = "verbena: cannot write to the standard output: ";
        assertThat(within("\"$@\" <&-", daemon, "nfs:put - m:/unread"))
                .isEqualTo(new Outcome(1, "", "verbena: input: Bad file descriptor\n"));
        assertThat(within("\"$@\" </", daemon, "nfs:put - m:/unread"))
                .isEqualTo(new Outcome(1, "", "verbena: input: Is a directory\n"));
        assertThat(served.toFile().list()).doesNotContain("unread").noneMatch(name -> name.startsWith("."));
        assertThat(within("\"$@\" >&-", daemon, "nfs:cat m:/file"))
                .isEqualTo(new Outcome(1, "", lost + "Bad file descriptor\n"));
        assertThat(within("\"$@\" >/dev/full", daemon, "nfs:cat m:/large; echo after"))
                .isEqualTo(new Outcome(1, "", lost + "No space left on device\n"));
        assertThat(within("\"$@\" 2>&-", daemon, "nfs:cat m:/file; nfs:cat m:/none"))
                .isEqualTo(new Outcome(3, "content\n", ""));
        assertThat(within("\"$@\" <&- >&- 2>&-", daemon, "nfs:mkdir m:/made-" + daemon))
                .isEqualTo(new Outcome(0, "", ""));
        assertThat(served.resolve("made-" + daemon)).isDirectory();
    }

    /** As a program that ends by SIGPIPE. */
    @ParameterizedTest
    @ValueSource(strings = {"off", "use"})
    void shouldBeSilentWhenItsReaderHasWhatItWanted(String daemon) throws Exception {
        String line = "{ \"$@\"; echo \"status $?\" >&2; } | head -c 10 | wc -c";
        for (String script : List.of("nfs:get m:/large -", "nfs:cat m:/large", "nfs:head -c 5M m:/large")) {
            assertThat(within(line, daemon, script + "; echo after")).isEqualTo(new Outcome(0, "10\n", "status 1\n"));
        }
        for (String script : List.of("nfs:find m:/", "nfs:ls --json m:/", "rdma:devices")) {
            assertThat(within("{ \"$@\"; echo \"status $?\" >&2; } | :", daemon, script))
                    .isEqualTo(new Outcome(0, "", "status 1\n"));
        }
    }

    @Test
    void shouldPassSignalsOn() throws Exception {
        for (Map.Entry<String, Integer> signal :
                Map.of("INT", 130, "TERM", 143, "HUP", 129).entrySet()) {
            List<Outcome> outcomes = new ArrayList<>();
            for (String daemon : List.of("off", "use")) {
                int before = taken();
                Launcher.Run run = start(Map.of(), "--daemon", daemon, "-c", mount + "nfs:tail -f m:/file; echo after");
                Launcher.awaitTrue(() -> Files.readString(run.out()).contains("content"));
                signal(signal.getKey(), run.process().pid());
                outcomes.add(withoutEvents(Outcome.of(run)));
                assertThat(taken()).isEqualTo(daemon.equals("off") ? before : before + 1);
            }
            assertThat(outcomes.get(1)).isEqualTo(outcomes.get(0));
            assertThat(outcomes.get(1).status()).isEqualTo(signal.getValue());
        }
    }

    /** The service for events of a process that ends may say that it was interrupted. */
    private static Outcome withoutEvents(Outcome outcome) {
        String err = outcome.err().replaceAll("WARNING: EventAdmin: .*\n", "");
        return new Outcome(outcome.status(), outcome.out(), err);
    }

    @Test
    void shouldLeaveNothingToTheNextScript() throws Exception {
        int port = Launcher.freePort();
        String leave = "X = left; nfs:export --no-root-squash --port " + port + " --name left " + work + "; " + mount
                + "nfs:cd m:/; echo done";
        for (int i = 0; i < 2; i++) {
            assertThat(run("-c", leave).out()).isEqualTo("done\n");
            assertThat(run("-c", "nfs:mounts --json; nfs:exports --json; echo \"<$X>\"")
                            .out())
                    .isEqualTo("[]\n[]\n<>\n");
        }
        status();
    }
}
