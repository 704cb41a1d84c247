package io.verbena.fuse.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.kernel.FakeKernel.Message;
import io.verbena.fuse.internal.kernel.Kernel;
import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.ops.FakeExport;
import io.verbena.memory.internal.DirectMemory;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** The kernel bounds its read-ahead by the reply to INIT, also where another thread has widened it before. */
final class ReadAheadTest {
    private static final int NOW = 128 << 10;
    private static final int BOUND_AT = 8;

    private final FakeKernel kernel = new FakeKernel();

    @Test
    void shouldNotBeNarrowedByTheReplyToInit() throws IOException {
        Executor direct = Runnable::run;
        FuseSession session = new FuseSession(
                kernel.device(),
                new FakeExport().operations(kernel.device(), direct, Duration.ofSeconds(3)),
                new PendingRequests(kernel.device(), () -> false),
                direct,
                direct,
                () -> new DirectMemory().share("mount m"));
        kernel.sends(new Message(Opcode.INIT, 0)
                .unique(1)
                .u32(Protocol.MAJOR, Protocol.MINOR, NOW, 0)
                .u64(0, 0, 0, 0, 0, 0));
        session.run();
        assertThat(kernel.answers()).containsExactly("1 0");
        assertThat(kernel.last().getInt(BOUND_AT)).isEqualTo(Kernel.MAX_READ_AHEAD);
    }
}
