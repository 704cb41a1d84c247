package io.verbena.fuse.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.fuse.internal.mount.MountSource;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.node.Node;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.runtime.SystemRuntime;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An export that holds several file systems of the server, as the root of a server does. */
final class FileSystemsTest {
    private static final int ROOT = 2;

    private static FileAttributes directory(long fileSystem, long number) {
        Instant time = Instant.EPOCH;
        return new FileAttributes(
                FileType.DIRECTORY, 0, 0, 0_755, 2, "0", "0", time, time, time, fileSystem, 0, number, 1);
    }

    @Test
    void shouldNumberObjectsOfAllFileSystemsApart() {
        AttributeCodec codec = new AttributeCodec(Duration.ZERO);
        long first = codec.inode(directory(1, ROOT));
        assertThat(first).isEqualTo(ROOT);
        long second = codec.inode(directory(7, ROOT));
        long third = codec.inode(directory(8, ROOT));
        assertThat(List.of(first, second, third)).doesNotHaveDuplicates();
        assertThat(codec.inode(directory(7, ROOT))).isEqualTo(second);
        assertThat(codec.inode(directory(1, 12))).isEqualTo(12);
    }

    @Test
    void shouldTellTheSpaceOfTheFileSystemThatIsMeant() throws Exception {
        List<String> asked = new ArrayList<>();
        Mount mount = (Mount) Proxy.newProxyInstance(
                Mount.class.getClassLoader(), new Class<?>[] {Mount.class}, (self, method, args) -> {
                    asked.add(method.getName() + " " + args[0]);
                    return new FileSystemStatus(1 << 20, 1 << 19, 1 << 18, 10, 5);
                });
        PresentMount present = new PresentMount(new MountSource() {
            @Override
            public Mount get() {
                return mount;
            }

            @Override
            public Mount successor(Mount gone) {
                throw new AssertionError();
            }
        });
        FileSystemContext context =
                new FileSystemContext(new SystemRuntime(), present, null, Runnable::run, Duration.ZERO, 0, 0, false);
        Node node = context.nodes().found(context.nodes().root(), "data", directory(7, ROOT));
        new AttributeOperations(context).status(request(node));
        new AttributeOperations(context).status(request(context.nodes().root()));
        assertThat(asked).containsExactly("fileSystemStatus /data", "fileSystemStatus /");
    }

    private static Request request(Node node) {
        ByteBuffer message = ByteBuffer.allocate(Protocol.IN_HEADER).order(ByteOrder.nativeOrder());
        message.putInt(0, Protocol.IN_HEADER).putInt(4, Opcode.STATFS.number()).putLong(16, node.id());
        return Request.of(message, 1);
    }
}
