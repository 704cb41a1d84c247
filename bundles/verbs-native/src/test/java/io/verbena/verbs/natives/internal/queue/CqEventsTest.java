package io.verbena.verbs.natives.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class CqEventsTest {
    private static final long CHANNEL = 1;
    private static final long CQ = 2;

    private final List<Integer> acknowledged = new ArrayList<>();
    private final Set<Object> results = new HashSet<>();
    private long waiting;
    private final CqEvents events = new CqEvents(
            new FakeLibrary()
                    .on("takeCqEvent", arguments -> {
                        assertThat(arguments[0]).isEqualTo(CHANNEL);
                        results.add(arguments[1]);
                        return waiting-- > 0 ? 1 : 0;
                    })
                    .on("ackCqEvents", arguments -> {
                        assertThat(arguments[0]).isEqualTo(CQ);
                        acknowledged.add((Integer) arguments[1]);
                        return 0;
                    })
                    .as(Ibverbs.class),
            CHANNEL,
            CQ);

    @Test
    void shouldAcknowledgeManyEventsAtOnceAndTheRestAtTheEnd() throws NativeException {
        waiting = 70;
        while (waiting > 0) {
            events.take();
        }
        events.take();
        assertThat(acknowledged).containsExactly(64);

        events.acknowledge();
        events.acknowledge();
        assertThat(acknowledged).containsExactly(64, 6);
        assertThat(results).as("one place in memory for all").hasSize(1);
    }
}
