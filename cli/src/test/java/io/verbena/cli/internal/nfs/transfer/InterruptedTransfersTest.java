package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.cli.ExitStatus;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transfers that are ended before they are done: what they leave, what they say, and how they go on. */
class InterruptedTransfersTest extends TransferCase {
    /** The class whose thread waits for a copy. */
    private static final String WORKERS = "io.verbena.nfs.transfer.internal.engine.Workers";

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
            if (which.equals(operation) && position >= 8 << 20) {
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

        AbstractThrowableAssert<?, ? extends Throwable> cause = assertThatThrownBy(
                        () -> running.get(30, TimeUnit.SECONDS))
                .cause()
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(ExitStatus.INTERRUPTED));
        never.countDown(); // not before, as the file would fail by the hook and not by the interruption
        assertNoThreadIsLeft();
        mount.hook((which, path, position) -> {});
        return cause;
    }

    @Test
    void shouldSayAtAnInterruptionHowToGoOnAndGoOnThen() throws Exception {
        write(local.resolve("it's"), 10 << 20);
        Path log = local.resolve("log");
        String goOn = "nfs:put --resume --bwlimit 100M --log-file " + log + " --max-size 1G --retries 2 -r " + local
                + "/it\\'s a:/";

        assertInterrupted(
                        "write",
                        "nfs:put -r --limit 100M --retries 2 --max-size 1G --log-file " + log + " " + local
                                + "/it\\'s a:/")
                .hasMessage("interrupted after 0 of 1 files; to go on: " + goOn);
        assertThat(names(served)).singleElement().asString().matches("\\.verbena-[0-9a-f]{16}\\.part");
        String printed = shell.run(goOn);

        Matcher kept = Pattern.compile("put 1 file, ([0-9]+) octets, .*; kept ([0-9]+) octets that were there\n")
                .matcher(printed);
        assertThat(kept.matches()).as(printed).isTrue();
        assertThat(Long.parseLong(kept.group(1)) + Long.parseLong(kept.group(2)))
                .isEqualTo(10 << 20);
        assertThat(Long.parseLong(kept.group(2))).isGreaterThanOrEqualTo(1 << 20);
        assertThat(Files.mismatch(local.resolve("it's"), served.resolve("it's")))
                .isEqualTo(-1);
        assertThat(log)
                .content()
                .contains(" ended: interrupted after 0 of 1 files", " copy " + local + "/it's to a:/it's\n");
    }

    @Test
    void shouldGoOnWithAGetOfWhichNothingWasSaidToBeResumed() throws Exception {
        write(served.resolve("file"), 10 << 20);
        String goOn = "nfs:get --resume a:/file " + local;

        assertInterrupted("read", "nfs:get a:/file " + local)
                .hasMessage("interrupted after 0 of 1 files; to go on: " + goOn);

        assertThat(shell.run(goOn)).containsPattern("kept [0-9]+ octets that were there");
        assertThat(names(local)).containsExactly("file");
        assertThat(Files.mismatch(served.resolve("file"), local.resolve("file")))
                .isEqualTo(-1);
    }

    /** The same command would copy into the directory that it has created, under another name. */
    @Test
    void shouldGoOnWithASynchronisationWhereTheTargetWasMade() throws Exception {
        write(served.resolve("tree/deep/large"), 10 << 20);
        write(served.resolve("tree/small"), 10);
        String goOn = "nfs:sync --resume --exclude \\*.bak -q a:/tree " + local + "/new";

        assertInterrupted("read", "nfs:get -q -r --exclude '*.bak' a:/tree " + local + "/new")
                .hasMessageMatching("interrupted after [01] of 2 files; to go on: " + Pattern.quote(goOn));
        assertThat(names(local.resolve("new/deep"))).isNotEmpty().allMatch(InterruptedTransfersTest::isKept);
        shell.run(goOn);

        assertThat(names(local.resolve("new"))).containsExactly("deep", "small");
        assertThat(names(local.resolve("new/deep"))).containsExactly("large");
        assertThat(Files.mismatch(served.resolve("tree/deep/large"), local.resolve("new/deep/large")))
                .isEqualTo(-1);
    }

    private static boolean isKept(String name) {
        return name.matches("\\.verbena-[0-9a-f]{16}\\.(part|sums)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--resume"})
    void shouldEndWithTheBundleAndSayWhy(String option) throws Exception {
        write(served.resolve("file"), 20 << 20);
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        mount.hook((operation, path, position) -> {
            if (operation.equals("read") && position >= 8 << 20) {
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

        assertThat(names(local))
                .as("when the stop has returned")
                .isNotEmpty()
                .allMatch(InterruptedTransfersTest::isKept);
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
            if (operation.equals("read") && position >= 8 << 20) {
                reading.countDown();
                awaitOrFail(never);
            }
        });
        FutureTask<String> get = new FutureTask<>(() -> shell.run("nfs:get a:/file " + local));
        new Thread(get).start();
        assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
        mount.hook((operation, path, position) -> {});

        host.stopEngine();

        assertThat(names(local)).isNotEmpty().allMatch(InterruptedTransfersTest::isKept);
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
