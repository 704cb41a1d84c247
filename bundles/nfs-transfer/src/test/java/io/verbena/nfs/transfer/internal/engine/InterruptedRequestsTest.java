package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileRead;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests what becomes of the requests of an interrupted copy that the server has not answered. */
class InterruptedRequestsTest extends TransferCase {
    /** A runtime in which the time of the last wait for one future is over at once. */
    private static final class ShortWait extends SystemRuntime {
        private final Future<?> held;
        private final Runnable inTime;

        ShortWait(Future<?> held, Runnable inTime) {
            this.held = held;
            this.inTime = inTime;
        }

        @Override
        public <T> T await(Future<T> future, long timeoutNanos)
                throws InterruptedException, ExecutionException, TimeoutException {
            if (future != held || timeoutNanos == Long.MAX_VALUE) {
                return super.await(future, timeoutNanos);
            }
            inTime.run();
            return super.await(future, 0);
        }
    }

    private final AtomicReference<String> requested = new AtomicReference<>();

    /** Runs a copy, and interrupts it at its first request for a whole file. */
    private void interrupt(Copy copy) throws Exception {
        CountDownLatch isUnderWay = new CountDownLatch(1);
        mount.hook((operation, path, position) -> {
            if (operation.endsWith("File")) {
                requested.set(path);
                isUnderWay.countDown();
            }
        });
        FutureTask<CopySummary> run = new FutureTask<>(copy::run);
        Thread thread = new Thread(run);
        thread.start();
        assertThat(isUnderWay.await(20, TimeUnit.SECONDS)).isTrue();
        thread.interrupt();
        assertThatThrownBy(() -> run.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        mount.hook((operation, path, position) -> {});
    }

    @Test
    void shouldGiveUpTheCreationOfASmallFileAndRemoveWhatTheServerCreatesLater() throws Exception {
        write(local.resolve("file"), 10);
        CompletableFuture<FileAttributes> held = new CompletableFuture<>();
        mount.holdCreate(held);
        try (TransferEngine engine = new TransferEngine(new ShortWait(held, () -> {}))) {
            Copy copy = engine.copy(here("file"), there("/file"), TREE);

            interrupt(copy);

            assertThat(held).isCancelled();
            assertThat(copy.leftovers()).containsExactly("a:" + requested.get());
            assertThat(mount.memory().leasedBytes()).isZero();
            write(served.resolve(requested.get().substring(1)), 10); // the server is back
            mount.holdCreate(null);
            engine.copy(here("file"), there("/file"), TREE).run().orThrow();
            assertThat(names(served)).containsExactly("file");
        }
    }

    @Test
    void shouldTakeTheAnswerOfAServerThatRespondsAndLeaveNoTemporaryFile() throws Exception {
        write(local.resolve("file"), 10);
        CompletableFuture<FileAttributes> held = new CompletableFuture<>();
        mount.holdCreate(held);
        Runnable answer = () -> {
            try {
                Path made = served.resolve(requested.get().substring(1));
                write(made, 10);
                held.complete(mount.attributes("/" + made.getFileName(), false));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        try (TransferEngine engine = new TransferEngine(new ShortWait(held, answer))) {
            Copy copy = engine.copy(here("file"), there("/file"), TREE);

            interrupt(copy);

            assertThat(held).isCompletedWithValueMatching(made -> made.size() == 10);
            assertThat(copy.leftovers()).isEmpty();
            assertThat(names(served)).allMatch(name -> name.equals("file"));
        }
    }

    @Test
    void shouldGiveUpTheReadOfASmallFile() throws Exception {
        write(served.resolve("file"), 10);
        CompletableFuture<FileRead> held = new CompletableFuture<>();
        mount.holdRead(held);
        try (TransferEngine engine = new TransferEngine(new ShortWait(held, () -> {}))) {
            interrupt(engine.copy(there("/file"), here("file"), TREE));

            assertThat(held).isCancelled();
            assertThat(mount.memory().leasedBytes()).isZero();
        }
    }

    @Test
    void shouldNotCloseTheStreamOfTheCallerAtAnInterrupt() throws Exception {
        write(served.resolve("file"), 200_000); // one block, which is written in several pieces
        AtomicBoolean isClosed = new AtomicBoolean();
        OutputStream out = new OutputStream() {
            @Override
            public void write(int octet) {
                Thread.currentThread().interrupt();
            }

            @Override
            public void close() {
                isClosed.set(true);
            }
        };

        host.engine().read(List.of(there("/file")), out, CopyOptions.of());

        assertThat(Thread.interrupted()).isTrue();
        assertThat(isClosed).isFalse();
    }
}
