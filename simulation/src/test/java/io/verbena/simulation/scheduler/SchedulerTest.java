package io.verbena.simulation.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Strands in virtual time. */
@Timeout(60)
final class SchedulerTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final Scheduler scheduler = new Scheduler(new SplittableRandom(1), 0.5, 100_000);
    private final SimulatedProcess process = scheduler.process("test");
    private final Runtime runtime = process.runtime();
    private final List<String> seen = new ArrayList<>();

    /** What a strand does, with the exceptions of its waits. */
    private interface Task {
        void run() throws InterruptedException, ExecutionException, TimeoutException;
    }

    private static Runnable quietly(Task task) {
        return () -> {
            try {
                task.run();
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    private List<String> run(Task main) throws InterruptedException {
        return scheduler.run(process, "main", quietly(main));
    }

    @Test
    void shouldLetAnHourGoByAtOnce() throws InterruptedException {
        List<String> failures = run(() -> {
            long before = runtime.nanoTime();
            runtime.sleep(HOUR);
            assertThat(runtime.nanoTime() - before).isBetween(HOUR, HOUR + 1_000_000);
        });
        assertThat(failures).isEmpty();
    }

    /** Such a strand may go on behind its wait, since code of a product may catch everything. */
    @Test
    void shouldNoteNoFailureOfAStrandThatIsUnwound() throws InterruptedException {
        List<String> failures = run(() -> {
            SimulatedProcess killed = scheduler.process("killed");
            scheduler.start(killed, "waits", () -> {
                try {
                    killed.runtime().sleep(2 * HOUR);
                } catch (Throwable e) {
                    seen.add("unwound");
                    scheduler.fail("the wait has ended");
                }
            });
            runtime.sleep(HOUR);
            killed.kill();
        });
        assertThat(seen).containsExactly("unwound");
        assertThat(failures).isEmpty();
    }

    @Test
    void shouldWakeWhoAwaitsAFutureOrTheTime() throws InterruptedException {
        List<String> failures = run(() -> {
            CompletableFuture<String> late = new CompletableFuture<>();
            scheduler.start(process, "other", quietly(() -> {
                runtime.sleep(HOUR);
                late.complete("done");
            }));
            boolean timedOut = false;
            try {
                runtime.await(late, HOUR / 2);
            } catch (TimeoutException e) {
                timedOut = true;
            }
            assertThat(timedOut).isTrue();
            assertThat(runtime.await(late, Long.MAX_VALUE)).isEqualTo("done");
        });
        assertThat(failures).isEmpty();
    }

    @Test
    void shouldSignalConditionsAndGiveTheLockBack() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Condition changed = runtime.newCondition(lock);
        List<String> failures = run(() -> {
            scheduler.start(process, "other", () -> {
                lock.lock();
                try {
                    seen.add("signals");
                    changed.signal();
                } finally {
                    lock.unlock();
                }
            });
            lock.lock();
            try {
                lock.lock();
                try {
                    awaitTwice(lock, changed);
                } finally {
                    lock.unlock();
                }
            } finally {
                lock.unlock();
            }
        });
        assertThat(failures).isEmpty();
        assertThat(seen).containsExactly("signals");
    }

    @SuppressWarnings("WaitNotInLoop") // simulated conditions do not wake anybody without a reason
    private static void awaitTwice(ReentrantLock lock, Condition changed) throws InterruptedException {
        assertThat(changed.awaitNanos(HOUR)).isPositive();
        assertThat(lock.getHoldCount()).isEqualTo(2);
        assertThat(changed.awaitNanos(HOUR)).as("nobody signals again").isNotPositive();
    }

    @Test
    void shouldRunTasksOfExecutorsAtTheirTimes() throws InterruptedException {
        List<String> failures = run(() -> {
            ScheduledExecutorService timer = runtime.newScheduler("timer", 1);
            Future<?> repeated = timer.scheduleWithFixedDelay(() -> seen.add("tick"), HOUR, HOUR, TimeUnit.NANOSECONDS);
            Future<?> never = timer.schedule(() -> seen.add("never"), 2, TimeUnit.HOURS);
            never.cancel(false);
            runtime.sleep(3 * HOUR + HOUR / 2);
            repeated.cancel(false);
            timer.shutdown();
            assertThat(runtime.awaitEnd(timer, HOUR)).isTrue();
        });
        assertThat(failures).isEmpty();
        assertThat(seen).containsExactly("tick", "tick", "tick");
    }

    @Test
    void shouldKeepTheOrderOfASingleThread() throws InterruptedException {
        List<String> failures = run(() -> {
            ExecutorService one = runtime.newExecutor("one", 1, Duration.ofSeconds(1));
            for (int i = 0; i < 20; i++) {
                String name = "task " + i;
                one.execute(() -> seen.add(name));
            }
            one.shutdown();
            assertThat(runtime.awaitEnd(one, HOUR)).isTrue();
        });
        assertThat(failures).isEmpty();
        assertThat(seen).hasSize(20).startsWith("task 0", "task 1").endsWith("task 19");
    }

    @Test
    void shouldInterruptWhoSleeps() throws InterruptedException {
        List<String> failures = run(() -> {
            Thread thread = runtime.threads("sleeper").newThread(() -> {
                try {
                    runtime.sleep(HOUR);
                } catch (InterruptedException e) {
                    seen.add("interrupted");
                }
            });
            thread.start();
            runtime.sleep(1_000);
            thread.interrupt();
            assertThat(runtime.awaitEnd(thread, HOUR / 2)).isTrue();
        });
        assertThat(failures).isEmpty();
        assertThat(seen).containsExactly("interrupted");
    }

    @Test
    void shouldNeverRunAProcessThatWasKilled() throws InterruptedException {
        SimulatedProcess victim = scheduler.process("victim");
        List<String> failures = run(() -> {
            scheduler.start(victim, "main", quietly(() -> {
                try {
                    victim.runtime().sleep(HOUR);
                    seen.add("alive");
                } finally {
                    seen.add("unwound");
                }
            }));
            runtime.sleep(1_000);
            victim.kill();
            runtime.sleep(2 * HOUR);
            assertThat(seen).isEmpty();
        });
        assertThat(failures).isEmpty();
        assertThat(seen).as("at the end of the world").containsExactly("unwound");
    }

    @Test
    void shouldTellWhatNobodyCatches() throws InterruptedException {
        List<String> failures = run(() -> {
            scheduler.start(process, "other", () -> {
                throw new IllegalStateException("as the test wants");
            });
            runtime.sleep(HOUR);
        });
        assertThat(failures).singleElement().asString().contains("other").contains("as the test wants");
    }

    @Test
    void shouldTellThatNothingRunsAnyMore() throws InterruptedException {
        List<String> failures = run(() -> runtime.await(new CompletableFuture<>(), Long.MAX_VALUE));
        assertThat(failures)
                .singleElement()
                .asString()
                .contains("nothing runs any more")
                .contains("test/main");
    }

    @Test
    void shouldFailWhereATaskOfATimerFails() throws InterruptedException {
        ScheduledExecutorService executor = runtime.newScheduler("timers", 1);
        List<String> failures = run(() -> {
            Future<?> once = runtime.runLater(SchedulerTest::fail, 1);
            Future<?> again = runtime.runRepeatedly(SchedulerTest::fail, 1);
            Future<?> scheduled = executor.schedule(SchedulerTest::fail, 1, TimeUnit.NANOSECONDS);
            Future<?> repeated = executor.scheduleWithFixedDelay(SchedulerTest::fail, 1, 1, TimeUnit.NANOSECONDS);
            runtime.sleep(1_000_000);
            assertThat(List.of(once, again, scheduled, repeated)).allMatch(Future::isDone);
        });
        assertThat(failures).hasSize(4).allMatch(each -> each.contains("failed on purpose"));
    }

    @Test
    void shouldFailWhereAnEventFails() throws InterruptedException {
        List<String> failures = run(() -> {
            scheduler.after(1, SchedulerTest::fail);
            runtime.sleep(1_000_000);
        });
        assertThat(failures).hasSize(1).allMatch(each -> each.startsWith("an event has failed: "));
    }

    @Test
    void shouldFailWhereAnErrorIsLogged() throws InterruptedException {
        List<String> failures = run(() -> {
            LoggerFactory.getLogger("test").warn("nothing");
            LoggerFactory.getLogger("test").error("{} failed", "all", new IllegalStateException("on purpose"));
        });
        assertThat(failures)
                .hasSize(1)
                .allMatch(each -> each.contains("has logged an error: all failed: java.lang.IllegalStateException"));
    }

    private static void fail() {
        throw new IllegalStateException("failed on purpose");
    }
}
