package io.verbena.nfs.nio.internal;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.verbena.conformance.HandOvers;
import io.verbena.memory.MemoryShare;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * An Error at any one hand-over between the channels of java.nio and their mount, its files and locks, and the executor
 * of completion handlers: each call ends, each handler is called once, no lock is left, and the next channels work.
 */
class EveryHandOverTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final long STEP_SECONDS = 20;

    private interface Step {
        void run() throws Exception;
    }

    @TestFactory
    Stream<DynamicTest> shouldEndExactlyWhatAnErrorConcerns() {
        int handOvers = assertTimeoutPreemptively(BOUND, () -> run(0));
        assertThat(handOvers).isGreaterThan(25);
        return IntStream.rangeClosed(1, handOvers)
                .mapToObj(number -> DynamicTest.dynamicTest(
                        "hand-over " + number,
                        () -> assertTimeoutPreemptively(BOUND, () -> run(number), () -> "hand-over " + number)));
    }

    /** Returns the number of hand-overs. */
    private static int run(int number) throws Exception {
        HandOvers handOvers = new HandOvers().including(ExecutorService.class).leaving(MemoryShare.class);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (FakeServer server = new FakeServer(mount -> handOvers.through(Mount.class, mount))) {
            ExecutorService handlers = handOvers.through(ExecutorService.class, threads);
            handOvers.failAt(number);
            attempt(number, () -> useAsynchronous(number, server, handlers));
            attempt(number, () -> useBlocking(number, server));
            int passed = handOvers.passed();
            handOvers.failAt(0);
            assertThat(server.locks).as("locks after %s", handOvers.failed()).isEmpty();
            useAsynchronous(0, server, handlers);
            useBlocking(0, server);
            assertThat(server.content()).startsWith("blocking");
            assertThat(server.locks).isEmpty();
            return passed;
        } finally {
            threads.shutdown();
            assertThat(threads.awaitTermination(STEP_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void attempt(int number, Step step) throws Exception {
        try {
            step.run();
        } catch (IOException | ExecutionException | OutOfMemoryError e) {
            assertThat(number).as("%s", e).isPositive();
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** A handler that is called once. */
    private static final class Told implements CompletionHandler<Integer, Void> {
        private final CompletableFuture<Integer> outcome = new CompletableFuture<>();

        @Override
        public void completed(Integer result, Void attachment) {
            assertThat(outcome.complete(result)).as("told once").isTrue();
        }

        @Override
        public void failed(Throwable thrown, Void attachment) {
            assertThat(outcome.completeExceptionally(thrown)).as("told once").isTrue();
        }
    }

    private static <T> T end(Future<T> call) throws Exception {
        return call.get(STEP_SECONDS, TimeUnit.SECONDS);
    }

    private static void useAsynchronous(int number, FakeServer server, ExecutorService handlers) throws Exception {
        AsynchronousFileChannel channel = AsynchronousFileChannel.open(server.path(), Set.of(READ, WRITE), handlers);
        try (channel) {
            attempt(number, () -> {
                Told told = new Told();
                channel.write(bytes("handled"), 0, null, told);
                end(told.outcome);
            });
            attempt(number, () -> {
                Told told = new Told();
                channel.read(ByteBuffer.allocate(10), 0, null, told);
                end(told.outcome);
            });
            attempt(number, () -> end(channel.write(bytes("more"), 7)));
            attempt(number, () -> end(channel.read(ByteBuffer.allocate(10), 0)));
            attempt(number, () -> channel.force(true));
            attempt(number, () -> {
                FileLock lock = end(channel.lock(0, 10, false));
                lock.release();
            });
            attempt(number, () -> channel.truncate(channel.size() - 1));
        }
        assertThat(channel.isOpen()).isFalse();
    }

    private static void useBlocking(int number, FakeServer server) throws Exception {
        FileChannel channel = FileChannel.open(server.path(), READ, WRITE);
        try (channel) {
            attempt(number, () -> channel.write(bytes("blocking")));
            attempt(number, () -> channel.read(ByteBuffer.allocate(4), 0));
            attempt(number, () -> {
                FileLock lock = channel.tryLock(0, 10, false);
                lock.release();
            });
            attempt(number, () -> channel.force(false));
            attempt(number, () -> channel.truncate(channel.size() - 1));
            attempt(number, () -> channel.write(bytes("g"), 7));
        }
        assertThat(channel.isOpen()).isFalse();
    }
}
