package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.cli.ExitStatus;
import io.verbena.cli.Shell;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Providers;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.json.Json;
import javax.json.JsonObject;
import javax.json.JsonReader;
import org.apache.karaf.shell.support.CommandException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the commands that copy, as a user types them. */
class TransferCommandsTest extends TransferCase {
    /** The class whose thread waits for a copy. */
    private static final String WORKERS = "io.verbena.nfs.transfer.internal.engine.Workers";

    private Shell shell;

    @BeforeEach
    void startShell() throws Exception {
        shell = new Shell(Mounts.class, host.mounts(), host.exports(), new Providers());
    }

    @AfterEach
    void stopShell() {
        shell.close();
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertFails(ExitStatus status, String command) {
        return assertThatThrownBy(() -> shell.run(command))
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(status))
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("\n", "Exception"));
    }

    private static JsonObject json(String text) {
        try (JsonReader reader = Json.createReader(new StringReader(text))) {
            return reader.readObject();
        }
    }

    private String printedByFailing(String command) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        assertThatThrownBy(() -> shell.run(command, bytes)).isInstanceOf(CommandException.class);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private void refuse(String name) {
        mount.hook((operation, path, position) -> {
            if (operation.equals("open") && path.endsWith(name)) {
                throw new AccessDeniedException(path);
            }
        });
    }

    @Test
    void shouldTellInTheFailuresLineWhatIsLeft() throws Exception {
        write(local.resolve("file"), 3 << 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position >= 1 << 20) {
                mount.silent(new UnresponsiveServer("srv", Instant.now().minusSeconds(90), Optional.of(Instant.now())));
                throw new ServerUnavailableException("no answer", null);
            }
        });

        assertFails(ExitStatus.NO_CONNECTION, "nfs:put " + local + "/file a:/file")
                .hasMessageMatching(
                        "a:/file: no answer; left there: a:/\\.verbena-[0-9a-f]{16}\\.tmp\\.part: remove it when"
                                + " its server is back, or leave it to a copy into that directory an hour later");
        mount.silent(null);
        assertThat(shell.run("nfs:ls -a a:/")).contains(".tmp.part");
    }

    @Test
    void shouldTellTheSummaryAsJson() throws Exception {
        write(served.resolve("tree/x"), 10);
        write(served.resolve("tree/y \"z\""), 20);
        refuse("/x");

        String printed = printedByFailing("nfs:get -r --json a:/tree " + local);

        JsonObject summary = json(printed.lines().findFirst().orElseThrow());
        assertThat(summary.getInt("files")).isEqualTo(1);
        assertThat(summary.getInt("octets")).isEqualTo(20);
        assertThat(summary.getJsonNumber("seconds").doubleValue()).isBetween(0.0, 60.0);
        assertThat(summary.getJsonArray("skipped")).isEmpty();
        assertThat(summary.getInt("replacements")).isZero();
        JsonObject failed = summary.getJsonArray("failed").getJsonObject(0);
        assertThat(failed.getString("path")).isEqualTo("a:/tree/x");
        assertThat(failed.getString("reason")).isEqualTo("permission denied");
    }

    @Test
    void shouldListWhatFailedAtTheEnd() throws Exception {
        write(served.resolve("tree/x"), 10);
        write(served.resolve("tree/y"), 20);
        refuse("/x");
        String get = "nfs:get -r a:/tree " + local;

        assertFails(ExitStatus.PARTIAL, get).hasMessage("1 could not be got, see above; 1 are done");
        assertThat(printedByFailing("nfs:get -r a:/tree " + local + "/again"))
                .matches("(?s)got 1 file, 20 octets, .*; 1 failed\na:/tree/x: permission denied\n");
        assertFails(ExitStatus.PERMISSION, "nfs:get -q a:/tree/x " + local + "/x")
                .hasMessage("a:/tree/x: permission denied");
    }

    @Test
    void shouldRehearse() throws Exception {
        write(local.resolve("x"), 10);

        assertThat(shell.run("nfs:put -n " + local + "/x a:/y"))
                .isEqualTo("copy " + local + "/x to a:/y\nwould have put 1 file, 10 octets\n");
        assertThat(shell.run("nfs:put -n --json " + local + "/x a:/y"))
                .contains("\"files\":1,\"octets\":10,")
                .endsWith(",\"would\":[\"copy " + local + "/x to a:/y\"]}\n");
        assertThat(served).isEmptyDirectory();
    }

    @Test
    void shouldCopyTheSourcesThatAreThere() throws Exception {
        write(local.resolve("x"), 10);
        write(local.resolve("y"), 20);
        Files.createDirectory(served.resolve("d"));
        String put = "nfs:put " + local + "/x " + local + "/missing " + local + "/y a:/d";

        assertThat(printedByFailing(put))
                .matches(
                        "(?s)put 2 files, 30 octets, .*; 1 failed\n" + local + "/missing: no such file or directory\n");
        assertThat(names(served.resolve("d"))).containsExactly("x", "y");
        assertFails(ExitStatus.PARTIAL, put.replace("put ", "put -f "))
                .hasMessage("1 could not be put, see above; 2 are done");
        assertFails(ExitStatus.PARTIAL, "nfs:put -f " + local + "/x " + local + "/missing a:/d")
                .hasMessage("1 could not be put, see above; 1 are done");
    }

    @Test
    void shouldSayThatADirectoryIsMissing() throws Exception {
        write(local.resolve("x"), 10);
        write(local.resolve("y"), 20);
        String missing = "a:/new: no such file or directory";

        assertFails(ExitStatus.NOT_FOUND, "nfs:put " + local + "/x a:/new/").hasMessage(missing);
        assertFails(ExitStatus.NOT_FOUND, "nfs:put " + local + "/x " + local + "/y a:/new/")
                .hasMessage(missing);
        write(served.resolve("z"), 1);
        assertFails(ExitStatus.FAILED, "nfs:put " + local + "/x " + local + "/y " + "a:/z")
                .hasMessage("a:/z: is no directory, which several sources need");
    }

    @Test
    void shouldCopyThroughPipes() throws Exception {
        write(served.resolve("x"), 3_000_000);

        assertThat(shell.run("nfs:get a:/x - | nfs:put - a:/y")).startsWith("put 1 file, 3000000 octets");
        assertThat(shell.run("echo abc | nfs:put -q - a:/z")).isEmpty();

        assertThat(Files.mismatch(served.resolve("x"), served.resolve("y"))).isEqualTo(-1);
        assertThat(served.resolve("z")).hasContent("abc\n");
        assertThat(names(served)).containsExactly("x", "y", "z");
        assertFails(ExitStatus.FAILED, "echo abc | nfs:put - a:/").hasMessageContaining("needs a name");
        assertFails(ExitStatus.USAGE, "nfs:put - /x a:/z").hasMessageContaining("takes - alone");
        assertFails(ExitStatus.USAGE, "nfs:put --resume - a:/z").hasMessageContaining("cannot do --resume");
        assertFails(ExitStatus.USAGE, "nfs:get --verify a:/x -").hasMessageContaining("cannot do --verify");
    }

    @Test
    void shouldCopyBetweenMountsAndWithinOne() throws Exception {
        host.mount("b");
        write(served.resolve("x"), 10);

        assertThat(shell.run("nfs:cp a:/x a:/y; nfs:cp --verify a:/x b:/z")).contains("copied 1 file, 10 octets");
        assertThat(names(served)).containsExactly("x", "y", "z");
        assertFails(ExitStatus.FAILED, "nfs:cp a:/x b:/x").hasMessage("a:/x and b:/x are the same file");
        assertFails(ExitStatus.USAGE, "nfs:cp a:/x").hasMessageContaining("nfs:cp wants");
        assertFails(ExitStatus.USAGE, "nfs:cp a:/x /tmp/y").hasMessageContaining("is no remote path");
    }

    @Test
    void shouldSynchronise() throws Exception {
        write(local.resolve("tree/x"), 10);
        write(served.resolve("copy/old"), 10);

        assertThat(shell.run("nfs:sync --delete " + local + "/tree a:/copy"))
                .matches("synchronised 1 file, 10 octets, .*; removed 1\n");
        assertThat(names(served.resolve("copy"))).containsExactly("x");
        assertFails(ExitStatus.USAGE, "nfs:sync /tmp /var").hasMessageContaining("is on a mount");
        assertFails(ExitStatus.NOT_FOUND, "nfs:sync a:/none /var").hasMessage("a:/none: no such file or directory");
    }

    @Test
    void shouldFilterByName() throws Exception {
        for (String name : new String[] {"a.txt", "b.txt", "c.bin"}) {
            write(local.resolve("tree").resolve(name), 10);
        }
        shell.run("nfs:put -q -r --include '*.txt' --include '*.doc' --exclude 'b*' " + local + "/tree a:/");
        assertThat(names(served.resolve("tree"))).containsExactly("a.txt");
    }

    @Test
    void shouldKeepAllBitsAndTimesWhereAskedTo() throws Exception {
        write(local.resolve("x"), 10);
        Files.setAttribute(local.resolve("x"), "unix:mode", 0_1640);
        FileTime accessed = FileTime.from(Instant.parse("2001-02-03T04:05:06Z"));
        Files.setAttribute(local.resolve("x"), "lastAccessTime", accessed);

        shell.run("nfs:put -q -p " + local + "/x a:/; nfs:get -q -p a:/x " + local + "/back");

        assertThat((int) Files.getAttribute(served.resolve("x"), "unix:mode") & 0_7777)
                .isEqualTo(0_1640);
        assertThat((int) Files.getAttribute(local.resolve("back"), "unix:mode") & 0_7777)
                .isEqualTo(0_1640);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--jobs 0|--jobs 0: it is a number from 1 to 64",
                "--jobs x|--jobs x: it is a number from 1 to 64",
                "--limit 0|--limit 0: it is a number of octets a second, as 500k, 10M or 1G, in multiples of 1000",
                "--limit 18446744074G|--limit 18446744074G: it is a number of octets a second",
                "--limit 10X|--limit 10X: it is a number of octets a second, as 500k, 10M or 1G, in multiples of 1000",
                "--include '[a'|is no pattern: it has a"
            })
    void shouldRefuseOptionsThatMakeNoSense(String option, String message) {
        assertFails(ExitStatus.USAGE, "nfs:put " + option + " /etc/hostname a:/")
                .hasMessageContaining(message);
    }

    /** Interrupts the command as Ctrl-C does. The shell runs commands on its own threads. */
    private static void interruptTheCommand() {
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            if (Arrays.stream(frames)
                    .anyMatch(frame -> frame.getClassName().equals(WORKERS)
                            && frame.getMethodName().equals("run"))) {
                thread.interrupt();
            }
        });
    }

    /**
     * Runs a command, and interrupts it in the middle of a large file. Asserts on the failure that ended the command.
     */
    private AbstractThrowableAssert<?, ? extends Throwable> assertInterrupted(String operation, String command)
            throws Exception {
        CountDownLatch moving = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        mount.hook((which, path, position) -> {
            if (which.equals(operation) && position >= 5 << 20) {
                moving.countDown();
                awaitOrFail(never);
                throw new IOException("asked for in vain");
            }
        });
        FutureTask<String> running = new FutureTask<>(() -> shell.run(command));
        new Thread(running).start();
        assertThat(moving.await(20, TimeUnit.SECONDS))
                .as(() -> running.isDone() ? "" + running : "")
                .isTrue();

        interruptTheCommand();
        never.countDown();

        AbstractThrowableAssert<?, ? extends Throwable> cause = assertThatThrownBy(
                        () -> running.get(30, TimeUnit.SECONDS))
                .cause()
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(ExitStatus.INTERRUPTED));
        assertNoThreadIsLeft();
        mount.hook((which, path, position) -> {});
        return cause;
    }

    @Test
    void shouldLeaveNothingAtAnInterruptionAndSayHowToGoOn() throws Exception {
        write(local.resolve("it's"), 10 << 20);

        assertInterrupted("write", "nfs:put -r --limit 100M " + local + "/it\\'s a:/")
                .hasMessage("interrupted after 0 of 1 files; to go on: nfs:put --resume --limit 100M -r " + local
                        + "/it\\'s a:/");

        assertThat(served).isEmptyDirectory();
    }

    /** The same command would copy into the directory that it has created, under another name. */
    @Test
    void shouldGoOnWithASynchronisationWhereTheTargetWasMade() throws Exception {
        write(served.resolve("tree/deep/large"), 10 << 20);
        write(served.resolve("tree/small"), 10);
        String goOn = "nfs:sync --resume -q --exclude \\*.bak a:/tree " + local + "/new";

        assertInterrupted("read", "nfs:get -q -r --exclude '*.bak' a:/tree " + local + "/new")
                .hasMessageMatching("interrupted after [01] of 2 files; to go on: " + Pattern.quote(goOn));
        assertThat(local.resolve("new/deep")).isEmptyDirectory();
        shell.run(goOn);

        assertThat(names(local.resolve("new"))).containsExactly("deep", "small");
        assertThat(names(local.resolve("new/deep"))).containsExactly("large");
        assertThat(Files.mismatch(served.resolve("tree/deep/large"), local.resolve("new/deep/large")))
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({"'', true", "--resume, false"})
    void shouldEndWithTheBundleAndSayWhy(String option, boolean isTidy) throws Exception {
        write(served.resolve("file"), 20 << 20);
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        mount.hook((operation, path, position) -> {
            if (operation.equals("read") && position >= 5 << 20) {
                reading.countDown();
                awaitOrFail(never);
            }
        });
        FutureTask<String> get = new FutureTask<>(() -> shell.run("nfs:get " + option + " a:/file " + local));
        Thread thread = new Thread(get);
        thread.start();
        assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
        mount.hook((operation, path, position) -> {});

        host.stopBundle();

        assertThat(names(local).isEmpty()).as("when the stop has returned").isEqualTo(isTidy);
        never.countDown();
        assertThatThrownBy(() -> get.get(20, TimeUnit.SECONDS))
                .cause()
                .hasMessage("the shell's bundle was stopped after 0 of 1 files; to go on: nfs:get --resume a:/file "
                        + local)
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(ExitStatus.INTERRUPTED));
        assertNoThreadIsLeft();
        mount.hook((operation, path, position) -> {});
        assertFails(ExitStatus.INTERRUPTED, "nfs:get a:/file " + local)
                .hasMessageStartingWith("the shell's bundle was stopped before anything was got");
    }

    @Test
    void shouldEndWithTheEngineAndSayWhatIsMissingThen() throws Exception {
        write(served.resolve("file"), 20 << 20);
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        mount.hook((operation, path, position) -> {
            if (operation.equals("read") && position >= 5 << 20) {
                reading.countDown();
                awaitOrFail(never);
            }
        });
        FutureTask<String> get = new FutureTask<>(() -> shell.run("nfs:get a:/file " + local));
        new Thread(get).start();
        assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
        mount.hook((operation, path, position) -> {});

        host.stopEngine();

        assertThat(local).isEmptyDirectory();
        assertThatThrownBy(() -> get.get(20, TimeUnit.SECONDS))
                .cause()
                .hasMessage(
                        "the copy engine was stopped after 0 of 1 files; to go on: nfs:get --resume a:/file " + local)
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(ExitStatus.INTERRUPTED));
        assertFails(ExitStatus.NO_CONNECTION, "nfs:get a:/file " + local)
                .hasMessageEndingWith("is the bundle io.verbena.nfs.transfer started?");
        assertThat(shell.run("nfs:ls a:/")).isEqualTo("file\n");
    }

    @ParameterizedTest
    @CsvSource({"nfs:put %s/file a:/file, false", "nfs:put %s/file a:/file, true", "echo abc | nfs:put - a:/file, false"
    })
    void shouldNameTheTemporaryFileThatItHasToLeaveAndRemoveItNextTime(String command, boolean isReplaced)
            throws Exception {
        write(local.resolve("file"), 2 << 20);
        host.mounts().unmount("a");
        DirectoryMount brief = host.mount("a", "swapTimeout=1");
        brief.hook((operation, path, position) -> {
            if (operation.equals("write")) {
                host.takeAway("a");
                throw new MountReplacedException("a", true);
            }
        });

        Throwable failure = catchThrowable(() -> shell.run(command.replace("%s", local.toString())));

        assertThat(names(served)).singleElement().satisfies(name -> assertThat(failure)
                .hasMessageContaining("; left there: a:/" + name + ": remove it when its server is back"));
        Path left = served.resolve(names(served).get(0));
        host.comeBack("a");
        if (isReplaced) {
            Files.move(left, served.resolve("kept")); // so that the file id is not reused
            Files.writeString(left, "somebody else's");
        }
        shell.run("nfs:put " + local + "/file a:/other");
        assertThat(left).exists();
        shell.run("nfs:put " + local + "/file a:/file");
        assertThat(Files.exists(left)).isEqualTo(isReplaced);
    }
}
