package io.verbena.fuse.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.kernel.FakeKernel.Message;
import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.nfs.FileType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The nodes of a listing stay as long as the kernel knows them. */
final class ListedNodesTest {
    private static final int ROOM = 4096;

    private final FakeExport export = new FakeExport();
    private final FakeKernel kernel = new FakeKernel();
    private FileSystemContext context;
    private Operations operations;

    @BeforeEach
    void mount() throws IOException {
        export.put("/a", FileType.REGULAR, 12, 0644);
        export.put("/b", FileType.REGULAR, 13, 0644);
        context = export.context(kernel.device(), Runnable::run, Duration.ofSeconds(3));
        operations = new Operations(context, false);
    }

    private ByteBuffer execute(Message message) throws Exception {
        return FakeKernel.content(operations.execute(message.request()));
    }

    private ByteBuffer list() throws Exception {
        long handle = execute(new Message(Opcode.OPENDIR, Protocol.ROOT_NODE).u32(0, 0))
                .getLong(0);
        return execute(new Message(Opcode.READDIRPLUS, Protocol.ROOT_NODE)
                .u64(handle, 0)
                .u32(ROOM, 0)
                .u64(0)
                .u32(0, 0));
    }

    @Test
    void shouldBeKnownOnceTheyAreTold() throws Exception {
        assertThat(list().remaining()).isPositive();
        assertThat(context.nodes().size()).isEqualTo(3);
    }

    /** The kernel forgets only what it was told. */
    @Test
    void shouldGoWhereTheListingFails() throws Exception {
        long known = execute(new Message(Opcode.LOOKUP, Protocol.ROOT_NODE).name("b"))
                .getLong(0);
        export.failListings();
        assertThatThrownBy(this::list).extracting(Errno::of).isEqualTo(Errno.EIO);
        assertThat(context.nodes().size()).isEqualTo(2);
        assertThat(context.nodes().get(known).id()).isEqualTo(known);
    }

    @Test
    void shouldBeAsManyLookupsAsWereTold() throws Exception {
        long known = execute(new Message(Opcode.LOOKUP, Protocol.ROOT_NODE).name("a"))
                .getLong(0);
        export.failListings();
        assertThatThrownBy(this::list).extracting(Errno::of).isEqualTo(Errno.EIO);
        operations.forget(new Message(Opcode.FORGET, known).u64(1).request());
        assertThat(context.nodes().size()).isEqualTo(1);
    }
}
