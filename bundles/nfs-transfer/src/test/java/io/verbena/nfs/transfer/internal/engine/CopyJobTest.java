package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.verbena.nfs.transfer.Check;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyListener;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.Progress;
import java.io.ByteArrayInputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the life cycle of a copy, which is started, reported, cancelled and ended with its engine. Also tests
 * comparisons.
 */
class CopyJobTest extends TransferCase {
    private final CountDownLatch moving = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);

    /** The way in which a running copy is ended. */
    enum End {
        COPY,
        FUTURE,
        ENGINE
    }

    /** Blocks the copy of a large file in the middle of the file. */
    private void hang() throws Exception {
        write(local.resolve("file"), 10 << 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position >= 5 << 20) {
                moving.countDown();
                awaitOrFail(never);
            }
        });
    }

    private Copy copy(String from, String to) throws Exception {
        return host.engine().copy(here(from), there(to), TREE);
    }

    @Test
    void shouldCopyOnAThreadOfItsOwn() throws Exception {
        write(local.resolve("tree/x"), 10);
        AtomicReference<Thread> teller = new AtomicReference<>();
        Copy copy = copy("tree", "/copy");
        copy.addListener(new CopyListener() {
            @Override
            public void progressed(Progress progress) {
                teller.set(Thread.currentThread());
            }
        });

        CopySummary summary = copy.start().get(20, TimeUnit.SECONDS);

        assertThat(summary.files()).isEqualTo(1);
        assertThat(copy.makesTarget()).isTrue();
        assertThat(teller.get()).isNotSameAs(Thread.currentThread());
        assertNoThreadIsLeft();
    }

    @Test
    void shouldRunOnce() throws Exception {
        write(local.resolve("x"), 10);
        Copy copy = copy("x", "/x");
        copy.run();

        assertThatThrownBy(copy::run).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(copy::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> copy.rehearse(step -> {})).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void shouldEndAndLeaveNothing(End end) throws Exception {
        hang();
        Copy copy = copy("file", "/file");
        CompletableFuture<CopySummary> summary = copy.start();
        assertThat(moving.await(20, TimeUnit.SECONDS)).isTrue();

        switch (end) {
            case COPY -> copy.cancel();
            case FUTURE -> summary.cancel(true);
            case ENGINE -> host.engine().close();
        }

        assertThatThrownBy(() -> summary.get(20, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
        assertThat(summary).isCancelled();
        assertNoThreadIsLeft();
        assertThat(served).isEmptyDirectory();
    }

    @Test
    void shouldNotInterruptWhatTheThreadDoesAfterACancelledCopy() throws Exception {
        hang();
        Copy copy = copy("file", "/file");
        Thread canceller = new Thread(() -> {
            try {
                moving.await();
                copy.cancel();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        canceller.start();

        assertThatThrownBy(copy::run).isInstanceOf(CancellationException.class).hasMessage("the copy was cancelled");

        canceller.join();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        copy.cancel();
    }

    @Test
    void shouldBeginNothingAfterTheEnd() throws Exception {
        write(local.resolve("x"), 10);
        Copy cancelled = copy("x", "/x");
        cancelled.cancel();
        assertThatThrownBy(cancelled::run).isInstanceOf(CancellationException.class);
        Copy late = copy("x", "/x");

        host.engine().close();

        assertThatThrownBy(late::run)
                .isInstanceOf(CancellationException.class)
                .hasMessage("the copy engine was stopped");
        assertThat(served).isEmptyDirectory();
    }

    @Test
    void shouldTellHowFarItIsAndWhatFails() throws Exception {
        write(served.resolve("tree/x"), 10);
        write(served.resolve("tree/y"), 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("open") && path.endsWith("/x")) {
                throw new AccessDeniedException(path);
            }
        });
        Queue<Progress> told = new ConcurrentLinkedQueue<>();
        Queue<CopyFailure> failures = new ConcurrentLinkedQueue<>();
        Copy copy = host.engine().copy(there("/tree"), here("tree"), TREE);
        copy.addListener(new CopyListener() {
            @Override
            public void progressed(Progress progress) {
                told.add(progress);
                throw new AssertionError("a listener that fails");
            }

            @Override
            public void failed(CopyFailure failure) {
                failures.add(failure);
                throw new AssertionError("a listener that fails");
            }
        });
        assertThat(copy.progress().isPlanned()).isFalse();

        CopySummary summary = copy.run();

        assertThat(summary.failed()).containsExactlyElementsOf(failures);
        assertThat(failures)
                .extracting(CopyFailure::path, CopyFailure::reason)
                .containsExactly(tuple("a:/tree/x", "permission denied"));
        Progress last = List.copyOf(told).get(told.size() - 1);
        assertThat(last.files()).isEqualTo(1);
        assertThat(last.plannedFiles()).isEqualTo(2);
        assertThat(last.octets()).isEqualTo(20);
        assertThat(last.plannedOctets()).isEqualTo(30);
        assertThat(last.failures()).isEqualTo(1);
        assertThat(last.current()).startsWith("a:/tree/");
        assertThat(last.unresponsiveServer()).isEmpty();
    }

    @Test
    void shouldThrowTheFailureWhereItIsAskedFor() throws Exception {
        write(served.resolve("tree/x"), 10);
        mount.hook((operation, path, position) -> {
            if (operation.equals("open")) {
                throw new AccessDeniedException(path);
            }
        });
        CopySummary summary =
                host.engine().copy(there("/tree"), here("tree"), TREE).run();

        assertThatThrownBy(summary::orThrow).hasMessage("a:/tree/x: permission denied");
    }

    @Test
    void shouldFailAsAFutureDoes() throws Exception {
        CompletableFuture<CopySummary> summary = copy("none", "/none").start();

        assertThatThrownBy(() -> summary.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .hasMessage(local + "/none: no such file or directory");
    }

    @Test
    void shouldCompareTrees() throws Exception {
        for (String file : List.of("same", "dir/other", "dir/gone")) {
            write(local.resolve("one").resolve(file), 10);
        }
        write(local.resolve("sum"), 11);
        assertThat(copy("one", "/two").run().files()).isEqualTo(3);
        assertThat(check().isSame()).isTrue();
        write(local.resolve("one/dir/new"), 10);
        Files.delete(local.resolve("one/dir/gone"));
        Files.write(served.resolve("two/dir/other"), new byte[10]);
        Files.setLastModifiedTime(served.resolve("two/dir/other"), FileTime.from(MODIFIED));
        List<String> before = names(served.resolve("two/dir"));

        Check bySize = check();
        Check byContent = check(Flag.CHECKSUM);

        assertThat(bySize.differences())
                .extracting(CopyStep::kind, CopyStep::path)
                .containsExactly(
                        tuple(CopyStep.Kind.COPY, local + "/one/dir/new"),
                        tuple(CopyStep.Kind.REMOVE, "a:/two/dir/gone"));
        assertThat(bySize.unchanged()).isEqualTo(2);
        assertThat(byContent.differences())
                .extracting(CopyStep::path)
                .contains(local + "/one/dir/other", local + "/one/dir/new", "a:/two/dir/gone");
        assertThat(byContent.unchanged()).isEqualTo(1);
        assertThat(byContent.isSame()).isFalse();
        assertThat(names(served.resolve("two/dir"))).as("nothing is changed").isEqualTo(before);
    }

    private Check check(Flag... flags) throws Exception {
        return host.engine().check(here("one"), there("/two"), CopyOptions.of(flags));
    }

    @Test
    void shouldRefuseWhatCannotBe() throws Exception {
        Location x = here("x");
        List<Location> two = new ArrayList<>(List.of(x, x));
        assertThatThrownBy(() -> host.engine().copy(List.of(), x, TREE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> host.engine().copy(two, x, TREE.with(Flag.SYNC, true)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TREE.withJobs(65)).isInstanceOf(IllegalArgumentException.class);
        Copy stream = host.engine().copy(new ByteArrayInputStream(new byte[1]), there("/x"), TREE);
        assertThatThrownBy(() -> stream.rehearse(step -> {})).isInstanceOf(UnsupportedOperationException.class);
        try (FileSystem zip = FileSystems.newFileSystem(local.resolve("x.zip"), Map.of("create", "true"))) {
            assertThatThrownBy(() -> Location.of(zip.getPath("/x"))).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
