package io.verbena.nfs41.client.internal.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.write.SteadyLooks;
import java.io.IOException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations on names see the files with pending writes, and touch no other open file. */
@Timeout(60)
class SharedFileStatesTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final FakeServer server = new FakeServer();
    private final FileHandle restingHandle = FileHandle.of((byte) 1);
    private final FileHandle changingHandle = FileHandle.of((byte) 2);

    private NfsMount mount;
    private SharedFileStates files;
    private SharedFileState resting;
    private SharedFileState changing;

    @BeforeEach
    void open() throws IOException {
        mount = server.mount("");
        NfsFile file = (NfsFile) mount.open("/file", Set.of(StandardOpenOption.WRITE), 0600);
        files = new SharedFileStates(
                file.memory(), () -> 4096, new SteadyLooks(() -> MountSettings.RETRIES.start(() -> 0, () -> 0)));
        resting = files.acquire(restingHandle);
        changing = files.acquire(changingHandle);
    }

    @AfterEach
    void close() throws IOException {
        mount.close();
        server.close();
    }

    private static CompletableFuture<Void> change(SharedFileState file) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<Void> unused = file.writes().exclusively(() -> end);
        return end;
    }

    @Test
    void shouldNotTouchFilesAtRest() {
        CompletableFuture<Void> end = change(changing);
        synchronized (resting.writes()) { // a look at the file would wait here
            assertThat(CompletableFuture.supplyAsync(files::pending)).succeedsWithin(LONG);
            assertThat(CompletableFuture.supplyAsync(files::isPending)).succeedsWithin(LONG);
        }
        assertThat(files.pending()).containsExactly(changingHandle);
        end.complete(null);
    }

    @Test
    void shouldSeeAFileEachTimeThatItBecomesPending() {
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Void> first = change(changing);
            CompletableFuture<Void> second = change(resting);
            assertThat(files.pending()).containsExactlyInAnyOrder(changingHandle, restingHandle);
            CompletableFuture<Void> answered = files.answered();
            first.complete(null);
            assertThat(files.pending()).containsExactly(restingHandle);
            assertThat(answered).isNotDone();
            second.complete(null);
            assertThat(answered).succeedsWithin(LONG);
            assertThat(files.isPending()).isFalse();
        }
    }

    @Test
    void shouldSeeAPendingFileWhileOthersLookAtFilesThatComeToRest() {
        AtomicBoolean isOver = new AtomicBoolean();
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
            while (!isOver.get()) {
                files.isPending(); // removes the file each time that it is at rest
            }
        });
        try {
            for (int i = 0; i < 20_000; i++) {
                CompletableFuture<Void> end = change(changing);
                assertThat(files.pending()).as("change %d", i).containsExactly(changingHandle);
                end.complete(null);
            }
        } finally {
            isOver.set(true);
        }
        assertThat(other).succeedsWithin(LONG);
    }

    @Test
    void shouldForgetAFileWithItsLastOpen() {
        CompletableFuture<Void> end = change(changing);
        files.release(changing);
        assertThat(files.pending()).isEmpty();
        end.complete(null);
    }
}
