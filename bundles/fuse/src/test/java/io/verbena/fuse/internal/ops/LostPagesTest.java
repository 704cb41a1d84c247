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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Data that the server has lost is in the kernel's pages, and the version of the file is the one from before. */
final class LostPagesTest {
    private static final int HOW_AT = 8;

    private final FakeExport export = new FakeExport();
    private final FakeKernel kernel = new FakeKernel();
    private final List<String> outcomes = new ArrayList<>();
    private Operations operations;
    private long node;
    private long handle;

    @BeforeEach
    void open() throws Exception {
        export.put("/f", FileType.REGULAR, 12, 0644);
        operations = export.operations(kernel.device(), Runnable::run, Duration.ofSeconds(3));
        node = execute(new Message(Opcode.LOOKUP, Protocol.ROOT_NODE).name("f")).getLong(0);
        ByteBuffer opened = openAgain();
        handle = opened.getLong(0);
        assertThat(keepsPages(opened)).isFalse();
        assertThat(keepsPages(openAgain())).isTrue();
    }

    private ByteBuffer execute(Message message) throws Exception {
        return FakeKernel.content(operations.execute(message.request()));
    }

    private ByteBuffer openAgain() throws Exception {
        return execute(new Message(Opcode.OPEN, node).u32(Protocol.O_RDWR, 0));
    }

    private static boolean keepsPages(ByteBuffer opened) {
        return (opened.getInt(HOW_AT) & Protocol.FOPEN_KEEP_CACHE) != 0;
    }

    private void write(int how, int flags) {
        Message message = new Message(Opcode.WRITE, node)
                .u64(handle, 0)
                .u32(4, how)
                .u64(0)
                .u32(flags, 0)
                .u32(1);
        operations.transfer(message.request(), null, new Operations.Ending() {
            @Override
            public void answer(Reply reply) {
                outcomes.add("done");
            }

            @Override
            public void answer(ByteBuffer buffer, int start, int length) {
                throw new AssertionError("it is no READ");
            }

            @Override
            public void fail(Throwable thrown) {
                outcomes.add("error " + Errno.of(thrown));
            }
        });
    }

    /** The first open drops them, and what is read then may be kept. */
    private void assertGone() throws Exception {
        assertThat(kernel.dropped()).containsOnly(node);
        assertThat(keepsPages(openAgain())).isFalse();
        assertThat(keepsPages(openAgain())).isTrue();
    }

    private void assertSyncFails() {
        Message sync = new Message(Opcode.FSYNC, node).u64(handle).u32(0, 0);
        assertThatThrownBy(() -> execute(sync)).extracting(Errno::of).isEqualTo(Errno.EIO);
    }

    @Test
    void shouldGoWhereAWriteFailsThatWasAnsweredBefore() throws Exception {
        export.loseData();
        write(0, Protocol.O_RDWR);
        assertThat(outcomes).containsExactly("done");
        assertSyncFails();
        assertGone();
    }

    /** As of a file that a program has mapped. */
    @Test
    void shouldGoWhereThePageItselfCouldNotBeWritten() throws Exception {
        export.loseData();
        write(Protocol.WRITE_CACHE, Protocol.O_RDWR);
        assertThat(outcomes).containsExactly("error " + Errno.EIO);
        assertGone();
    }

    @Test
    void shouldGoWhereALockIsLostBeforeThePageIsWritten() throws Exception {
        ByteBuffer unused = execute(new Message(Opcode.SETLK, node)
                .u64(handle, 7, 0, Long.MAX_VALUE)
                .u32(Protocol.F_RDLCK, 1, 0, 0));
        kernel.dropped().clear();
        export.loseGrantedLocks();
        write(Protocol.WRITE_CACHE, Protocol.O_RDWR);
        assertThat(outcomes).containsExactly("error " + Errno.EIO);
        assertGone();
    }

    @Test
    void shouldGoWhereTheServerLosesThemBeforeTheyAreSafe() throws Exception {
        write(0, Protocol.O_RDWR);
        assertThat(kernel.dropped()).isEmpty();
        assertThat(keepsPages(openAgain())).isTrue();
        export.loseData();
        assertSyncFails();
        assertGone();
    }
}
