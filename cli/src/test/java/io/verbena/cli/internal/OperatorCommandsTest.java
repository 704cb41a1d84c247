package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Shell;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.json.Json;
import javax.json.JsonObject;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands that show and measure mounts. */
@Timeout(60)
class OperatorCommandsTest {
    @TempDir
    Path served;

    private TestHost host;
    private Shell shell;

    @BeforeEach
    void start() throws Exception {
        host = new TestHost(served);
        shell = new Shell(Mounts.class, host.mounts(), host.exports(), new Providers());
        host.mount("docs");
    }

    @AfterEach
    void stop() {
        shell.close();
        host.close();
    }

    private JsonObject json(String command) throws Exception {
        return Json.createReader(new StringReader(shell.run(command))).readObject();
    }

    private static void assertUsage(Throwable failure) {
        assertThat(((CommandFailure) failure).status()).isEqualTo(ExitStatus.USAGE);
    }

    @Test
    void shouldShowWhatAMountDoes() throws Exception {
        assertThat(shell.run("nfs:stat-mount docs"))
                .contains("docs server:/export, mounted; 10.0 s since 2026-01-01T00:00:00Z")
                .contains("slots: 3 of 64 in use, 1 waiting", "open files: 2")
                .containsPattern("READ +. +10 +. +1 +. +1 +.")
                .contains("total");
        JsonObject object = json("nfs:stat-mount --json docs");
        assertThat(object.getInt("slotsWaiting")).isEqualTo(1);
        assertThat(object.getJsonArray("operations").getJsonObject(0).getInt("sentOctets"))
                .isEqualTo(4_000); // the second measurement
    }

    @Test
    void shouldShowWhatHasComeInEachInterval() throws Exception {
        String[] looks = shell.run("nfs:stat-mount --json docs 0.01 3").split("\n");

        assertThat(looks).hasSize(3);
        JsonObject last = Json.createReader(new StringReader(looks[2])).readObject();
        assertThat(last.getString("since")).isEqualTo("2026-01-01T00:00:20Z");
        assertThat(last.getJsonArray("operations")).hasSize(1); // no further WRITE was sent
        assertThat(last.getJsonArray("operations").getJsonObject(0).getInt("count"))
                .isEqualTo(10);
        assertThat(last.getInt("reconnects")).isEqualTo(1);
    }

    @Test
    void shouldRefuseIntervalsThatMakeNoSense() {
        for (String bad : new String[] {"0", "x", "-1", "1 0", "1 x", "100000"}) {
            assertThatThrownBy(() -> shell.run("nfs:stat-mount docs " + bad))
                    .as(bad)
                    .isInstanceOf(CommandException.class);
        }
        assertThatThrownBy(() -> shell.run("nfs:stat-mount docs 0"))
                .satisfies(OperatorCommandsTest::assertUsage)
                .hasMessage("INTERVAL 0: it is a number of seconds, from 0.001 to 86400");
    }

    @Test
    void shouldExplain() throws Exception {
        Files.writeString(served.resolve("file"), "x");

        assertThat(shell.run("nfs:explain docs:/file")).contains("read", "Write chunk", "READ of /file");
        assertThat(shell.run("nfs:explain docs /file")).contains("READ of /file");
        assertThat(shell.run("nfs:cd docs:/; nfs:explain :file")).contains("READ of /file");
        assertThat(shell.run("nfs:explain --json docs")).contains("\"reason\":\"READ of /\"");
        assertThatThrownBy(() -> shell.run("nfs:explain docs:/nothing"))
                .hasMessage("docs:/nothing: no such file or directory");
    }

    @Test
    void shouldMeasureAndLeaveNothingBehind() throws Exception {
        assertThat(shell.run("nfs:bench --size 100K --block 10K --threads 2 --files 5 docs"))
                .containsPattern("write +[0-9.]+ MB/s +[0-9]+ operations/s +mean ")
                .contains("read ", "create ", "stat ", "remove ");
        JsonObject object = json("nfs:bench --json --size 100K --block 10K --threads 2 --files 5 docs");
        JsonObject write = object.getJsonArray("phases").getJsonObject(0);
        assertThat(write.getInt("octets")).isEqualTo(100 << 10);
        assertThat(write.getInt("operations")).isEqualTo(10);
        assertThat(write.getJsonObject("times").getInt("count")).isEqualTo(10);
        assertThat(shell.run("nfs:cd docs:/; nfs:bench --size 10K :")).contains("remove ");
        assertEmpty();
    }

    @Test
    void shouldLeaveNothingBehindWhenSomethingFails() throws Exception {
        DirectoryMount mount = host.replace("docs");
        mount.hook((operation, path, position) -> {
            if (operation.equals("read")) {
                throw new IOException("no more of it");
            }
        });

        assertThatThrownBy(() -> shell.run("nfs:bench --size 100K docs")).hasMessageContaining("no more of it");
        assertEmpty();
    }

    @Test
    void shouldLeaveNothingBehindWhenInterrupted() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        AtomicReference<Thread> command = new AtomicReference<>();
        host.replace("docs").hook((operation, path, position) -> {
            if (operation.equals("createDirectory")) {
                command.set(Thread.currentThread());
            } else if (operation.equals("write")) {
                writing.countDown();
            }
        });
        CompletableFuture<ExitStatus> ended = CompletableFuture.supplyAsync(() -> {
            try {
                shell.run("nfs:bench --size 1000G --block 512 docs");
                return ExitStatus.OK;
            } catch (Exception e) {
                return ExitStatus.of(e);
            }
        });
        assertThat(writing.await(20, TimeUnit.SECONDS)).isTrue();
        command.get().interrupt();
        assertThat(ended.get(40, TimeUnit.SECONDS)).isEqualTo(ExitStatus.INTERRUPTED);
        assertEmpty();
    }

    private void assertEmpty() throws IOException {
        try (Stream<Path> left = Files.list(served)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void shouldRefuseSizesThatMakeNoSense() {
        assertThatThrownBy(() -> shell.run("nfs:bench --block 1 docs"))
                .satisfies(OperatorCommandsTest::assertUsage)
                .hasMessage("--block takes a number from 512 to 67108864, as 64K or 1M, not '1'");
    }
}
