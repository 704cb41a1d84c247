package io.verbena.verbs.natives.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a handler is told, over a device that completes what a test says. */
final class CompletionsTest {
    private final List<Completion.Operation> told = new ArrayList<>();

    /** Throws each time, once it has noted what it was told. */
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
    void shouldTellTheRestThoughTheHandlerFails() throws Exception {
        Ibverbs verbs = new FakeLibrary().as(Ibverbs.class);
        SendQueue sends =
                new SendQueue(verbs, 1, 4, 1, 0, new SendRequests(4, 0), null, e -> {}, TrafficTest.UNOBSERVED);
        ReceiveQueue receives = new ReceiveQueue(verbs, 1, 100, new ReceiveRequests(1, 0), TrafficTest.UNOBSERVED);
        sends.open(1);
        sends.send(1, 0, 0, 10, 0, 0);
        for (int i = 0; i < 70; i++) {
            receives.post(i, 0, 10, 0, null, 0);
        }
        Completions completions = new Completions(verbs, 1, sends, receives, null, new Failing(), 0);

        completions.tellRest();

        assertThat(told).hasSize(71).startsWith(Completion.Operation.SEND, Completion.Operation.RECEIVE);
    }
}
