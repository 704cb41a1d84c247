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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another client has put a directory in the place of the one in which a program of this host is. */
final class ReplacedDirectoryTest {
    private static final int ROOM = 4096;

    private final FakeExport export = new FakeExport();
    private final FakeKernel kernel = new FakeKernel();
    private Operations operations;
    private long directory;

    @BeforeEach
    void lookUp() throws Exception {
        export.put("/d", FileType.DIRECTORY, 112, 0755);
        export.put("/d/f", FileType.REGULAR, 113, 0644);
        operations = export.operations(kernel.device(), Runnable::run, Duration.ofSeconds(3));
        directory = lookUp("d");
    }

    private long lookUp(String name) throws Exception {
        return execute(new Message(Opcode.LOOKUP, Protocol.ROOT_NODE).name(name))
                .getLong(0);
    }

    private ByteBuffer execute(Message message) throws Exception {
        return FakeKernel.content(operations.execute(message.request()));
    }

    private void replace() {
        export.put("/d", FileType.DIRECTORY, 212, 0755);
        export.put("/d/f", FileType.REGULAR, 213, 0644);
    }

    private void assertStale(Message message) {
        assertThatThrownBy(() -> execute(message)).extracting(Errno::of).isEqualTo(Errno.ESTALE);
    }

    private long openDirectory() throws Exception {
        return execute(new Message(Opcode.OPENDIR, directory).u32(0, 0)).getLong(0);
    }

    @Test
    void shouldNotBeOpened() throws Exception {
        replace();
        assertStale(new Message(Opcode.OPENDIR, directory).u32(0, 0));
        directory = lookUp("d");
        assertThat(openDirectory()).isPositive();
    }

    private Message read(Opcode opcode, long handle) {
        return new Message(opcode, directory).u64(handle, 0).u32(ROOM, 0).u64(0).u32(0, 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"UNLINK", "RMDIR"})
    void shouldKeepWhatItHolds(Opcode opcode) throws Exception {
        replace();
        assertStale(new Message(opcode, directory).name("f"));
        assertThat(export.has("/d/f")).isTrue();
        directory = lookUp("d");
        assertThat(execute(new Message(opcode, directory).name("f")).remaining())
                .isZero();
        assertThat(export.has("/d/f")).isFalse();
    }

    @Test
    void shouldKeepItsNames() throws Exception {
        replace();
        assertStale(
                new Message(Opcode.RENAME, directory).u64(directory).name("f").name("g"));
        assertThat(export.has("/d/f")).isTrue();
        directory = lookUp("d");
        ByteBuffer renamed = execute(
                new Message(Opcode.RENAME, directory).u64(directory).name("f").name("g"));
        assertThat(renamed.remaining()).isZero();
        assertThat(export.has("/d/g")).isTrue();
        assertThat(export.has("/d/f")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"READDIR", "READDIRPLUS"})
    void shouldNotBeListed(Opcode opcode) throws Exception {
        long handle = openDirectory();
        assertThat(execute(read(opcode, handle)).remaining()).isPositive();
        replace();
        assertStale(read(opcode, handle));
        assertThat(kernel.outdated()).containsExactly(directory);
        directory = lookUp("d");
        assertThat(execute(read(opcode, openDirectory())).remaining()).isPositive();
    }
}
