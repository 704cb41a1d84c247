package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exit statuses of scripts. One script with --keep-going tests most of them, since each start takes time. */
@Tag("newer-jdk")
final class ExitStatusIT {
    private static final Pattern FAILED = Pattern.compile("failed, status (\\d+) after [0-9.]+ s: (\\S+)");

    @TempDir
    private Path folder;

    @Test
    void shouldTellTheStatusOfEachFailureAndEndWithTheFirst() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Path here = Files.createDirectory(folder.resolve("here"));
        Path open = Files.createDirectory(served.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.writeString(open.resolve("readable"), "text");
        Files.createDirectory(
                served.resolve("locked"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path script = Files.writeString(
                folder.resolve("script"),
                """
                # $1 is the port of an export, $2 one that nobody listens on, $3 what is exported, $4 a folder here
                nfs:export --port $1 --squash all --name e $3
                nfs:mount -o port=$1 127.0.0.1:/ m
                SOMETHING = 'a word'
                echo $SOMETHING of $argc: $args
                nfs:cat m:/gone
                nfs:ls other:/
                nfs:mount -o port=$1 127.0.0.1:/nosuchexport o
                nfs:unexport nonsense
                rdma:devices nonsense
                rdma:selftest nonsense
                nfs:mkdir m:/locked/x
                nfs:mount -o port=$2 127.0.0.1:/ p
                nfs:mount nosuchhost.invalid:/ p
                nfs:ls --recusrive m:/
                nfs:ls
                nfs:lss m:/
                nfs:mount -o prot=rdma 127.0.0.1:/ p
                nfs:export --port ninety $3
                nfs:mount -o port=$1 127.0.0.1:/ m
                # a file that is another one whenever it is read
                nfs:put --verify /proc/sys/kernel/random/uuid m:/open
                nfs:get -r m:/. $4
                nfs:find m:/
                echo the end
                """);

        Launcher.Result run = new Launcher(folder)
                .run(
                        "--keep-going",
                        "--timestamps",
                        script.toString(),
                        String.valueOf(Launcher.freePort()),
                        String.valueOf(Launcher.freePort()),
                        served.toString(),
                        here.toString(),
                        "two  words");

        List<MatchResult> failed = FAILED.matcher(run.err()).results().toList();
        assertThat(failed)
                .map(each -> each.group(1) + " " + each.group(2))
                .containsExactly(
                        "3 nfs:cat",
                        "3 nfs:ls",
                        "3 nfs:mount",
                        "3 nfs:unexport",
                        "3 rdma:devices",
                        "3 rdma:selftest",
                        "4 nfs:mkdir",
                        "5 nfs:mount",
                        "5 nfs:mount",
                        "2 nfs:ls",
                        "2 nfs:ls",
                        "2 nfs:lss",
                        "2 nfs:mount",
                        "2 nfs:export",
                        "1 nfs:mount",
                        "6 nfs:put",
                        "7 nfs:get",
                        "7 nfs:find");
        assertThat(run.err())
                .contains("unknown option '--recusrive'", "no such command: nfs:lss; did you mean 'nfs:ls'?")
                .doesNotContain("Exception", "\tat ");
        assertThat(run.err().lines().filter(line -> line.startsWith("verbena: ")))
                .hasSameSizeAs(failed);
        assertThat(open.resolve("uuid")).doesNotExist();
        assertThat(here.resolve("open/readable")).hasContent("text");
        assertThat(run.out()).contains("a word of 5: ", "two  words\n").endsWith("the end\n");
        assertThat(run.status()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"HUP, 129", "INT, 130", "TERM, 143"})
    void shouldEndAsTheSignalSaysAndTellHowToGoOn(String signal, int status) throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Path large = folder.resolve("large");
        try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
            file.setLength(64 << 20);
            file.writeByte(1); // a file that is only a hole is copied too fast
        }
        int port = Launcher.freePort();
        Launcher.Run run = new Launcher(folder)
                .start(
                        "-c",
                        "nfs:export --no-root-squash --port $1 --name e $2; nfs:mount -o port=$1 127.0.0.1:/ m\n"
                                + "nfs:put --limit 1K $3 m:/large",
                        String.valueOf(port),
                        served.toString(),
                        large.toString());
        Launcher.awaitTrue(() -> served.toFile().list().length > 0);

        new ProcessBuilder("kill", "-" + signal, String.valueOf(run.process().pid()))
                .start()
                .waitFor();

        Launcher.Result result = run.await();
        assertThat(result.status()).isEqualTo(status);
        assertThat(result.err())
                .contains("verbena: interrupted after 0 of 1 files; to go on: nfs:put --resume --bwlimit 1K " + large);
        assertThat(served.toFile().list())
                .as("no half file under the name; what is safe is kept hidden")
                .allMatch(name -> name.startsWith("."));
    }

    /** The container is stopped while a script runs that already has its status. */
    @Test
    void shouldKeepAStatusWhenTheContainerStops() throws Exception {
        Launcher.Result run = new Launcher(folder)
                .run("--keep-going", "-c", "nfs:ls other:/; system:shutdown -f; sleep 600000; echo after");

        assertThat(run.out()).doesNotContain("after");
        assertThat(run.status()).isEqualTo(3);
    }
}
