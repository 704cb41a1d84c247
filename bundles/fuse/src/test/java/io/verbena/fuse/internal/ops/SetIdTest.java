package io.verbena.fuse.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.kernel.FakeKernel.Message;
import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.nfs.FileType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** New files with set-user-id and set-group-id bits, on a mount of root for all users. */
final class SetIdTest {
    private static final int USER = 1234;
    private static final int GROUP = 2345;
    private static final int MODE_AT = 60;
    private static final int ENTRY_MODE_AT = 40 + MODE_AT;

    private final FakeExport export = new FakeExport();
    private Operations operations;

    @BeforeEach
    void mount() throws IOException {
        operations = export.operations(null, Runnable::run, Duration.ZERO);
    }

    /** open(2) with O_CREAT and O_WRONLY; returns the mode that the program sees. */
    private int create(int uid, int gid, int mode) throws Exception {
        Message message = new Message(Opcode.CREATE, Protocol.ROOT_NODE)
                .by(uid, gid, 1)
                .u32(Protocol.O_WRONLY, Protocol.S_IFREG | mode, 0, 0)
                .name("f");
        return mode(operations.execute(message.request()));
    }

    private static int mode(Reply reply) {
        ByteBuffer entry = FakeKernel.content(reply);
        return entry.getInt(ENTRY_MODE_AT) & ~Protocol.S_IFMT;
    }

    /** At no time is there a program that runs as the mount's user. */
    @Test
    void shouldKeepThemOnceTheFileBelongsToWhoMakesIt() throws Exception {
        assertThat(create(USER, GROUP, 06755)).isEqualTo(06755);
        assertThat(export.states()).containsExactly("0 0 755", "1234 2345 755", "1234 2345 6755");
    }

    @Test
    void shouldKeepThemWithoutOpen() throws Exception {
        Message message = new Message(Opcode.MKNOD, Protocol.ROOT_NODE)
                .by(USER, GROUP, 1)
                .u32(Protocol.S_IFREG | 04711, 0, 0, 0)
                .name("f");
        assertThat(mode(operations.execute(message.request()))).isEqualTo(04711);
        assertThat(export.states()).containsExactly("0 0 711", "1234 2345 711", "1234 2345 4711");
    }

    @Test
    void shouldMakeFilesOfTheMountsUserAtOnce() throws Exception {
        assertThat(create(0, 0, 06755)).isEqualTo(06755);
        assertThat(export.states()).containsExactly("0 0 6755");
    }

    /** The user may not be in the group of the directory, which the file gets. */
    @Test
    void shouldSetNoneForAGroupThatTheUserDoesNotName() throws Exception {
        export.put("/", FileType.DIRECTORY, 2, 02777);
        Message look = new Message(Opcode.GETATTR, Protocol.ROOT_NODE).u64(0, 0);
        Reply unused = operations.execute(look.request());
        assertThat(create(USER, GROUP, 06755)).isEqualTo(04755);
        assertThat(export.states()).containsExactly("0 0 755", "1234 0 755", "1234 0 4755");
    }

    @Test
    void shouldSetNoneForAnOwnerWhoDidNotMakeTheFile() throws Exception {
        export.makeFor("65534");
        assertThat(create(USER, GROUP, 06755)).isEqualTo(0755);
        assertThat(export.states()).containsExactly("65534 65534 755");
    }
}
