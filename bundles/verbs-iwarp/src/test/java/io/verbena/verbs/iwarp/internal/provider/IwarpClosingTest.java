package io.verbena.verbs.iwarp.internal.provider;

import static io.verbena.verbs.iwarp.internal.provider.RawPeer.HEX;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaPeer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What closing waits for, and for how long, where code above hangs. */
@Timeout(60)
class IwarpClosingTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** Threads of handshakes do not end, and the wait for one takes as long as it may. */
    private static final class HungHandshakes extends SystemRuntime {
        final AtomicLong waited = new AtomicLong();

        @Override
        public long nanoTime() {
            return super.nanoTime() + waited.get();
        }

        @Override
        public boolean awaitEnd(Thread thread, long timeoutNanos) throws InterruptedException {
            if (!thread.getName().startsWith("iwarp-handshake-")) {
                return super.awaitEnd(thread, timeoutNanos);
            }
            waited.addAndGet(Math.max(0, timeoutNanos));
            return false;
        }
    }

    private final HungHandshakes runtime = new HungHandshakes();
    private final IwarpProvider provider = new IwarpProvider(runtime, new DirectMemory());
    private final CountDownLatch goOn = new CountDownLatch(1);

    @AfterEach
    void end() {
        goOn.countDown();
        provider.deactivate();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(RdmaPeer.BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("several listeners whose acceptors hang are waited for no longer than one")
    void shouldWaitForAllListenersTogether() throws Exception {
        CountDownLatch asked = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            RdmaListener listener = provider.listen(ANY, Map.of(), request -> {
                asked.countDown();
                await(goOn);
            });
            RawPeer.to(listener.localAddress())
                    .send(HEX.parseHex("4d504120494420526571204672616d65" + "50020004" + "00100010"));
        }
        await(asked);
        provider.deactivate();
        assertThat(runtime.waited).hasValueLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(30));
    }

    /** Hangs when it is told of the end, after it has closed the connection once more. */
    private final class HangingHandler implements ConnectionHandler {
        final CountDownLatch told = new CountDownLatch(1);
        volatile RdmaConnection connection;
        volatile boolean isOver;

        @Override
        public void onCompletions(Completion[] completions, int count) {
            // nothing is posted
        }

        @Override
        public void onDisconnected(RdmaException cause) {
            connection.close();
            told.countDown();
            await(goOn);
            isOver = true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"connection", "provider"})
    @DisplayName("who closes an end that was never connected waits for another thread that closes it already")
    void shouldWaitForTheThreadThatClosesAnEndThatWasNeverConnected(String second) throws Exception {
        HangingHandler handler = new HangingHandler();
        handler.connection = provider.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 9),
                new ConnectionOptions(1, 1, 1, 1, Map.of()),
                handler,
                Duration.ofSeconds(1));
        Thread closing = new Thread(handler.connection::close);
        closing.start();
        await(handler.told);
        Thread closingToo = new Thread(second.equals("provider") ? provider::deactivate : handler.connection::close);
        closingToo.start();
        while (closingToo.getState() != Thread.State.TIMED_WAITING
                && closingToo.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        assertThat(closingToo.isAlive()).isTrue();
        goOn.countDown();
        closingToo.join();
        assertThat(handler.isOver).isTrue();
        closing.join();
    }
}
