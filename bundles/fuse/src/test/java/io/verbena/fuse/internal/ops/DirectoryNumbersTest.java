package io.verbena.fuse.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;

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

/** The inode numbers of {@code .} and {@code ..} are those that stat(2) tells, by which getcwd(3) and find(1) go. */
final class DirectoryNumbersTest {
    private static final int ROOM = 4096;

    private final FakeExport export = new FakeExport();
    private Operations operations;

    @BeforeEach
    void mount() throws IOException {
        export.put("/d", FileType.DIRECTORY, 112, 0755);
        export.put("/d/e", FileType.DIRECTORY, 113, 0755);
        operations = export.operations(null, Runnable::run, Duration.ZERO);
    }

    private long lookUp(long directory, String name) throws Exception {
        Message message = new Message(Opcode.LOOKUP, directory).name(name);
        return FakeKernel.content(operations.execute(message.request())).getLong(0);
    }

    /** Asserts the numbers of the first two entries of a directory. */
    private void assertDots(long node, long self, long parent) throws Exception {
        Message open = new Message(Opcode.OPENDIR, node).u32(0, 0);
        long handle = FakeKernel.content(operations.execute(open.request())).getLong(0);
        Message read = new Message(Opcode.READDIR, node).u64(handle, 0).u32(ROOM, 0);
        ByteBuffer entries = FakeKernel.content(operations.execute(read.request()));
        assertThat(entries.getLong(0)).isEqualTo(self);
        assertThat(entries.getLong(Protocol.DIRENT + 8)).isEqualTo(parent);
    }

    @Test
    void shouldBeThoseOfStat() throws Exception {
        long outer = lookUp(Protocol.ROOT_NODE, "d");
        long inner = lookUp(outer, "e");
        assertDots(inner, 113, 112);
        assertDots(outer, 112, 2);
        assertDots(Protocol.ROOT_NODE, 2, 2);
    }
}
