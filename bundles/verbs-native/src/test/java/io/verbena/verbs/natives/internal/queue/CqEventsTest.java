package io.verbena.verbs.natives.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class CqEventsTest {
    private static final long CHANNEL = 1;
    private static final long CQ = 2;
    private static final long OTHER = 3;

    private final List<Integer> acknowledged = new ArrayList<>();
    private final List<Integer> ofOther = new ArrayList<>();
    private long next = CQ;
    private final Set<Object> results = new HashSet<>();
    private long waiting;
    private final CqEvents events = new CqEvents(
            new FakeLibrary()
                    .on("takeCqEvent", arguments -> {
                        assertThat(arguments[0]).isEqualTo(CHANNEL);
                        results.add(arguments[1]);
                        NativeMemory.putLong((long) arguments[1], next);
                        return waiting-- > 0 ? 1 : 0;
                    })
                    .on("ackCqEvents", arguments -> {
                        (arguments[0].equals(CQ) ? acknowledged : ofOther).add((Integer) arguments[1]);
                        return 0;
                    })
                    .as(Ibverbs.class),
            CHANNEL,
            CQ,
            OTHER);

    @Test
    void shouldAcknowledgeManyEventsAtOnceAndTheRestAtTheEnd() throws NativeException {
        waiting = 70;
        while (waiting > 0) {
            assertThat(events.take()).isEqualTo(CQ);
        }
        assertThat(events.take()).isZero();
        assertThat(acknowledged).containsExactly(64);
        next = OTHER;
        waiting = 1;
        assertThat(events.take()).isEqualTo(OTHER);

        events.acknowledge();
        events.acknowledge();
        assertThat(acknowledged).containsExactly(64, 6);
        assertThat(ofOther).containsExactly(1);
        assertThat(results).as("one place in memory for all").hasSize(1);
    }
}
