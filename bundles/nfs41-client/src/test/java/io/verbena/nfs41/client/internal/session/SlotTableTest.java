package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SlotTableTest {
    private static final int MANY = 100_000;

    private final SlotTable table = new SlotTable(3);
    private final List<String> events = new ArrayList<>();
    private final Map<String, Slot> held = new HashMap<>();

    private void acquire(String name) {
        acquire(name, slot -> {
            events.add(name + slot.id());
            held.put(name, slot);
        });
    }

    private void acquire(String name, Consumer<Slot> holder) {
        table.acquire(new SlotTable.Waiter() {
            @Override
            public void granted(Slot slot) {
                holder.accept(slot);
            }

            @Override
            public void refused() {
                events.add(name + "-");
            }

            @Override
            public long sinceNanos() {
                return 0;
            }

            @Override
            public IOException giveUpReason() {
                return new IOException(name);
            }

            @Override
            public void dismissed(Throwable why) {
                events.add(name + "!" + why.getMessage());
            }
        });
    }

    @Test
    void shouldGrantTheLowestFreeSlotFirst() {
        List.of("a", "b", "c").forEach(this::acquire);
        table.release(held.get("a"));
        table.release(held.get("c"));
        acquire("d");
        assertThat(events).containsExactly("a0", "b1", "c2", "d0");
        assertThat(table.highestUsed()).isEqualTo(1);
    }

    @Test
    void shouldServeWhoWaitsInTheOrderOfArrival() {
        List.of("a", "b", "c", "d", "e").forEach(this::acquire);
        assertThat(events).hasSize(3);
        table.release(held.get("b"));
        table.release(held.get("a"));
        assertThat(events).endsWith("d1", "e0");
    }

    @Test
    void shouldUseNoSlotBeyondTheServersTarget() {
        List.of("a", "b", "c").forEach(this::acquire);
        table.target(0);
        acquire("d");
        table.release(held.get("b"));
        table.release(held.get("c"));
        assertThat(events).hasSize(3);
        table.release(held.get("a"));
        assertThat(events).endsWith("d0");
    }

    @Test
    void shouldServeWhoWaitsWhenTheTargetRises() {
        table.target(0);
        List.of("a", "b", "c").forEach(this::acquire);
        assertThat(events).containsExactly("a0");
        table.target(100);
        assertThat(events).containsExactly("a0", "b1", "c2");
        assertThat(table.limit()).isEqualTo(3);
    }

    @Test
    void shouldSendAwayWhoIsNotToWaitAnyLongerAndKeepTheOthersInLine() {
        List.of("a", "b", "c", "d", "e", "f").forEach(this::acquire);
        table.dismiss(waiter -> waiter.giveUpReason().getMessage().equals("e") ? null : waiter.giveUpReason());
        assertThat(events).containsExactly("a0", "b1", "c2", "d!d", "f!f");
        table.release(held.get("b"));
        table.release(held.get("c"));
        assertThat(events).endsWith("f!f", "e1");
    }

    @Test
    void shouldRefuseEverybodyOnceItIsClosed() {
        List.of("a", "b", "c", "d").forEach(this::acquire);
        table.close();
        acquire("e");
        assertThat(events).endsWith("d-", "e-");
    }

    /** As where a session is lost, or a lock, for which very many requests wait. */
    @Test
    void shouldServeHoweverManyWhoEndAtOnce() {
        List.of("a", "b", "c").forEach(this::acquire);
        AtomicInteger served = new AtomicInteger();
        for (int i = 0; i < MANY; i++) {
            acquire("ends", slot -> {
                served.incrementAndGet();
                table.release(slot);
            });
        }
        table.release(held.get("a"));
        assertThat(served).hasValue(MANY);
        assertThat(table.waiting()).isZero();
        acquire("d");
        assertThat(events).endsWith("d0");
    }
}
