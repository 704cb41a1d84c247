package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.verbena.cli.Shell;
import io.verbena.nfs.MountState;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionTest {
    @TempDir
    Path served;

    private TestHost host;
    private Shell shell;
    private DirectoryMount mount;

    @BeforeEach
    void start() throws Exception {
        host = new TestHost(served);
        Providers providers = new Providers();
        providers.addProvider(Map.of(Providers.NAME, "other"));
        shell = new Shell(Mounts.class, host.mounts(), host.exports(), providers);
        mount = host.mount("docs");
        Files.createDirectories(served.resolve("dir/below"));
        Files.writeString(served.resolve("file"), "");
    }

    @AfterEach
    void stop() {
        shell.close();
        host.close();
    }

    private List<String> complete(String... words) {
        return shell.complete(words);
    }

    @Test
    void shouldCompleteMountsThenTheirPaths() {
        assertThat(complete("nfs:ls", "do")).contains("docs:/");
        assertThat(complete("nfs:ls", "docs:/")).containsExactlyInAnyOrder("docs:/dir/", "docs:/file");
        assertThat(complete("nfs:ls", "docs:/di")).contains("docs:/dir/");
        assertThat(complete("nfs:ls", "docs:/dir/")).containsExactly("docs:/dir/below/");
        assertThat(complete("nfs:ls", "docs:/none/")).isEmpty();
    }

    @Test
    void shouldNotMakeCommandsOfNamesThatAServerLists() throws Exception {
        for (String name : List.of("a;b|c", "a b", "$x", "`x`", "a\nb", "it's", "a\"b", "{x}", "a\\b", "*")) {
            Files.writeString(served.resolve("dir").resolve(name), "");
        }
        Files.writeString(served.resolve("dir/größe-1.txt"), "");

        assertThat(complete("nfs:ls", "docs:/dir/"))
                .containsExactlyInAnyOrder(
                        "docs:/dir/below/",
                        "docs:/dir/größe-1.txt",
                        "docs:/dir/a\\\\\\\\b",
                        "docs:/dir/a\\\\x0Ab",
                        "docs:/dir/a\\;b\\|c",
                        "docs:/dir/a\\ b",
                        "docs:/dir/\\$x",
                        "docs:/dir/\\`x\\`",
                        "docs:/dir/it\\'s",
                        "docs:/dir/a\\\"b",
                        "docs:/dir/\\{x\\}",
                        "docs:/dir/\\*");
    }

    @Test
    void shouldCompleteRemoteAndLocalPathsWhereEitherMayStand() {
        String local = served + "/";

        assertThat(complete("nfs:put", local)).contains(local + "dir/", local + "file");
        assertThat(complete("nfs:put", local + "file", "docs:/")).contains("docs:/dir/");
        assertThat(complete("nfs:get", "docs:/")).contains("docs:/file");
        assertThat(complete("nfs:export", local)).contains(local + "dir/");
    }

    @Test
    void shouldCompleteNamesAndOptions() {
        assertThat(complete("nfs:unmount", "")).containsExactly("docs");
        assertThat(complete("rdma:reconnect", "")).contains("docs");
        assertThat(complete("nfs:mount", "-o", "soft,p")).contains("soft,port=", "soft,hard", "soft,proto=");
    }

    @Test
    void shouldCompleteValuesOfOptions() {
        assertThat(complete("nfs:mount", "-o", "soft,provider=n"))
                .containsExactly(
                        "soft,provider=auto", "soft,provider=native", "soft,provider=iwarp", "soft,provider=other");
        assertThat(complete("nfs:mount", "-o", "rpcrdma=")).containsExactly("rpcrdma=auto", "rpcrdma=1", "rpcrdma=2");
        assertThat(complete("nfs:mount", "-o", "port=")).isEmpty();
        assertThat(complete("nfs:export", "--provider", "")).containsExactly("auto", "native", "iwarp", "other");
    }

    @Test
    void shouldCompletePathsSeenFromTheCurrentDirectory() throws Exception {
        Files.writeString(served.resolve("dir/inside"), "");
        shell.inSession("nfs:cd docs:/dir", session -> {
            assertThat(shell.complete(session, "nfs:ls", "")).containsExactlyInAnyOrder("docs:/", "below/", "inside");
            assertThat(shell.complete(session, "nfs:ls", "in")).contains("inside");
            assertThat(shell.complete(session, "nfs:ls", "../f")).containsExactly("../file");
            assertThat(shell.complete(session, "nfs:ls", "/di")).containsExactly("/dir/");
            assertThat(shell.complete(session, "nfs:get", ":")).containsExactlyInAnyOrder(":below/", ":inside");
            assertThat(shell.complete(session, "nfs:get", ":../")).contains(":../file");
        });
    }

    @Test
    void shouldStayShortInALargeDirectory() throws Exception {
        for (int i = 0; i < 1_500; i++) {
            Files.createFile(served.resolve("dir/f" + i));
        }

        assertThat(complete("nfs:ls", "docs:/dir/"))
                .hasSize(1_001)
                .last()
                .isEqualTo("docs:/dir/"); // reports that there are more, and adds nothing to the typed text
        assertThat(complete("nfs:ls", "docs:/dir/F149")).hasSize(11).doesNotContain("docs:/dir/F149");
    }

    @Test
    void shouldNotWaitLongForAServer() {
        CountDownLatch answered = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        mount.hook((operation, path, position) -> {
            if (operation.equals("next")) {
                try {
                    answered.await();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                    throw new InterruptedIOException();
                }
            }
        });

        assertThat(complete("nfs:ls", "docs:/")).isEmpty();
        assertThatCode(() -> assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue())
                .doesNotThrowAnyException();
    }

    @Test
    void shouldReadOnWhereADirectoryTakesLonger() throws Exception {
        Files.writeString(served.resolve("dir/late"), "");
        CountDownLatch answered = new CountDownLatch(1);
        AtomicInteger readings = new AtomicInteger();
        mount.hook((operation, path, position) -> {
            if (operation.equals("list")) {
                readings.incrementAndGet();
            }
            if (operation.equals("next")) {
                awaitUninterrupted(answered);
            }
        });

        assertThat(complete("nfs:ls", "docs:/dir/la")).isEmpty();
        answered.countDown();

        assertThat(complete("nfs:ls", "docs:/dir/la")).contains("docs:/dir/late");
        assertThat(readings).hasValue(1);
    }

    private static void awaitUninterrupted(CountDownLatch latch) throws InterruptedIOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    @Test
    void shouldSeeWhatWasMadeSince() throws Exception {
        assertThat(complete("nfs:ls", "docs:/dir/")).containsExactly("docs:/dir/below/");

        Files.writeString(served.resolve("dir/new"), "");

        assertThat(complete("nfs:ls", "docs:/dir/")).containsExactlyInAnyOrder("docs:/dir/below/", "docs:/dir/new");
    }

    @Test
    void shouldNotWaitForAMountThatCannotBeReached() {
        mount.state(MountState.RECOVERING);
        mount.hook((operation, path, position) -> {
            throw new AssertionError("asked the server");
        });

        assertThat(complete("nfs:ls", "docs:/")).isEmpty();
    }
}
