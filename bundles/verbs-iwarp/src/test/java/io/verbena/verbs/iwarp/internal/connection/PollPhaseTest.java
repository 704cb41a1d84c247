package io.verbena.verbs.iwarp.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.junit.jupiter.api.Test;

class PollPhaseTest {
    /**
     * Looks take a microsecond each, or as long as is set. The socket is ready, or the thread is called, at one of them
     * or never.
     */
    private static final class Looks extends SystemRuntime implements PollPhase.Source {
        private static final int NEVER = -1;

        private int count;
        private long takenNanos = 1000;
        private int ready = NEVER;
        private int called = NEVER;

        @Override
        public long nanoTime() {
            return count * takenNanos;
        }

        @Override
        public int look() {
            return ++count == ready ? SelectionKey.OP_READ : 0;
        }

        @Override
        public boolean isCalled() {
            return count == called;
        }
    }

    private final Looks looks = new Looks();
    private final PollPhase phase = new PollPhase(looks, 50);

    /** The looks of one wait. */
    private int looks(long waitMillis) throws IOException {
        int before = looks.count;
        int operations = phase.poll(looks, waitMillis);
        assertThat(operations).isEqualTo(looks.count == looks.ready ? SelectionKey.OP_READ : 0);
        return looks.count - before;
    }

    @Test
    void shouldLookUntilTheSocketIsReady() throws IOException {
        for (int wait = 0; wait < 100; wait++) {
            looks.ready = looks.count + 10;
            assertThat(looks(-1)).isEqualTo(10);
        }
    }

    @Test
    void shouldEndWhenTheThreadIsCalled() throws IOException {
        for (int wait = 0; wait < 100; wait++) {
            looks.called = looks.count + 10;
            assertThat(looks(-1)).isEqualTo(10);
        }
    }

    @Test
    void shouldEndAtItsLimitOrThatOfTheWait() throws IOException {
        assertThat(looks(1)).isEqualTo(50);
        PollPhase longer = new PollPhase(looks, 5000);
        int before = looks.count;
        assertThat(longer.poll(looks, 2)).isZero();
        assertThat(looks.count - before).isEqualTo(2000);
    }

    @Test
    void shouldNotLookWithoutALimitOrAWait() throws IOException {
        assertThat(looks(0)).isZero();
        assertThat(new PollPhase(looks, 0).poll(looks, -1)).isZero();
        assertThat(looks.count).isZero();
    }

    @Test
    void shouldCostAnIdleConnectionFewPhases() throws IOException {
        int phases = 0;
        for (int wait = 0; wait < 1000; wait++) {
            phases += looks(-1) == 0 ? 0 : 1;
        }
        assertThat(phases).isLessThan(25);
    }

    @Test
    void shouldCostFewPhasesWhereOthersTakeTheProcessor() throws IOException {
        looks.takenNanos = 3_000_000;
        int phases = 0;
        for (int wait = 0; wait < 1000; wait++) {
            looks.ready = looks.count + 1;
            phases += looks(-1) == 0 ? 0 : 1;
        }
        assertThat(phases).isLessThan(25);
    }

    @Test
    void shouldLookAtEachWaitAgainAfterASuccess() throws IOException {
        for (int wait = 0; wait < 1000; wait++) {
            looks(-1);
        }
        int waits = 0;
        do {
            looks.ready = looks.count + 1;
            waits++;
        } while (looks(-1) == 0);
        assertThat(waits).isLessThan(70);
        for (int wait = 0; wait < 100; wait++) {
            looks.ready = looks.count + 1;
            assertThat(looks(-1)).isEqualTo(1);
        }
    }
}
