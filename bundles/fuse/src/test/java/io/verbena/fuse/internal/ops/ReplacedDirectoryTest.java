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
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

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

    @Test
    void shouldNotBeLookedInto() throws Exception {
        replace();
        assertStale(new Message(Opcode.LOOKUP, directory).name("f"));
        directory = lookUp("d");
        assertThat(execute(new Message(Opcode.LOOKUP, directory).name("f")).getLong(0))
                .isPositive();
    }

    static Stream<Function<Long, Message>> creations() {
        return Stream.of(
                in -> new Message(Opcode.MKDIR, in).u32(0755, 0).name("new"),
                in -> new Message(Opcode.SYMLINK, in).name("new").name("text"),
                in -> new Message(Opcode.MKNOD, in)
                        .u32(Protocol.S_IFIFO | 0600, 0)
                        .u32(0, 0)
                        .name("new"),
                in -> new Message(Opcode.MKNOD, in)
                        .u32(Protocol.S_IFREG | 0600, 0)
                        .u32(0, 0)
                        .name("new"),
                in -> new Message(Opcode.CREATE, in)
                        .u32(Protocol.O_RDWR, 0600)
                        .u32(0, 0)
                        .name("new"));
    }

    @ParameterizedTest
    @MethodSource("creations")
    void shouldGetNothingNew(Function<Long, Message> creation) throws Exception {
        replace();
        assertStale(creation.apply(directory));
        assertThat(export.has("/d/new")).isFalse();
        directory = lookUp("d");
        assertThat(execute(creation.apply(directory)).remaining()).isPositive();
        assertThat(export.has("/d/new")).isTrue();
    }

    @Test
    void shouldGetNoNameOfAnObjectElsewhere() throws Exception {
        export.put("/file", FileType.REGULAR, 114, 0644);
        long file = lookUp("file");
        replace();
        assertStale(new Message(Opcode.LINK, directory).u64(file).name("linked"));
        assertStale(new Message(Opcode.RENAME, Protocol.ROOT_NODE)
                .u64(directory)
                .name("file")
                .name("moved"));
        assertThat(export.has("/file")).isTrue();
        assertThat(export.has("/d/linked")).isFalse();
        directory = lookUp("d");
        assertThat(execute(new Message(Opcode.LINK, directory).u64(file).name("linked"))
                        .remaining())
                .isPositive();
        assertThat(export.has("/d/linked")).isTrue();
    }

    /** The look at the object, and the change, are one request. */
    @Test
    void shouldKeepItsMode() throws Exception {
        export.onLook(this::replace);
        assertStale(new Message(Opcode.SETATTR, directory)
                .u32(Protocol.FATTR_MODE, 0)
                .u64(0, 0, 0, 0, 0, 0)
                .u32(0, 0, 0, 0700, 0, 0, 0, 0));
        assertThat(export.states()).isEmpty();
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
