package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcPeer;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** An echo program whose calls wait until the test has them executed and answered; and what such tests need besides. */
final class HeldProgram {
    private static final int STREAM = 8;
    private static final int DATA = 6000;

    final Set<RpcPeer> peers = ConcurrentHashMap.newKeySet();
    private final BlockingQueue<Runnable> arrived = new LinkedBlockingQueue<>();
    final EchoProgram program = new EchoProgram(arrived::add, peers);

    /** The next call that has arrived; running it executes and answers it. */
    Runnable next() throws InterruptedException {
        Runnable call = arrived.poll(10, TimeUnit.SECONDS);
        assertThat(call).as("a call").isNotNull();
        return call;
    }

    boolean isQuiet() {
        return arrived.isEmpty();
    }

    /** Each of the calls with these numbers was executed, and once. */
    void assertOnce(int... serials) {
        assertThat(program.executed).hasSize(serials.length);
        for (int serial : serials) {
            assertThat(program.executed.get(serial)).as("call %d", serial).hasValue(1);
        }
    }

    /** A call that is counted by its number, with a result of some size. */
    static CompletableFuture<String> call(RpcConnection connection, int serial) {
        return connection.call(message(serial), in -> "done");
    }

    static RpcCall message(int serial) {
        RpcCall call = TransportPair.call(EchoProgram.READ).maxReplySize(2 * DATA);
        call.arguments().putInt(serial).putInt(STREAM).putInt(DATA).putInt(serial);
        return call;
    }

    static void assertDone(CompletableFuture<String> call) {
        assertThat(call).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("done");
    }

    /** Something that a thread of its own is at. */
    record Task(Thread thread, CompletableFuture<Void> done) {
        static Task start(ThrowingRunnable work) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                    done.complete(null);
                } catch (Throwable e) {
                    done.completeExceptionally(e);
                }
            });
            thread.start();
            return new Task(thread, done);
        }

        /** Starts it, and returns when it waits for something. */
        static Task waiting(ThrowingRunnable work) {
            Task task = start(work);
            await(() -> task.thread.getState() == Thread.State.TIMED_WAITING
                    || task.thread.getState() == Thread.State.WAITING
                    || task.thread.getState() == Thread.State.TERMINATED);
            assertThat(task.done).isNotDone();
            return task;
        }

        void assertDone() {
            assertThat(done).succeedsWithin(10, TimeUnit.SECONDS);
        }
    }

    interface ThrowingRunnable {
        void run() throws Exception;
    }

    static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline)
                    .as("a condition that does not come true")
                    .isNegative();
            Thread.onSpinWait();
        }
    }
}
