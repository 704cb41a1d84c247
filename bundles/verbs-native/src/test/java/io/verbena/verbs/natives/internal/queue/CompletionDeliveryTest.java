package io.verbena.verbs.natives.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.struct.Layout;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import io.verbena.verbs.natives.internal.struct.ReceiveRequests;
import io.verbena.verbs.natives.internal.struct.SendRequests;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The completions that a handler gets, over a device whose completions a test sets. */
final class CompletionDeliveryTest {
    /** Of an ibv_wc. */
    private static final long WC_OCTETS = 48;

    private final List<Completion.Operation> told = new ArrayList<>();

    /** Records its completions and throws each time. */
    private final class Failing implements ConnectionHandler {
        @Override
        public void onCompletions(Completion[] completions, int count) {
            for (int i = 0; i < count; i++) {
                told.add(completions[i].operation());
            }
            throw new IllegalStateException("a handler that fails");
        }

        @Override
        public void onDisconnected(RdmaException cause) {
            throw new AssertionError("not told here");
        }
    }

    @Test
    void shouldNotTouchTheQueuesOnceTheyMayBeGone() throws Exception {
        FakeLibrary library = new FakeLibrary();
        Ibverbs verbs = library.as(Ibverbs.class);
        CompletionDelivery completions = new CompletionDelivery(verbs, 2, 3, null, null, null, new Failing(), 0);
        assertThat(completions.poll()).isZero();
        assertThat(library.calls("pollCq")).isEqualTo(2);
        completions.close();
        assertThat(completions.poll()).isZero();
        assertThat(library.calls("pollCq")).isEqualTo(2);
    }

    @Test
    void shouldPollAllSendsThatWereCompleteBeforeAReceive() throws Exception {
        List<Long> polled = new ArrayList<>();
        Ibverbs verbs = new FakeLibrary()
                .on("pollCq", arguments -> {
                    polled.add((Long) arguments[0]);
                    long completion = (long) arguments[2];
                    boolean receive = arguments[0].equals(3L);
                    for (int i = 0; i < 16; i++) {
                        long number = 16L * (polled.size() - 2) + i;
                        NativeMemory.putLong(completion + i * WC_OCTETS, receive ? ReceiveQueue.RECEIVE : number);
                        NativeMemory.putInt(
                                completion + i * WC_OCTETS + Layout.Wc.STATUS, NativeConstants.IBV_WC_SUCCESS);
                    }
                    return receive ? 1 : polled.size() < 4 ? 16 : 0;
                })
                .as(Ibverbs.class);
        SendQueue sends = new SendQueue(
                verbs, 1, 2, 64, 1, 0, new SendRequests(64, 0), null, e -> {}, ConnectionTapTest.UNOBSERVED);
        ReceiveQueue receives =
                new ReceiveQueue(verbs, 1, 100, new ReceiveRequests(1, 0), ConnectionTapTest.UNOBSERVED);
        sends.open(1);
        for (int i = 0; i < 32; i++) {
            sends.send(i, 0, 0, 10, 0, 0);
        }
        receives.post(1, 0, 10, 0, null, 0);
        CompletionDelivery completions = new CompletionDelivery(verbs, 2, 3, sends, receives, null, new Failing(), 0);
        assertThat(completions.poll()).isEqualTo(33);
        assertThat(polled).containsExactly(3L, 2L, 2L, 2L);
    }

    @Test
    void shouldTellTheRestThoughTheHandlerFails() throws Exception {
        Ibverbs verbs = new FakeLibrary().as(Ibverbs.class);
        SendQueue sends = new SendQueue(
                verbs, 1, 2, 4, 1, 0, new SendRequests(4, 0), null, e -> {}, ConnectionTapTest.UNOBSERVED);
        ReceiveQueue receives =
                new ReceiveQueue(verbs, 1, 100, new ReceiveRequests(1, 0), ConnectionTapTest.UNOBSERVED);
        sends.open(1);
        sends.send(1, 0, 0, 10, 0, 0);
        for (int i = 0; i < 70; i++) {
            receives.post(i, 0, 10, 0, null, 0);
        }
        CompletionDelivery completions = new CompletionDelivery(verbs, 2, 3, sends, receives, null, new Failing(), 0);

        completions.deliverRest();

        assertThat(told).hasSize(71).startsWith(Completion.Operation.SEND, Completion.Operation.RECEIVE);
    }
}
