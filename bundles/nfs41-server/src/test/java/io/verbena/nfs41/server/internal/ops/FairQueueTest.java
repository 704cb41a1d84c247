package io.verbena.nfs41.server.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.server.internal.testing.PeerAt;
import io.verbena.nfs41.server.internal.testing.UnspeakableError;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FairQueueTest {
    private final Deque<Runnable> handed = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private boolean noThread;
    private Runnable meanwhile = () -> {};

    private void runAll() {
        while (!handed.isEmpty()) {
            handed.remove().run();
        }
    }

    @Test
    void shouldServeAddressesInTurnAndTheirConnectionsToo() {
        FairQueue queue = new FairQueue(handed::add, 1);
        for (int i = 0; i < 4; i++) {
            queue.execute(new PeerAt(1, "10.0.0.1"), () -> done.add("a"));
        }
        for (int i = 0; i < 2; i++) {
            queue.execute(new PeerAt(2, "10.0.0.1"), () -> done.add("b"));
        }
        for (int i = 0; i < 3; i++) {
            queue.execute(new PeerAt(3, "10.0.0.2"), () -> done.add("C"));
        }
        runAll();
        assertThat(String.join("", done)).isEqualTo("aCbCaCbaa");
        assertThat(queue.waiting()).isZero();
    }

    /** A host chooses the lower half of its addresses itself (RFC 8981). */
    @Test
    void shouldGiveAHostOfManyAddressesNoMoreTurns() {
        FairQueue queue = new FairQueue(handed::add, 1);
        for (int i = 1; i <= 4; i++) {
            queue.execute(new PeerAt(i, "2001:db8::" + i), () -> done.add("a"));
        }
        for (int i = 0; i < 2; i++) {
            queue.execute(new PeerAt(9, "2001:db8:0:1::1"), () -> done.add("B"));
        }
        runAll();
        assertThat(String.join("", done)).isEqualTo("aBaBaa");
    }

    @Test
    void shouldHandOverNoMoreAtATimeThanWasAskedFor() {
        FairQueue queue = new FairQueue(handed::add, 2);
        for (int i = 0; i < 5; i++) {
            queue.execute(new PeerAt(1, "10.0.0.1"), () -> done.add("a"));
        }
        assertThat(handed).hasSize(2);
        runAll();
        assertThat(done).hasSize(5);
        queue.execute(new PeerAt(1, "10.0.0.1"), () -> done.add("a"));
        runAll();
        assertThat(done).hasSize(6);
    }

    @Test
    void shouldRefuseWhatTooMuchWaitsBefore() {
        FairQueue queue = new FairQueue(handed::add, 1);
        PeerAt greedy = new PeerAt(1, "10.0.0.1");
        for (int i = 0; i < FairQueue.MAX_WAITING; i++) {
            assertThat(queue.offer(greedy, () -> done.add("a"))).isTrue();
        }
        assertThat(queue.offer(new PeerAt(2, "10.0.0.1"), () -> done.add("a"))).isFalse();
        assertThat(queue.offer(new PeerAt(3, "10.0.0.2"), () -> done.add("C"))).isTrue();
        queue.execute(greedy, () -> done.add("b")); // it has begun
        runAll();
        assertThat(done).hasSize(FairQueue.MAX_WAITING + 2);
        assertThat(done.subList(0, 2)).contains("C");
        assertThat(queue.offer(greedy, () -> done.add("a"))).isTrue();
    }

    @Test
    void shouldGoOnBehindATaskThatFails() {
        FairQueue queue = new FairQueue(handed::add, 1);
        queue.execute(new PeerAt(1, "10.0.0.1"), () -> {
            throw new AssertionError("as a test has it");
        });
        queue.execute(new PeerAt(1, "10.0.0.1"), () -> done.add("a"));
        runAll();
        assertThat(done).containsExactly("a");
    }

    /** As where there is no memory to log it. */
    @Test
    void shouldGoOnBehindATaskWhoseFailureCannotBeLogged() {
        FairQueue queue = new FairQueue(handed::add, 1);
        queue.execute(new PeerAt(1, "10.0.0.1"), () -> {
            throw new UnspeakableError();
        });
        queue.execute(new PeerAt(1, "10.0.0.1"), () -> done.add("a"));
        runAll();
        assertThat(done).containsExactly("a");
    }

    @Test
    void shouldDoItselfWhatNoWorkerTakes() {
        FairQueue queue = new FairQueue(
                task -> {
                    throw new RejectedExecutionException("closed");
                },
                4);
        queue.execute(new PeerAt(1, "10.0.0.1"), () -> {
            queue.execute(new PeerAt(1, "10.0.0.1"), () -> done.add("b"));
            done.add("a");
        });
        assertThat(done).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void shouldDoAllOfManyThreads() throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(4);
        ExecutorService peers = Executors.newFixedThreadPool(4);
        CountDownLatch left = new CountDownLatch(4 * 5000);
        FairQueue queue = new FairQueue(workers, 4);
        for (int i = 0; i < 4; i++) {
            PeerAt peer = new PeerAt(i, "10.0.0." + i / 2);
            var unused = peers.submit(() -> {
                for (int task = 0; task < 5000; task++) {
                    queue.execute(peer, left::countDown);
                }
            });
        }
        assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(queue.waiting()).isZero();
        workers.shutdown();
        peers.shutdown();
        assertThat(workers.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }

    /** A queue that no thread can be started for, as long as {@link #noThread} says so. */
    private FairQueue withoutThreads(int most) {
        return new FairQueue(
                task -> {
                    meanwhile.run();
                    if (noThread) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    handed.add(task);
                },
                most);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldNotDoWhatItRefusesWhereThereIsNoThreadAndServeWhatComesNext(int most) {
        FairQueue queue = withoutThreads(most);
        noThread = true;
        assertThat(queue.offer(new PeerAt(1, "10.0.0.1"), () -> done.add("refused")))
                .isFalse();
        assertThat(queue.waiting()).isZero();
        noThread = false;
        assertThat(queue.offer(new PeerAt(1, "10.0.0.1"), () -> done.add("next")))
                .isTrue();
        queue.execute(new PeerAt(2, "10.0.0.2"), () -> done.add("last"));
        runAll();
        assertThat(done).containsExactly("next", "last");
    }

    @Test
    void shouldDoHereWhatHasBegunWhereThereIsNoThread() {
        FairQueue queue = withoutThreads(1);
        noThread = true;
        queue.execute(new PeerAt(1, "10.0.0.1"), () -> done.add("begun"));
        assertThat(done).containsExactly("begun");
        noThread = false;
        queue.execute(new PeerAt(1, "10.0.0.1"), () -> done.add("next"));
        runAll();
        assertThat(done).containsExactly("begun", "next");
    }

    @Test
    void shouldDoWhatOthersHaveLeftToAHandOverThatFails() {
        FairQueue queue = withoutThreads(1);
        noThread = true;
        meanwhile = () -> {
            meanwhile = () -> {};
            assertThat(queue.offer(new PeerAt(2, "10.0.0.1"), () -> done.add("left")))
                    .isTrue();
        };
        assertThat(queue.offer(new PeerAt(1, "10.0.0.1"), () -> done.add("refused")))
                .isFalse();
        assertThat(done).containsExactly("left");
        assertThat(queue.waiting()).isZero();
    }

    @Test
    void shouldLeaveToThoseAtWorkWhatThereIsNoThreadFor() {
        FairQueue queue = withoutThreads(2);
        queue.execute(new PeerAt(1, "10.0.0.1"), () -> done.add("first"));
        noThread = true;
        assertThat(queue.offer(new PeerAt(2, "10.0.0.2"), () -> done.add("second")))
                .isTrue();
        runAll(); // which finds no thread to pass the second one on to
        assertThat(done).containsExactly("first", "second");
        noThread = false;
        for (int i = 0; i < 3; i++) {
            queue.execute(new PeerAt(1, "10.0.0.1"), () -> done.add("later"));
        }
        assertThat(handed).hasSize(2);
    }
}
