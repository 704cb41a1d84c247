package io.verbena.nfs41.server.internal.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.vfs.Inode;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When many objects are brought to stable storage together. Workers work when the test says so. */
class ForceTogetherTest implements Durability.Storage {
    private static final String ALL = "all";

    private final WriteVerifier verifier = new WriteVerifier(7);
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final AtomicLong clock = new AtomicLong();
    private final Durability durability = new Durability(this, true, verifier, tasks::add, new ManualClock(clock::get));

    /** An inode, or {@link #ALL} and how many. */
    private final List<Object> forced = new ArrayList<>();

    private long nanosAlone = 100;
    private long nanosTogether = 100;
    private boolean canTogether = true;
    private Runnable meanwhile = () -> {};
    private IOException failure;
    private long next = 10;

    @Override
    public void force(Inode inode) {
        clock.addAndGet(nanosAlone);
        forced.add(inode);
    }

    @Override
    public boolean forceTogether(Collection<Inode> inodes) throws IOException {
        if (!canTogether) {
            return false;
        }
        clock.addAndGet(nanosTogether);
        forced.add(ALL + inodes.size());
        Runnable now = meanwhile;
        meanwhile = () -> {};
        now.run();
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    private List<CompletableFuture<Void>> persist(int objects) {
        List<CompletableFuture<Void>> promised = new ArrayList<>();
        for (int object = 0; object < objects; object++) {
            promised.add(durability.persist(durability.losses(), Inode.of(next++, 1)));
        }
        return promised;
    }

    private void work() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    @Test
    void shouldForceFewObjectsAlone() {
        List<CompletableFuture<Void>> promised = persist(Durability.TOGETHER - 1);
        work();
        assertThat(promised).allMatch(CompletableFuture::isDone);
        assertThat(forced).hasSize(Durability.TOGETHER - 1).doesNotContain(ALL);
    }

    @Test
    void shouldForceManyObjectsTogether() {
        List<CompletableFuture<Void>> promised = persist(40);
        assertThat(tasks).hasSize(Durability.FLUSHES);
        work();
        assertThat(promised).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(forced).containsExactly(ALL + 40);
    }

    @Test
    void shouldLetObjectsComeTogetherMeanwhile() {
        List<CompletableFuture<Void>> late = new ArrayList<>();
        meanwhile = () -> {
            late.addAll(persist(20));
            assertThat(tasks.size()).as("no further task than before").isLessThan(Durability.FLUSHES);
        };
        persist(10);
        work();
        assertThat(late).hasSize(20).allMatch(CompletableFuture::isDone);
        assertThat(forced).containsExactly(ALL + 10, ALL + 20);
    }

    @Test
    void shouldForceAnObjectAgainThatChangesMeanwhile() {
        List<CompletableFuture<Void>> late = new ArrayList<>();
        meanwhile = () -> late.add(durability.persist(durability.losses(), Inode.of(10, 1)));
        persist(10);
        work();
        assertThat(late).allMatch(CompletableFuture::isDone);
        assertThat(forced).containsExactly(ALL + 10, Inode.of(10, 1));
    }

    /** Their data may have been lost with that of the others, and the next syncfs(2) is not told of it again. */
    @Test
    void shouldFailThoseWhoseChangesWereMadeBeforeTheLoss() {
        List<CompletableFuture<Void>> late = new ArrayList<>();
        meanwhile = () -> late.addAll(persist(10));
        failure = new IOException("Input/output error");
        persist(10);
        tasks.remove().run();
        failure = null;
        work();
        assertThat(late).hasSize(10).allMatch(CompletableFuture::isCompletedExceptionally);
        List<CompletableFuture<Void>> behind = persist(10);
        work();
        assertThat(behind).noneMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void shouldFailAllTogether() {
        failure = new IOException("Input/output error");
        List<CompletableFuture<Void>> promised = persist(10);
        work();
        assertThat(promised).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(verifier.value()).isNotEqualTo(7);
    }

    @Test
    void shouldForceEachWhereTheHostHasNoSuchCall() {
        canTogether = false;
        List<CompletableFuture<Void>> promised = persist(40);
        work();
        assertThat(promised).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(forced).hasSize(40);
        canTogether = true; // not asked again
        persist(40);
        work();
        assertThat(forced).hasSize(80);
    }

    @Test
    void shouldForceAloneForAWhileWhereTogetherTakesLonger() {
        persist(1);
        work();
        forced.clear();
        nanosTogether = 1_000_000; // as beside a program that writes much
        persist(10);
        work();
        assertThat(forced).containsExactly(ALL + 10);
        forced.clear();
        persist(ForceCosts.SHORTEST_PAUSE);
        work();
        assertThat(forced).hasSize(ForceCosts.SHORTEST_PAUSE);
        nanosTogether = 100;
        forced.clear();
        persist(10);
        work();
        assertThat(forced).containsExactly(ALL + 10);
    }
}
