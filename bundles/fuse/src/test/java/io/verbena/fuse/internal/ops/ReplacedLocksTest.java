package io.verbena.fuse.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.kernel.FakeKernel.Message;
import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.nfs.FileType;
import io.verbena.nfs.MountReplacedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a program does under a lock while the mount is replaced: another client may have got the lock. */
final class ReplacedLocksTest {
    private static final long OWNER = 7;
    private static final int SIZE = 12;

    private final FakeExport export = new FakeExport();
    private final List<String> outcomes = new ArrayList<>();
    private Operations operations;
    private long node;
    private long handle;
    private long otherHandle;

    @BeforeEach
    void lock() throws Exception {
        export.put("/f", FileType.REGULAR, SIZE, 0644);
        operations = export.operations(new FakeKernel().device(), Runnable::run, Duration.ZERO);
        node = execute(new Message(Opcode.LOOKUP, Protocol.ROOT_NODE).name("f")).getLong(0);
        handle = open();
        otherHandle = open();
        ByteBuffer unused = execute(new Message(Opcode.SETLK, node)
                .u64(handle, OWNER, 0, Long.MAX_VALUE)
                .u32(Protocol.F_WRLCK, 1, 0, 0));
    }

    private ByteBuffer execute(Message message) throws Exception {
        return FakeKernel.content(operations.execute(message.request()));
    }

    private long open() throws Exception {
        return execute(new Message(Opcode.OPEN, node).u32(Protocol.O_RDWR, 0)).getLong(0);
    }

    private final class Outcome implements Operations.Ending {
        @Override
        public void answer(Reply reply) {
            outcomes.add("answer");
        }

        @Override
        public void answer(ByteBuffer buffer, int start, int length) {
            outcomes.add("data");
        }

        @Override
        public void fail(Throwable thrown) {
            outcomes.add("error " + Errno.of(thrown));
        }
    }

    private void assertReadFails(long by) {
        Message read = new Message(Opcode.READ, node).u64(by, 0).u32(SIZE);
        operations.transfer(read.request(), null, new Outcome());
        assertThat(export.reads()).hasSize(1);
        export.replace();
        export.reads().get(0).completeExceptionally(new MountReplacedException("m", false));
        assertThat(export.reads()).hasSize(1);
        assertThat(outcomes).containsExactly("error " + Errno.EIO);
    }

    @Test
    void shouldNotBeReadAgain() {
        assertReadFails(handle);
    }

    @Test
    void shouldNotBeReadAgainByAnotherOpen() {
        assertReadFails(otherHandle);
    }

    private void assertNotResized(long by) {
        export.replace();
        Message change = new Message(Opcode.SETATTR, node)
                .u32(Protocol.FATTR_SIZE | Protocol.FATTR_FH, 0)
                .u64(by, 5, 0, 0, 0, 0)
                .u32(0, 0, 0, 0, 0, 0, 0, 0);
        assertThatThrownBy(() -> execute(change)).extracting(Errno::of).isEqualTo(Errno.EIO);
        assertThat(export.states()).isEmpty();
    }

    @Test
    void shouldNotBeTruncated() {
        assertNotResized(handle);
    }

    @Test
    void shouldNotBeTruncatedByAnotherOpen() {
        assertNotResized(otherHandle);
    }
}
