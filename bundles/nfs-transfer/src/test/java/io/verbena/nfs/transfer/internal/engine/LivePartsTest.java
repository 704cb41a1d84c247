package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A copy that waits for its source shows other copies that its temporary file is in use. */
class LivePartsTest extends TransferCase {
    /** A timer of ten minutes, which the test lets run out. */
    private record Timer(Runnable task, CompletableFuture<Void> ended) {}

    private static final class ManualTimers extends SystemRuntime {
        private final BlockingQueue<Timer> timers = new LinkedBlockingQueue<>();

        @Override
        public Future<?> runLater(Runnable task, long delayNanos) {
            if (delayNanos != Duration.ofMinutes(10).toNanos()) {
                return super.runLater(task, delayNanos);
            }
            Timer timer = new Timer(task, new CompletableFuture<>());
            timers.add(timer);
            return timer.ended();
        }

        Timer await() throws InterruptedException {
            Timer timer = timers.poll(20, TimeUnit.SECONDS);
            assertThat(timer).as("the timer").isNotNull();
            return timer;
        }
    }

    private final ManualTimers timers = new ManualTimers();

    /** The temporary file, which may still be on its way when the timer is armed. */
    private static Path awaitPart(Path directory) throws IOException {
        Optional<Path> part = Optional.empty();
        while (part.isEmpty()) {
            assertThat(Thread.interrupted()).as("out of time").isFalse();
            try (Stream<Path> files = Files.list(directory)) {
                part = files.filter(file -> file.toString().endsWith(".part")).findFirst();
            }
        }
        return part.get();
    }

    /** A source that gives one block, and then nothing until it is told to end. */
    private static final class Stalling extends InputStream {
        private final CountDownLatch end = new CountDownLatch(1);
        private int left = 2 << 20;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0];
        }

        @Override
        public int read(byte[] octets, int offset, int length) throws IOException {
            if (left == 0) {
                awaitOrFail(end);
                return -1;
            }
            int count = Math.min(left, length);
            left -= count;
            return count;
        }
    }

    @Test
    void shouldTouchTheFileOfACopyWhoseSourceStalls() throws Exception {
        Instant longAgo = Instant.parse("2020-01-01T00:00:00Z");
        Files.createDirectories(served.resolve("dir"));
        Stalling stalling = new Stalling();
        try (TransferEngine engine = new TransferEngine(timers)) {
            Copy copy = engine.copy(stalling, there("/dir/file"), CopyOptions.of());
            CompletableFuture<?> running = CompletableFuture.supplyAsync(() -> {
                try {
                    return copy.run().orThrow();
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            Timer first = timers.await();
            Path part = awaitPart(served.resolve("dir"));
            Files.setLastModifiedTime(part, FileTime.from(longAgo));
            first.task().run();
            Timer second = timers.await(); // armed after the touch
            assertThat(Files.getLastModifiedTime(part).toInstant()).isAfter(longAgo);
            stalling.end.countDown();
            running.get(30, TimeUnit.SECONDS);
            assertThat(second.ended()).isCancelled();
        }
        assertThat(names(served.resolve("dir"))).isEqualTo(List.of("file"));
    }

    @Test
    void shouldNotTouchAFileThatHasItsAttributes() throws Exception {
        write(local.resolve("file"), 3 << 20);
        try (TransferEngine engine = new TransferEngine(timers)) {
            engine.copy(List.of(here("file")), there("/file"), CopyOptions.of())
                    .run()
                    .orThrow();
        }
        Timer late = timers.await();
        assertThat(late.ended()).isCancelled();
        late.task().run(); // it was about to run
        assertThat(Files.getLastModifiedTime(served.resolve("file")).toInstant())
                .isEqualTo(MODIFIED);
    }
}
