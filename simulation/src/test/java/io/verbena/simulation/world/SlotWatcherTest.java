package io.verbena.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.scheduler.Scheduler;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What the watcher makes of slots and replies. */
final class SlotWatcherTest {
    private static final long FIRST = 7;
    private static final long SECOND = 8;

    private final Scheduler scheduler = new Scheduler(new SplittableRandom(1), 0, 1000);
    private final SlotWatcher watcher = new SlotWatcher(scheduler);

    private List<String> failuresOf(Runnable messages) throws InterruptedException {
        return scheduler.run(scheduler.process("test"), "main", messages);
    }

    private void call(long connection, int xid, int slot, int sequenceId) {
        ByteBuffer out = ByteBuffer.allocate(256);
        out.putInt(xid).putInt(1).putInt(16).putInt(0).putInt(0).putInt(0).putInt(0); // RPC-over-RDMA
        out.putInt(xid).putInt(0).putInt(2).putInt(100_003).putInt(4).putInt(1); // RPC
        out.putInt(0).putInt(0).putInt(0).putInt(0); // credential and verifier
        out.putInt(3).putInt(0x61626300).putInt(1).putInt(1).putInt(53); // COMPOUND
        out.putLong(1).putLong(2).putInt(sequenceId).putInt(slot).putInt(0).putInt(0);
        watcher.onSend(connection, true, out.array());
    }

    private void reply(long connection, int xid) {
        ByteBuffer out = ByteBuffer.allocate(64);
        out.putInt(xid).putInt(1).putInt(16).putInt(0).putInt(0).putInt(0).putInt(0);
        out.putInt(xid).putInt(1);
        watcher.onSend(connection, false, out.array());
    }

    @Test
    void shouldAllowTheNextRequestBehindAReply() throws InterruptedException {
        assertThat(failuresOf(() -> {
                    call(FIRST, 1, 0, 5);
                    call(FIRST, 2, 1, 5);
                    reply(FIRST, 1);
                    call(FIRST, 3, 0, 6);
                }))
                .isEmpty();
    }

    @Test
    void shouldTellOfASlotThatIsUsedEarly() throws InterruptedException {
        assertThat(failuresOf(() -> {
                    call(FIRST, 1, 0, 5);
                    call(SECOND, 2, 0, 6);
                }))
                .singleElement()
                .asString()
                .contains("used for 6 before 5 has a reply");
    }

    @Test
    void shouldAllowARetryOnAnotherConnection() throws InterruptedException {
        assertThat(failuresOf(() -> {
                    call(FIRST, 1, 0, 5);
                    watcher.onEnd(FIRST);
                    call(SECOND, 1, 0, 5);
                    reply(SECOND, 1);
                    call(SECOND, 2, 0, 6);
                }))
                .isEmpty();
    }

    @Test
    void shouldTellOfASecondReply() throws InterruptedException {
        assertThat(failuresOf(() -> {
                    call(FIRST, 1, 0, 5);
                    reply(FIRST, 1);
                    reply(FIRST, 1);
                }))
                .containsExactly("a call has two replies on a connection");
    }
}
