package io.verbena.fuse.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.kernel.FakeKernel.Message;
import io.verbena.fuse.internal.kernel.Opcode;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

final class PendingRequestsTest {
    private static final long FLUSH = 100;
    /** A thread that has gone. */
    private static final int GONE = Integer.MAX_VALUE;

    private final FakeKernel kernel = new FakeKernel();
    private final PendingRequests pending = new PendingRequests(kernel.device(), () -> true);

    /** What the timer's task throws ends the timer. */
    @Test
    void shouldEndARequestOnceTheHostGivesAThreadAgain() {
        Message flush = new Message(Opcode.FLUSH, 1).unique(FLUSH).by(0, 0, GONE);
        pending.add(new PendingRequest(flush.request()));
        pending.lookBy(task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        assertThat(kernel.answers()).isEmpty();
        pending.lookBy(Runnable::run);
        assertThat(kernel.answers()).containsExactly(FLUSH + " " + Errno.EINTR);
    }

    @Test
    void shouldHaveOneLookWaitForAThread() {
        pending.add(new PendingRequest(
                new Message(Opcode.FLUSH, 1).unique(FLUSH).by(0, 0, GONE).request()));
        Deque<Runnable> tasks = new ArrayDeque<>();
        pending.lookBy(tasks::add);
        pending.lookBy(tasks::add);
        assertThat(tasks).hasSize(1);
        tasks.remove().run();
        pending.add(new PendingRequest(
                new Message(Opcode.FLUSH, 1).unique(FLUSH + 1).by(0, 0, GONE).request()));
        pending.lookBy(tasks::add);
        assertThat(tasks).hasSize(1);
    }
}
