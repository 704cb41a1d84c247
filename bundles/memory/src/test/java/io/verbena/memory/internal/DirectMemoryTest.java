package io.verbena.memory.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import io.verbena.memory.ShareUsage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class DirectMemoryTest {
    private static final int MIB = 1 << 20;
    private static final Duration LONG = Duration.ofSeconds(30);

    private final DirectMemory budget = new DirectMemory(16 * MIB);

    @AfterEach
    void nothingIsLeft() {
        assertThat(budget.leasedBytes()).isZero();
        budget.close();
    }

    private static List<BufferLease> takeAll(MemoryShare share, int bytes) {
        List<BufferLease> leases = new ArrayList<>();
        for (BufferLease lease = share.tryLease(bytes); lease != null; lease = share.tryLease(bytes)) {
            leases.add(lease);
        }
        return leases;
    }

    private static void closeAll(List<BufferLease> leases) {
        leases.forEach(BufferLease::close);
    }

    private static long held(List<BufferLease> leases) {
        return leases.stream().mapToLong(BufferLease::heldBytes).sum();
    }

    @Test
    void givesBuffersOfTheSizeAskedForAtPageBorders() {
        MemoryShare share = budget.share("mount w");
        BufferLease lease = share.tryLease(5000);

        assertThat(lease.buffer().capacity()).isEqualTo(5000);
        assertThat(lease.buffer().alignmentOffset(0, Slab.PAGE)).isZero();
        assertThat(lease.heldBytes()).isEqualTo(8192);
        assertThat(share.leasedBytes()).isEqualTo(8192);
        lease.close();
        lease.close();
        assertThat(share.leasedBytes()).isZero();
    }

    @Test
    void givesNoTwoLeasesTheSameMemory() {
        MemoryShare share = budget.share("mount w");
        List<BufferLease> leases = takeAll(share, 300_000);
        for (int i = 0; i < leases.size(); i++) {
            while (leases.get(i).buffer().hasRemaining()) {
                leases.get(i).buffer().put((byte) i);
            }
        }
        for (int i = 0; i < leases.size(); i++) {
            for (int at = 0; at < 300_000; at++) {
                assertThat(leases.get(i).buffer().get(at)).isEqualTo((byte) i);
            }
        }
        closeAll(leases);
    }

    @Test
    void leavesSomethingForOthers() {
        List<BufferLease> one = takeAll(budget.share("mount a"), MIB);
        List<BufferLease> two = takeAll(budget.share("mount b"), MIB);
        List<BufferLease> three = takeAll(budget.share("mount c"), MIB);

        assertThat(held(one)).isEqualTo(8L * MIB);
        assertThat(held(two)).isEqualTo(4L * MIB);
        assertThat(held(three)).isEqualTo(2L * MIB);
        closeAll(one);
        closeAll(two);
        closeAll(three);
    }

    @Test
    void countsWhatPartsHoldForTheirShare() {
        MemoryShare peer = budget.share("peer 10.0.0.1");
        List<BufferLease> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.addAll(takeAll(peer.part("connection " + i), MIB / 2));
        }

        assertThat(peer.leasedBytes()).isEqualTo(held(all)).isLessThanOrEqualTo(12L * MIB);
        BufferLease other = budget.share("peer 10.0.0.2").tryLease(2 * MIB);
        assertThat(other).isNotNull();
        other.close();
        closeAll(all);
    }

    @Test
    void servesSmallLeasesWhileLargeOnesWait() throws Exception {
        List<BufferLease> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.addAll(takeAll(budget.share("mount " + i), MIB));
        }
        CompletableFuture<BufferLease> waiting = budget.share("mount last").request(4 * MIB, LONG);
        BufferLease small = budget.share("peer").tryLease(MemoryBudget.SMALL);

        assertThat(waiting).isNotDone();
        assertThat(small).isNotNull();
        small.close();
        closeAll(all);
        waiting.get(30, TimeUnit.SECONDS).close();
    }

    @Test
    void letsNobodyPassWhoWaits() throws Exception {
        MemoryShare share = budget.share("mount a");
        List<BufferLease> all = takeAll(share, MIB);
        CompletableFuture<BufferLease> first = share.request(4 * MIB, LONG);
        CompletableFuture<BufferLease> second = share.request(MIB, LONG);
        all.remove(0).close();

        assertThat(share.tryLease(MIB)).isNull();
        assertThat(first).isNotDone();
        closeAll(all);
        first.get(30, TimeUnit.SECONDS).close();
        second.get(30, TimeUnit.SECONDS).close();
    }

    @Test
    void asksForMemoryBack() throws Exception {
        MemoryShare share = budget.share("mount a");
        List<BufferLease> all = takeAll(share, MIB);
        Runnable end = share.onPressure(() -> closeAll(all));

        share.await(4 * MIB, LONG).close();
        end.run();
    }

    @Test
    void goesOnWhenOneFailsWhoIsAsked() throws Exception {
        MemoryShare share = budget.share("mount a");
        List<BufferLease> all = takeAll(share, MIB);
        share.onPressure(() -> {
            throw new AssertionError("an error of somebody else's");
        });
        share.onPressure(() -> closeAll(all));

        share.await(4 * MIB, LONG).close();
    }

    @Test
    void refusesWhoWaitsTooLong() {
        MemoryShare share = budget.share("mount a");
        List<BufferLease> all = takeAll(share, MIB);

        assertThatThrownBy(() -> share.await(4 * MIB, Duration.ofMillis(1)))
                .isInstanceOf(MemoryRefusedException.class)
                .hasMessageContaining("mount a")
                .hasMessageContaining("4.0 MiB")
                .hasMessageContaining("budget of 16.0 MiB");
        closeAll(all);
        assertThat(budget.holdings())
                .allSatisfy(holding -> assertThat(holding.waiting()).isZero());
    }

    @Test
    void refusesAtOnceWhatIsLargerThanTheBudget() {
        CompletableFuture<BufferLease> request = budget.share("mount a").request(17 * MIB, LONG);

        assertThat(request).isCompletedExceptionally();
    }

    @Test
    void forgetsWhoGaveUp() {
        MemoryShare share = budget.share("mount a");
        List<BufferLease> all = takeAll(share, MIB);
        CompletableFuture<BufferLease> given = share.request(4 * MIB, LONG);
        given.cancel(false);

        all.remove(0).close();
        BufferLease next = share.tryLease(MIB);
        assertThat(next).isNotNull();
        next.close();
        closeAll(all);
    }

    @Test
    void refusesWhoWaitsForAClosedShare() {
        MemoryShare share = budget.share("mount a");
        List<BufferLease> all = takeAll(share, MIB);
        CompletableFuture<BufferLease> waiting = share.request(4 * MIB, LONG);
        share.close();

        assertThatThrownBy(waiting::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(MemoryRefusedException.class);
        assertThat(share.tryLease(1)).isNull();
        assertThat(budget.holdings()).isEmpty();
        closeAll(all);
    }

    @Test
    void endsAShareWithItsLastUser() {
        MemoryShare first = budget.share("peer");
        MemoryShare second = budget.share("peer");
        first.close();

        assertThat(second.tryLease(1)).isNotNull().satisfies(BufferLease::close);
        second.close();
        assertThat(budget.holdings()).isEmpty();
    }

    @Test
    void tellsWhoHoldsWhat() {
        MemoryShare peer = budget.share("peer 10.0.0.1");
        MemoryShare connection = peer.part("connection 7");
        BufferLease lease = connection.tryLease(MIB);

        assertThat(budget.holdings())
                .containsExactly(
                        new ShareUsage("peer 10.0.0.1", MIB, 1, 0, false),
                        new ShareUsage("peer 10.0.0.1, connection 7", MIB, 1, 0, true));
        lease.close();
    }

    @Test
    void servesMoreWhenTheLimitIsRaised() throws Exception {
        MemoryShare share = budget.share("mount a");
        List<BufferLease> all = takeAll(share, MIB);
        CompletableFuture<BufferLease> waiting = share.request(MIB, LONG);
        budget.limit(64 * MIB);

        waiting.get(30, TimeUnit.SECONDS).close();
        closeAll(all);
    }

    @Test
    void givesMemoryBackToTheJvm() {
        MemoryShare share = budget.share("mount a");
        closeAll(takeAll(share, MIB));

        assertThat(budget.allocatedBytes()).isLessThanOrEqualTo(6L * MIB);
    }

    @Test
    void serviceThatStopsRefusesWhoWaits() {
        MemoryShare share = budget.share("mount a");
        List<BufferLease> all = takeAll(share, MIB);
        CompletableFuture<BufferLease> waiting = share.request(4 * MIB, LONG);
        budget.close();

        assertThat(waiting).isCompletedExceptionally();
        closeAll(all);
    }

    @Test
    void manyThreadsShareALittle() throws Exception {
        int threads = 8;
        CountDownLatch done = new CountDownLatch(threads);
        AtomicBoolean failed = new AtomicBoolean();
        for (int i = 0; i < threads; i++) {
            MemoryShare share = budget.share("mount " + i % 3);
            int size = i % 2 == 0 ? 3 * MIB : MIB / 4;
            Thread thread = new Thread(() -> {
                try {
                    for (int round = 0; round < 200; round++) {
                        try (BufferLease first = share.await(size, LONG)) {
                            first.buffer().put(0, (byte) round);
                        }
                    }
                } catch (Exception e) {
                    failed.set(true);
                } finally {
                    done.countDown();
                }
            });
            thread.start();
        }
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(failed).isFalse();
    }

    @Test
    void servesThoseBehindOneWhoHasGivenUp() throws Exception {
        List<BufferLease> first = takeAll(budget.share("mount a"), MIB);
        CompletableFuture<BufferLease> large = budget.share("mount c").request(10 * MIB, Duration.ofMillis(100));
        CompletableFuture<BufferLease> behind = budget.share("mount d").request(MIB, LONG);
        assertThatThrownBy(() -> large.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(MemoryRefusedException.class);
        behind.get(20, TimeUnit.SECONDS).close();
        closeAll(first);
    }

    @Test
    void servesThoseBehindOneWhoHasLeft() throws Exception {
        List<BufferLease> first = takeAll(budget.share("mount a"), MIB);
        CompletableFuture<BufferLease> large = budget.share("mount c").request(10 * MIB, LONG);
        CompletableFuture<BufferLease> behind = budget.share("mount d").request(MIB, LONG);
        large.cancel(false);
        behind.get(20, TimeUnit.SECONDS).close();
        closeAll(first);
    }

    @Test
    void letsAConnectionInWhileBlocksWait() throws Exception {
        List<BufferLease> first = takeAll(budget.share("mount a"), MIB);
        CompletableFuture<BufferLease> large = budget.share("mount c").request(10 * MIB, LONG);
        assertThatThrownBy(() -> budget.share("peer 10.0.0.1").lease(384 << 10))
                .isInstanceOf(MemoryRefusedException.class);
        budget.share("peer 10.0.0.1").leaseAhead(384 << 10).close();
        budget.share("peer 10.0.0.1").awaitAhead(384 << 10, LONG).close();
        large.cancel(false);
        closeAll(first);
    }

    @Test
    void keepsTheOrderWithinAShare() throws Exception {
        int small = 128 << 10;
        MemoryShare share = budget.share("mount a");
        Deque<BufferLease> held = new ArrayDeque<>(takeAll(share, small));
        CompletableFuture<BufferLease> large = share.request(MIB, LONG);
        CompletableFuture<BufferLease> behind = share.request(small, LONG);
        Semaphore looked = new Semaphore(0);
        Runnable unlisten = share.onPressure(looked::release);
        for (int i = 0; i < 3; i++) { // what comes back has room for the second; the first needs more
            held.remove().close();
            assertThat(looked.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(behind).isNotDone();
        unlisten.run();
        closeAll(List.copyOf(held));
        large.get(20, TimeUnit.SECONDS).close();
        behind.get(20, TimeUnit.SECONDS).close();
    }

    @Test
    void servesAModestPartWhereOthersOfItsShareHaveTooMuch() throws Exception {
        MemoryShare host = budget.share("peer 10.0.0.1");
        List<BufferLease> greedy = takeAll(host.part("connection 1"), MIB);
        CompletableFuture<BufferLease> more = host.part("connection 1").request(MIB, LONG);
        host.part("connection 2").lease(MIB).close();
        host.part("connection 2")
                .request(2 * MIB, LONG)
                .get(20, TimeUnit.SECONDS)
                .close();
        assertThat(more).isNotDone();
        more.cancel(false);
        closeAll(greedy);
    }

    @Test
    void tellsWhoHoldsNothingThatAllIsShort() throws Exception {
        Semaphore told = new Semaphore(0);
        Runnable unlisten = budget.onPressure(told::release);
        List<BufferLease> one = takeAll(budget.share("mount a"), MIB);
        List<BufferLease> two = takeAll(budget.share("mount b"), MIB);
        List<BufferLease> three = takeAll(budget.share("mount c"), MIB);
        assertThat(told.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
        unlisten.run();
        closeAll(one);
        closeAll(two);
        closeAll(three);
    }
}
