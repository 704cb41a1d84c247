package io.verbena.fuse.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.kernel.FakeKernel.Message;
import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.nfs.FileType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** Writes by O_DIRECT to a file of which the kernel has pages for another program. */
final class DirectWritesTest {
    private static final int DIRECT = Protocol.O_RDWR | Protocol.O_DIRECT;

    private final FakeExport export = new FakeExport();
    private final FakeKernel kernel = new FakeKernel();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final Operations operations;
    private int done;

    DirectWritesTest() throws Exception {
        operations = export.operations(kernel.device(), tasks::add, Duration.ZERO);
    }

    private long first(Message message) throws Exception {
        return FakeKernel.content(operations.execute(message.request())).getLong(0);
    }

    private void write(long node, long handle) {
        Message message = new Message(Opcode.WRITE, node)
                .u64(handle, 0)
                .u32(4, 0)
                .u64(0)
                .u32(DIRECT, 0)
                .u32(1);
        operations.transfer(message.request(), null, new Operations.Ending() {
            @Override
            public void answer(Reply reply) {
                done++;
            }

            @Override
            public void answer(ByteBuffer buffer, int start, int length) {
                throw new AssertionError("it is no READ");
            }

            @Override
            public void fail(Throwable thrown) {
                throw new AssertionError(thrown);
            }
        });
    }

    /** The kernel waits for a page whose READ may need a thread of tasks, and there are 64. */
    @Test
    void shouldHaveThePagesDroppedByOneTask() throws Exception {
        export.put("/f", FileType.REGULAR, 12, 0644);
        long node = first(new Message(Opcode.LOOKUP, Protocol.ROOT_NODE).name("f"));
        long direct = first(new Message(Opcode.OPEN, node).u32(DIRECT, 0));
        long other = first(new Message(Opcode.OPEN, node).u32(0, 0));
        assertThat(other).isNotEqualTo(direct);
        write(node, direct);
        write(node, direct);
        assertThat(done).isEqualTo(2);
        assertThat(tasks).hasSize(1);
        tasks.remove().run();
        assertThat(kernel.dropped()).containsExactly(node);
        write(node, direct);
        assertThat(tasks).hasSize(1);
    }
}
