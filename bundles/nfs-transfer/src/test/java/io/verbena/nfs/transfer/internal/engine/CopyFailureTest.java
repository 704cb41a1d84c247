package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.verbena.nfs.MountState;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests failures of copies, and the files that remain after them. */
class CopyFailureTest extends TransferCase {
    @Test
    void shouldRemoveAHalfWrittenRemoteFile() throws Exception {
        write(local.resolve("file"), 5 << 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position >= 3 << 20) {
                throw new NfsException(path, "NFS4ERR_NOSPC", "no space left on the server");
            }
        });

        assertThatThrownBy(() -> put("file", "/file")).hasMessage("a:/file: no space left on the server");

        assertThat(served).isEmptyDirectory();
    }

    @Test
    void shouldCopyAllOthersWhereAFewFail() throws Exception {
        for (int i = 0; i < 300; i++) {
            write(served.resolve("tree/d" + i % 3 + "/f" + i), 10);
        }
        mount.hook((operation, path, position) -> {
            if (operation.equals("open") && path.matches(".*/f(50|51|299)")) {
                throw new AccessDeniedException(path);
            }
        });

        CopySummary summary =
                host.engine().copy(List.of(there("/tree")), here("tree"), TREE).run();

        assertThat(summary.files()).isEqualTo(297);
        assertThat(summary.octets()).isEqualTo(2970);
        assertThat(summary.failed())
                .extracting(CopyFailure::path, CopyFailure::reason)
                .containsExactlyInAnyOrder(
                        tuple("a:/tree/d2/f50", "permission denied"),
                        tuple("a:/tree/d0/f51", "permission denied"),
                        tuple("a:/tree/d2/f299", "permission denied"));
        assertThat(names(local.resolve("tree/d0"))).hasSize(99).noneMatch(name -> name.contains(".part"));
        assertNoThreadIsLeft();
    }

    @Test
    void shouldLeaveOutADirectoryThatCannotBeMadeOrRead() throws Exception {
        for (String file : List.of("a/x", "b/deep/x", "c/x")) {
            write(served.resolve("tree").resolve(file), 10);
        }
        write(local.resolve("into/tree/b"), 1);
        mount.hook((operation, path, position) -> {
            if (operation.equals("list") && path.equals("/tree/c")) {
                throw new AccessDeniedException(path);
            }
        });

        CopySummary summary =
                host.engine().copy(List.of(there("/tree")), here("into"), TREE).run();

        assertThat(summary.files()).isEqualTo(1);
        assertThat(summary.failed()).extracting(CopyFailure::path).containsExactlyInAnyOrder("a:/tree/b", "a:/tree/c");
        assertThat(local.resolve("into/tree/b")).hasSize(1);
    }

    /** The first failure of this kind ends the whole copy, because other files would only wait as long. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndAtOnceWhereTheServerIsLost(boolean isTold) throws Exception {
        for (int i = 0; i < 100; i++) {
            write(served.resolve("tree/f" + i), 10);
        }
        AtomicInteger asked = new AtomicInteger();
        mount.hook((operation, path, position) -> {
            if (operation.equals("open")) {
                asked.incrementAndGet();
                if (isTold) {
                    throw new ServerUnavailableException("server lost", null);
                }
                mount.state(MountState.RECOVERING);
                throw new IOException("server lost");
            }
        });

        assertThatThrownBy(() -> host.engine()
                        .copy(List.of(there("/tree")), here("tree"), TREE.withJobs(2))
                        .run())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("server lost");
        assertThat(asked).hasValueLessThanOrEqualTo(4);
    }

    @Test
    void shouldEndAtOnceWhereTheDiskIsFull() throws Exception {
        write(local.resolve("tree/x"), 10);
        write(local.resolve("tree/y"), 10);
        mount.hook((operation, path, position) -> {
            if (operation.equals("write")) {
                throw new NfsException(path, "NFS4ERR_NOSPC", "no space left on the server");
            }
        });

        assertThatThrownBy(() -> put("tree", "/tree")).hasMessageEndingWith("no space left on the server");
        assertThat(served.resolve("tree")).isEmptyDirectory();
    }

    @Test
    void shouldStopAtAnInterruptWithoutWaitingForAServerThatHasGone() throws Exception {
        write(local.resolve("file"), 20 << 20);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position >= 5 << 20) {
                mount.state(MountState.RECOVERING);
                writing.countDown();
                awaitOrFail(never);
            } else if (isWait(operation)) {
                asked.incrementAndGet();
            }
        });
        FutureTask<CopySummary> copy = new FutureTask<>(() -> put("file", "/file"));
        Thread thread = new Thread(copy);
        thread.start();
        assertThat(writing.await(20, TimeUnit.SECONDS)).isTrue();

        thread.interrupt();

        assertThatThrownBy(() -> copy.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        never.countDown();
        assertThat(asked).hasValue(0);
        assertNoThreadIsLeft();
    }

    @Test
    void shouldNotWaitForASilentServerToTidyUp() throws Exception {
        write(local.resolve("file"), 5 << 20);
        AtomicInteger removals = new AtomicInteger();
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position >= 3 << 20) {
                mount.silent(new UnresponsiveServer("srv", Instant.now().minusSeconds(90), Optional.of(Instant.now())));
                throw new ServerUnavailableException("no answer", null);
            } else if (operation.equals("remove")) {
                removals.incrementAndGet();
            }
        });
        Copy copy = host.engine().copy(List.of(here("file")), there("/file"), TREE);

        assertThatThrownBy(copy::run).hasMessage("a:/file: no answer");

        assertThat(removals).hasValue(0);
        assertThat(copy.leftovers()).singleElement().asString().matches("a:/\\.verbena-[0-9a-f]{16}\\.tmp\\.part");
        mount.silent(null);
        mount.hook((operation, path, position) -> {});
        put("file", "/file");
        assertThat(names(served)).containsExactly("file");
    }

    @Test
    void shouldNotGoOnWhereTheMountWasUnmounted() throws Exception {
        write(local.resolve("file"), 10 << 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position == 7 << 20) {
                mount.state(MountState.UNMOUNTED);
                throw new IOException("the mount was unmounted");
            }
        });

        assertThatThrownBy(() -> put("file", "/file")).hasMessage("a:/file: the mount was unmounted");
    }

    /** Returns whether the operation would wait for the server. */
    private static boolean isWait(String operation) {
        boolean isInterrupted = Thread.currentThread().isInterrupted();
        return (operation.equals("close") && !isInterrupted) || operation.equals("remove");
    }

    /** A runtime whose clock can fail, and that tells when the end of workers is waited for. */
    private static final class BrokenClock extends SystemRuntime {
        private volatile boolean isBroken;
        private final CountDownLatch waited = new CountDownLatch(1);

        @Override
        public long nanoTime() {
            if (isBroken) {
                throw new OutOfMemoryError("no clock");
            }
            return super.nanoTime();
        }

        @Override
        public boolean awaitEnd(ExecutorService executor, long nanos) throws InterruptedException {
            waited.countDown();
            return super.awaitEnd(executor, nanos);
        }
    }

    @Test
    void shouldWaitForItsWorkersWhereTheClockFails() throws Exception {
        write(local.resolve("tree/slow"), 10);
        write(local.resolve("tree/full"), 10);
        BrokenClock clock = new BrokenClock();
        CountDownLatch slow = new CountDownLatch(1);
        AtomicBoolean isFirst = new AtomicBoolean(true);
        AtomicBoolean isOver = new AtomicBoolean();
        mount.hook((operation, path, position) -> {
            if (operation.equals("open") && isFirst.getAndSet(false)) { // on the thread of a worker
                slow.countDown();
                isOver.set(isWaitedFor(clock.waited));
            }
            if (operation.equals("write")) {
                awaitOrFail(slow);
                clock.isBroken = true;
                throw new NfsException(path, "NFS4ERR_NOSPC", "no space left on the server");
            }
        });

        try (TransferEngine engine = new TransferEngine(clock, STRETCH)) {
            assertThatThrownBy(() ->
                    engine.copy(here("tree"), there("/copy"), TREE.withJobs(2)).run());
            assertThat(isOver).isTrue();
            clock.isBroken = false;
        }
    }

    /** Waits although the thread is interrupted. */
    private static boolean isWaitedFor(CountDownLatch latch) {
        boolean interrupted = false;
        boolean isOpen = false;
        for (int i = 0; i < 2 && !isOpen; i++) {
            try {
                isOpen = latch.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return isOpen;
    }
}
