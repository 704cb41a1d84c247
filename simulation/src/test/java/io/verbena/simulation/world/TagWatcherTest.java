package io.verbena.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.scheduler.Scheduler;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What the watcher makes of the memory that calls offer. */
final class TagWatcherTest {
    private static final long FIRST = 7;
    private static final long SECOND = 8;
    private static final int TAG = 0xabcd;

    private final Scheduler scheduler = new Scheduler(new SplittableRandom(1), 0, 1000);
    private final TagWatcher watcher = new TagWatcher(scheduler);

    private List<String> failuresOf(Runnable messages) throws InterruptedException {
        watcher.onConnect(FIRST, "client");
        watcher.onConnect(SECOND, "client");
        return scheduler.run(scheduler.process("test"), "main", messages);
    }

    /** A call with a Write chunk of one segment. */
    private void call(long connection, int xid) {
        ByteBuffer out = ByteBuffer.allocate(64);
        out.putInt(xid).putInt(1).putInt(16).putInt(0).putInt(0);
        out.putInt(1).putInt(1).putInt(TAG).putInt(100).putLong(5).putInt(0).putInt(0);
        watcher.onSend(connection, true, out.array());
    }

    private void reply(long connection, int xid) {
        ByteBuffer out = ByteBuffer.allocate(64);
        out.putInt(xid).putInt(1).putInt(16).putInt(0).putInt(0).putInt(0).putInt(0);
        watcher.onSend(connection, false, out.array());
    }

    private void access(long connection) {
        watcher.onAccess(connection, false, TAG);
    }

    @Test
    void shouldAllowAnAccessBeforeTheReply() throws InterruptedException {
        assertThat(failuresOf(() -> {
                    call(FIRST, 1);
                    access(FIRST);
                    reply(FIRST, 1);
                }))
                .isEmpty();
    }

    @Test
    void shouldTellOfAnAccessToWhatNobodyHasOffered() throws InterruptedException {
        assertThat(failuresOf(() -> {
                    call(FIRST, 1);
                    access(SECOND);
                }))
                .containsExactly("an access to memory that no call has offered");
    }

    @Test
    void shouldTellOfAnAccessBehindTheReply() throws InterruptedException {
        assertThat(failuresOf(() -> {
                    call(FIRST, 1);
                    reply(FIRST, 1);
                    access(FIRST);
                }))
                .containsExactly("an access to the memory of call 1 behind its reply");
    }

    @Test
    void shouldAllowAnAccessToACallThatIsSentAgainBehindAnAnswer() throws InterruptedException {
        assertThat(failuresOf(() -> {
                    call(FIRST, 1);
                    reply(FIRST, 1); // the other version, please
                    call(FIRST, 1);
                    access(FIRST);
                }))
                .isEmpty();
    }

    @Test
    void shouldTellOfARefusalWhoseCallWasNotGivenUp() throws InterruptedException {
        assertThat(failuresOf(() -> {
                    call(FIRST, 1);
                    access(FIRST);
                    watcher.onRefused(FIRST, false, TAG);
                    call(SECOND, 2);
                    call(SECOND, 1);
                }))
                .containsExactly(
                        "an access to the memory of call 1 of client was refused, and the call was not given up");
    }
}
