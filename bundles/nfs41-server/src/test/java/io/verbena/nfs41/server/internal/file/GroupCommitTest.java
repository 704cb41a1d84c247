package io.verbena.nfs41.server.internal.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.testing.UnspeakableError;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.Inode;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Who shares an fsync with whom, and what a failed one means to whom. Workers work when the test says so. */
class GroupCommitTest {
    private static final Inode DIRECTORY = Inode.of(2, 1);
    private static final Inode OTHER = Inode.of(3, 1);

    private final WriteVerifier verifier = new WriteVerifier(7);
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<Inode> forced = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong();
    private final Durability durability =
            new Durability(this::force, true, verifier, tasks::add, new ManualClock(clock::get));
    private Runnable meanwhile = () -> {};
    private IOException failure;

    private void force(Inode inode) throws IOException {
        forced.add(inode);
        Runnable now = meanwhile;
        meanwhile = () -> {};
        now.run();
        IOException thrown = failure;
        failure = null;
        if (thrown != null) {
            throw thrown;
        }
    }

    private void work() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    @Test
    void shouldShareAnFsyncThatHasNotBegun() {
        CompletableFuture<Void> first = durability.persist(durability.losses(), DIRECTORY);
        CompletableFuture<Void> second = durability.persist(durability.losses(), DIRECTORY);
        assertThat(first).isNotDone();
        work();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(forced).containsExactly(DIRECTORY);
    }

    @Test
    void shouldNotShareAnFsyncThatHasBegun() {
        List<CompletableFuture<Void>> late = new ArrayList<>();
        meanwhile = () -> {
            late.add(durability.persist(durability.losses(), DIRECTORY));
            late.add(durability.persist(durability.losses(), DIRECTORY));
        };
        CompletableFuture<Void> first = durability.persist(durability.losses(), DIRECTORY);
        tasks.remove().run();
        assertThat(first).isCompleted();
        assertThat(late).noneMatch(CompletableFuture::isDone);
        work();
        assertThat(late).allMatch(CompletableFuture::isDone);
        assertThat(forced).containsExactly(DIRECTORY, DIRECTORY);
    }

    @Test
    void shouldFailAllWhoWaitWhenAnFsyncFails() {
        List<CompletableFuture<Void>> late = new ArrayList<>();
        meanwhile = () -> late.add(durability.persist(durability.losses(), DIRECTORY));
        failure = new IOException("Input/output error");
        CompletableFuture<Void> first = durability.persist(durability.losses(), DIRECTORY);
        work();
        assertThat(first).isCompletedExceptionally();
        // what the failed fsync has lost may be theirs, and the next one would not tell
        assertThat(late.get(0)).isCompletedExceptionally();
        assertThat(verifier.value()).isNotEqualTo(7);
        assertThat(forced).containsExactly(DIRECTORY);
        CompletableFuture<Void> later = durability.persist(durability.losses(), DIRECTORY);
        work();
        assertThat(later).isCompleted();
        assertThat(forced).containsExactly(DIRECTORY, DIRECTORY);
    }

    @Test
    void shouldForceOneAfterTheOtherAndStopAtTheFirstThatFails() {
        CompletableFuture<Void> both = durability.persist(durability.losses(), DIRECTORY, OTHER, DIRECTORY);
        work();
        assertThat(both).isCompleted();
        assertThat(forced).containsExactly(DIRECTORY, OTHER);
        forced.clear();
        failure = new IOException("Input/output error");
        both = durability.persist(durability.losses(), DIRECTORY, OTHER);
        work();
        assertThat(both).isCompletedExceptionally();
        assertThat(forced).containsExactly(DIRECTORY);
    }

    @Test
    void shouldCompleteWhateverIsThrown() {
        Durability broken = new Durability(
                inode -> {
                    throw new IllegalStateException("a defect");
                },
                true,
                verifier,
                tasks::add,
                new ManualClock(clock::get));
        CompletableFuture<Void> promised = broken.persist(broken.losses(), DIRECTORY);
        work();
        assertThat(promised).isCompletedExceptionally();
    }

    @Test
    void shouldCompleteWhatFailsWithAnErrorThatCannotBeLogged() {
        Durability broken = new Durability(
                inode -> {
                    throw new UnspeakableError();
                },
                true,
                verifier,
                tasks::add,
                new ManualClock(clock::get));
        CompletableFuture<Void> promised = broken.persist(broken.losses(), DIRECTORY);
        work();
        assertThat(promised).isCompletedExceptionally();
        assertThat(verifier.value()).isNotEqualTo(7);
    }

    /** One after the other: the stack has no room for all. */
    @Test
    void shouldForceManyWhereNoWorkerIsLeftForThem() {
        AtomicBoolean isClosing = new AtomicBoolean();
        Durability closing = new Durability(
                this::force,
                true,
                verifier,
                task -> {
                    if (isClosing.get()) {
                        throw new RejectedExecutionException();
                    }
                    tasks.add(task);
                },
                new ManualClock(clock::get));
        CompletableFuture<Void> few = closing.persist(closing.losses(), objects(Durability.TOGETHER), List.of());
        work(); // from now on each is forced alone
        assertThat(few).isCompleted();
        CompletableFuture<Void> many = closing.persist(closing.losses(), objects(50_000), List.of());
        isClosing.set(true);
        tasks.remove().run();
        assertThat(many).isCompleted();
    }

    private static List<Inode> objects(int count) {
        return LongStream.range(0, count).mapToObj(each -> Inode.of(each, 1)).toList();
    }

    @Test
    void shouldForceWhereNoWorkerIsLeft() {
        Durability closing = new Durability(
                this::force,
                true,
                verifier,
                task -> {
                    throw new RejectedExecutionException();
                },
                new ManualClock(clock::get));
        assertThat(closing.persist(closing.losses(), DIRECTORY)).isCompleted();
        assertThat(forced).containsExactly(DIRECTORY);
    }

    @Test
    void shouldForceNothingWhereChangesNeedNotBeDurable() {
        Durability async = new Durability(this::force, false, verifier, tasks::add, new ManualClock(clock::get));
        assertThat(async.persist(async.losses(), DIRECTORY)).isCompleted();
        assertThat(tasks).isEmpty();
    }

    @Test
    void shouldNotChangeTheVerifierWhereAnFsyncCouldNotBegin() {
        failure = new NfsError(Status.NFS4ERR_DELAY);
        CompletableFuture<Void> promised = durability.persist(durability.losses(), DIRECTORY);
        work();
        assertThat(promised).isCompletedExceptionally();
        assertThat(verifier.value()).isEqualTo(7);
    }

    /** As by a COMMIT of the object, by syncfs(2), and by a COMMIT of another object. */
    @Test
    void shouldTakeNothingForStableThatMayBeLost() {
        Map<Runnable, Boolean> losses =
                Map.of(() -> verifier.lost(DIRECTORY), true, verifier::lost, true, () -> verifier.lost(OTHER), false);
        losses.forEach((loss, concerns) -> {
            meanwhile = loss;
            CompletableFuture<Void> promised = durability.persist(durability.losses(), DIRECTORY);
            work();
            assertThat(promised.isCompletedExceptionally()).isEqualTo(concerns);
            CompletableFuture<Void> behind = durability.persist(durability.losses(), DIRECTORY);
            work();
            assertThat(behind).isCompleted();
        });
    }
}
