package io.verbena.nfs41.client.internal.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class CachedAnswerValidityTest {
    private final AtomicLong changes = new AtomicLong();
    private final AtomicBoolean doubtful = new AtomicBoolean();
    private final AtomicLong clock = new AtomicLong();

    private BooleanSupplier nextReply(long maxAgeNanos) {
        return new CachedAnswerValidity(changes::get, doubtful::get, maxAgeNanos, clock::get).ofNextReply();
    }

    @Test
    void shouldHoldUntilSomethingIsChanged() {
        BooleanSupplier freshness = nextReply(100);
        assertThat(freshness.getAsBoolean()).isTrue();
        changes.incrementAndGet();
        assertThat(freshness.getAsBoolean()).isFalse();
        assertThat(nextReply(100).getAsBoolean()).isTrue();
    }

    @Test
    void shouldNotHoldWhileWritesAreOnTheirWay() {
        BooleanSupplier freshness = nextReply(100);
        doubtful.set(true);
        assertThat(freshness.getAsBoolean()).isFalse();
    }

    @Test
    void shouldCountItsAgeFromTheRequestOn() {
        BooleanSupplier freshness = nextReply(100);
        clock.set(99);
        assertThat(freshness.getAsBoolean()).isTrue();
        clock.set(100);
        assertThat(freshness.getAsBoolean()).isFalse();
    }

    @Test
    void shouldNeverHoldWhereNothingMayBeOld() {
        assertThat(nextReply(0).getAsBoolean()).isFalse();
    }
}
