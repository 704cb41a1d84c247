package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.ExitStatus;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests nfs:head and nfs:tail, as a user types them. */
class ExcerptCommandsTest extends ShellTest {
    private static final int LINES = 100_000;

    private DirectoryMount mount;

    @BeforeEach
    void mount() throws Exception {
        mount = host.mount("a");
        Files.writeString(served.resolve("short"), "1\n2\n3");
        Files.writeString(served.resolve("empty"), "");
    }

    private static String lines(int first, int last) {
        return IntStream.rangeClosed(first, last).mapToObj(i -> i + "\n").collect(Collectors.joining());
    }

    @Test
    void shouldPrintTheBeginning() throws Exception {
        Files.writeString(served.resolve("long"), lines(1, LINES));

        assertThat(shell.run("nfs:head a:/long")).isEqualTo(lines(1, 10));
        assertThat(shell.run("nfs:head -n 60000 a:/long")).isEqualTo(lines(1, 60_000));
        assertThat(shell.run("nfs:head -n 2 a:/short")).isEqualTo("1\n2\n");
        assertThat(shell.run("nfs:head -n 9 a:/short a:/empty"))
                .isEqualTo("==> a:/short <==\n1\n2\n3\n==> a:/empty <==\n");
        assertThat(shell.run("nfs:head -n 0 a:/short")).isEmpty();
        assertThat(shell.run("nfs:head -c 3 a:/short")).isEqualTo("1\n2");
        assertThat(shell.run("nfs:head -c 400K a:/long")).hasSize(400 << 10);
        assertFails(ExitStatus.USAGE, "nfs:head -n x a:/short").hasMessage("-n x: it is a whole number");
        assertFails(ExitStatus.NOT_FOUND, "nfs:head a:/none").hasMessage("a:/none: no such file or directory");
    }

    @Test
    void shouldReadNoMoreThanItTakes() throws Exception {
        Files.writeString(served.resolve("long"), lines(1, LINES));
        AtomicInteger reads = new AtomicInteger();
        mount.hook((operation, path, position) -> reads.addAndGet(operation.equals("read") ? 1 : 0));

        shell.run("nfs:head a:/long; nfs:tail a:/long");

        assertThat(reads).hasValueLessThanOrEqualTo(3);
    }

    @Test
    void shouldPrintTheEnd() throws Exception {
        Files.writeString(served.resolve("long"), lines(1, LINES));

        assertThat(shell.run("nfs:tail a:/long")).isEqualTo(lines(LINES - 9, LINES));
        assertThat(shell.run("nfs:tail -n 60000 a:/long")).isEqualTo(lines(LINES - 59_999, LINES));
        assertThat(shell.run("nfs:tail -n 200000 a:/long")).hasSize((int) Files.size(served.resolve("long")));
        assertThat(shell.run("nfs:tail -n 1 a:/short")).isEqualTo("3");
        assertThat(shell.run("nfs:tail -n 2 a:/short")).isEqualTo("2\n3");
        assertThat(shell.run("nfs:tail -n 0 a:/short")).isEmpty();
        assertThat(shell.run("nfs:tail -c 2 a:/short")).isEqualTo("\n3");
        assertThat(shell.run("nfs:tail -c 99 a:/short a:/empty"))
                .isEqualTo("==> a:/short <==\n1\n2\n3\n==> a:/empty <==\n");
        assertFails("nfs:tail a:/").hasMessage("a:/: is a directory");
        assertFails(ExitStatus.USAGE, "nfs:tail -f a:/short a:/empty").hasMessageContaining("follows one file");
    }

    @Test
    void shouldPassOctetsOnAsTheyAre() throws Exception {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        Files.write(served.resolve("all"), all);

        assertThat(shell.runRaw("nfs:cat a:/all")).isEqualTo(all);
        assertThat(shell.runRaw("nfs:head -c 256 a:/all")).isEqualTo(all);
        assertThat(shell.runRaw("nfs:tail -c 256 a:/all")).isEqualTo(all);
        assertThat(shell.run("nfs:cat a:/short | grep 2")).hasLineCount(1).contains("2");
        assertThat(shell.run("nfs:ls a:/ | wc -l")).contains("3");
    }

    /** Sets the changes of the file at each look. The look after the last change ends the command. */
    private void onLooks(Step... steps) {
        Queue<Step> left = new ArrayDeque<>(java.util.List.of(steps));
        AtomicInteger looks = new AtomicInteger();
        host.hook((operation, path, position) -> {
            if (operation.equals("attributes") && path.equals("/log") && looks.getAndIncrement() > 1) {
                if (left.isEmpty()) {
                    throw new IOException("enough");
                }
                left.remove().run();
            }
        });
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    @Test
    void shouldFollowWhatIsAddedThroughAllThatMayHappen() throws Exception {
        host.hook((operation, path, position) -> {});
        var log = Files.writeString(served.resolve("log"), "one\n");
        onLooks(
                () -> {},
                () -> Files.writeString(log, "two\n", StandardOpenOption.APPEND),
                () -> Files.writeString(log, "3\n"),
                () -> Files.delete(log),
                () -> Files.writeString(served.resolve("kept"), "so that the number of the file is not used again"),
                () -> Files.writeString(log, "four\n"),
                () -> {
                    host.replace("b");
                    throw new MountReplacedException("b", false);
                },
                () -> Files.writeString(log, "five\n", StandardOpenOption.APPEND));
        host.mount("b");

        String printed = shell.runUntilFailure("nfs:tail -s 0.001 -f b:/log");

        assertThat(printed)
                .startsWith("one\n")
                .contains("two\nnfs:tail: b:/log was truncated, from its beginning\n3\n")
                .contains("nfs:tail: b:/log has gone, and is waited for\n")
                .containsPattern("four\nfive\nb:/log: enough\n$");
    }

    /** Follows a file until the expected text is on the screen, or until a timeout. */
    private String screenThat(String commands, String expected) throws Exception {
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        AtomicReference<String> seen = new AtomicReference<>();
        host.hook((operation, path, position) -> {
            seen.set(screen.toString(StandardCharsets.UTF_8));
            if (seen.get().contains(expected) || System.nanoTime() - deadline > 0) {
                Thread.currentThread().interrupt();
            }
        });
        host.mount("b");
        shell.runOnTerminal(commands, InputStream.nullInputStream(), screen);
        return seen.get();
    }

    @Test
    void shouldShowWhatItFollowsBeforeItEnds() throws Exception {
        Files.writeString(served.resolve("log"), "one\ntwo\n");

        assertThat(screenThat("nfs:tail -s 0.001 -f b:/log", "two")).isEqualTo("one\ntwo\n");
    }

    @Test
    void shouldShowWhatAPipeMakesOfWhatItFollowsBeforeItEnds() throws Exception {
        Files.writeString(served.resolve("log"), "one\ntwo\n");

        // The shell's grep prints a line only when the next line that does not match arrives.
        assertThat(screenThat("nfs:tail -s 0.001 -f b:/log | grep --color=never one", "one"))
                .isEqualTo("one\n");
    }

    @Test
    void shouldEndWithoutAFailureWhereItIsInterrupted() throws Exception {
        Files.writeString(served.resolve("log"), "one\n");
        onLooks(() -> {}, () -> Thread.currentThread().interrupt());
        host.mount("b");

        assertThat(shell.run("nfs:tail -s 0.001 -f b:/log")).isEqualTo("one\n");
    }
}
