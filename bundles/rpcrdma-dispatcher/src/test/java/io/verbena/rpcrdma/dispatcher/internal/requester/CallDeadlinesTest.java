package io.verbena.rpcrdma.dispatcher.internal.requester;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How long calls wait for a service that is missing. */
final class CallDeadlinesTest {
    private static final long MADE = -7;
    private static final long SERVICE = TimeUnit.SECONDS.toNanos(30);

    @Test
    @DisplayName("a call gets its time once more")
    void shouldGiveItsTimeOnceMore() {
        long timeout = TimeUnit.SECONDS.toNanos(2);
        assertThat(CallDeadlines.postponed(MADE + timeout, MADE, timeout, SERVICE))
                .isEqualTo(MADE + 2 * timeout);
    }

    @Test
    @DisplayName("a call with hardly any time is not looked at in a busy loop")
    void shouldNotLookAtACallAllTheTime() {
        long now = MADE + 1;
        int looks = 0;
        while (now < MADE + 1 + SERVICE) {
            now = CallDeadlines.postponed(now, MADE, 1, SERVICE);
            looks++;
        }
        assertThat(looks).isEqualTo(SERVICE / CallDeadlines.LEAST_POSTPONED_NANOS);
    }

    @Test
    @DisplayName("a call gets no more time in all than a service may be missing")
    void shouldGiveNoMoreThanAServiceMayBeMissing() {
        long timeout = TimeUnit.SECONDS.toNanos(20);
        assertThat(CallDeadlines.postponed(MADE + 2 * timeout, MADE, timeout, SERVICE))
                .isEqualTo(MADE + timeout + SERVICE);
        assertThat(CallDeadlines.postponed(MADE + SERVICE, MADE, 1, SERVICE)).isEqualTo(MADE + 1 + SERVICE);
    }
}
