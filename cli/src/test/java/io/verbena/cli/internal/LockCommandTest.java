package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.ExitStatus;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests nfs:lock, as a user types it. */
class LockCommandTest extends ShellTest {
    private static final String HELD = "nfs:lock a:/f { ";

    private DirectoryMount mount;

    @BeforeEach
    void mount() throws Exception {
        mount = host.mount("a");
        Files.writeString(served.resolve("x"), "content");
    }

    @Test
    void shouldHoldALockWhileCommandsRun() throws Exception {
        assertThat(shell.run(HELD + "nfs:cat a:/x ; nfs:cat a:/x }")).isEqualTo("contentcontent");
        assertThat(served.resolve("f")).isEmptyFile();
        assertFails(ExitStatus.FAILED, HELD + "nfs:lock --wait 0 a:/f { nfs:rm a:/x } }")
                .hasMessageStartingWith("a:/f: somebody else holds a lock");
        assertThat(served.resolve("x")).exists();
        assertThat(shell.run(HELD + "nfs:cat a:/x }")).isEqualTo("content");
    }

    @Test
    void shouldReleaseItWhereCommandsFail() throws Exception {
        assertFails(ExitStatus.NOT_FOUND, HELD + "nfs:cat a:/none }").hasMessage("a:/none: no such file or directory");
        assertThat(shell.run("nfs:lock --wait 0 a:/f { nfs:cat a:/x }")).isEqualTo("content");
    }

    @Test
    void shouldShareLocksAndTellRangesApart() throws Exception {
        Files.writeString(served.resolve("f"), "");

        assertThat(shell.run("nfs:lock --shared a:/f { nfs:lock --shared --wait 0 a:/f { nfs:cat a:/x } }"))
                .isEqualTo("content");
        assertThat(shell.run("nfs:lock --range 0-9 a:/f { nfs:lock --wait 0 --range 10- a:/f { nfs:cat a:/x } }"))
                .isEqualTo("content");
        assertFails("nfs:lock --range 0-10 a:/f { nfs:lock --wait 0.01 --range 10- a:/f { nfs:cat a:/x } }")
                .hasMessage("a:/f: somebody else holds a lock, and still after 0.01 s");
        assertFails("nfs:lock --shared a:/f { nfs:lock --wait 0 a:/f { nfs:cat a:/x } }");
        for (String range : List.of("x", "5-4", "-5", "")) {
            assertFails(ExitStatus.USAGE, "nfs:lock '--range' '" + range + "' a:/f { }")
                    .hasMessageStartingWith("--range " + range + ": it is the first and the last octet");
        }
    }

    @Test
    void shouldWaitForALock() throws Exception {
        CompletableFuture<Void> held = new CompletableFuture<>();
        CompletableFuture<Void> wanted = new CompletableFuture<>();
        mount.hook((operation, path, position) -> {
            if (operation.equals("read")) {
                held.complete(null);
                wanted.join();
            } else if (operation.equals("lock") && held.isDone()) {
                wanted.complete(null);
            }
        });
        CompletableFuture<String> first = run(HELD + "nfs:cat a:/x }");
        held.get(60, TimeUnit.SECONDS);

        assertThat(shell.run("nfs:lock a:/f { nfs:ls a:/x }")).isEqualTo("a:/x\n");
        assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("content");
    }

    private CompletableFuture<String> run(String command) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return shell.run(command);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void shouldHoldItUntilEnterWithoutCommands() throws Exception {
        assertThat(shell.run("nfs:lock a:/f")).isEqualTo("locked a:/f: ENTER releases it\n");
        assertThat(shell.run("nfs:lock --wait 0 a:/f { nfs:cat a:/x }")).isEqualTo("content");
    }

    @Test
    void shouldShowThatItHoldsItBeforeItWaitsForEnter() throws Exception {
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        AtomicReference<String> seen = new AtomicReference<>();
        InputStream keys = new ByteArrayInputStream(new byte[] {'\n'}) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                seen.set(screen.toString(StandardCharsets.UTF_8));
                return super.read(target, offset, length);
            }
        };

        shell.runOnTerminal("nfs:lock a:/f", keys, screen);

        assertThat(seen).hasValue("locked a:/f: ENTER releases it\n");
    }
}
