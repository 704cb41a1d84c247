package io.verbena.fuse.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.kernel.FakeKernel.Message;
import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.nfs.FileType;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The attributes of a file that is open several times, after the server has taken a lock away. */
final class LostLocksTest {
    private static final int SIZE_AT = 24;
    private static final int MODE_AT = 76;

    private final FakeExport export = new FakeExport();
    private Operations operations;
    private long node;
    private long handle;

    @BeforeEach
    void open() throws Exception {
        export.put("/f", FileType.REGULAR, 12, 0644);
        operations = export.operations(new FakeKernel().device(), Runnable::run, Duration.ZERO);
        node = execute(new Message(Opcode.LOOKUP, Protocol.ROOT_NODE).name("f")).getLong(0);
        handle = openAgain();
        long unused = openAgain();
        export.loseLocks(1);
    }

    private ByteBuffer execute(Message message) throws Exception {
        return FakeKernel.content(operations.execute(message.request()));
    }

    private long openAgain() throws Exception {
        return execute(new Message(Opcode.OPEN, node).u32(Protocol.O_RDWR, 0)).getLong(0);
    }

    private Message change(int valid, long by, long size, int mode) {
        return new Message(Opcode.SETATTR, node)
                .u32(valid, 0)
                .u64(by, size, 0, 0, 0, 0)
                .u32(0, 0, 0, mode, 0, 0, 0, 0);
    }

    private void assertMode(int mode) throws Exception {
        ByteBuffer told = execute(new Message(Opcode.GETATTR, node).u64(0, 0));
        assertThat(told.getInt(MODE_AT)).isEqualTo(Protocol.S_IFREG | mode);
    }

    @Test
    void shouldGoByAnotherOpen() throws Exception {
        assertMode(0644);
        ByteBuffer changed = execute(change(Protocol.FATTR_MODE, 0, 0, 0600));
        assertThat(changed.getInt(MODE_AT)).isEqualTo(Protocol.S_IFREG | 0600);
        ByteBuffer resized = execute(change(Protocol.FATTR_SIZE, 0, 5, 0));
        assertThat(resized.getLong(SIZE_AT)).isEqualTo(5);
    }

    @Test
    void shouldGoByThePathWhereNoOpenIsLeft() throws Exception {
        export.loseLocks(2);
        assertMode(0644);
        ByteBuffer changed = execute(change(Protocol.FATTR_MODE, 0, 0, 0600));
        assertThat(changed.getInt(MODE_AT)).isEqualTo(Protocol.S_IFREG | 0600);
        ByteBuffer resized = execute(change(Protocol.FATTR_SIZE, 0, 5, 0));
        assertThat(resized.getLong(SIZE_AT)).isEqualTo(5);
    }

    /** Who has the lock now relies on the size. */
    @Test
    void shouldNotChangeTheSizeForAProgramThatHasLostItsLock() {
        Message change = change(Protocol.FATTR_SIZE | Protocol.FATTR_FH, handle, 5, 0);
        assertThatThrownBy(() -> execute(change))
                .satisfies(thrown -> assertThat(Errno.of(thrown)).isEqualTo(Errno.EIO));
    }
}
