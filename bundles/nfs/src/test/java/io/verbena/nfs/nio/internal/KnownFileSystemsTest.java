package io.verbena.nfs.nio.internal;

import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.Mount;
import io.verbena.nfs.nio.internal.mount.ManagedMount;
import io.verbena.nfs.nio.internal.mount.MountFactories;
import io.verbena.nfs.nio.internal.mount.NfsUri;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** File systems come with mounts and with what makes mounts, and end with their provider. */
class KnownFileSystemsTest {
    private static <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> switch (method.getName()) {
                    case "name", "toString" -> "other";
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == args[0];
                    case "close" -> null;
                    default -> throw new AssertionError(method);
                }));
    }

    @Test
    void shouldCloseAllWhicheverFails() throws Exception {
        FakeServer server = new FakeServer();
        FileSystem other = server.provider.over(fake(Mount.class));
        AsynchronousFileChannel channel = AsynchronousFileChannel.open(server.path(), WRITE);
        int unused = channel.write(ByteBuffer.allocate(1), 0).get();
        server.replace(false);
        assertThatThrownBy(server.provider::deactivate).isInstanceOf(IOException.class);
        assertThat(server.files.isOpen()).isFalse();
        assertThat(other.isOpen()).isFalse();
    }

    @Test
    void shouldCloseAllThoughOneThrowsAnError() {
        FakeServer server = new FakeServer();
        FileSystem other = server.provider.over(fake(Mount.class));
        ExecutorService executor = server.files.executor();
        List<Integer> closed = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            server.files.opened(() -> {
                closed.add(number);
                throw new AssertionError("close of " + number);
            });
        }
        assertThatThrownBy(server.provider::deactivate)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("close of ");
        assertThat(closed).containsExactlyInAnyOrder(0, 1, 2);
        assertThatThrownBy(() -> server.files.mount().now()).isInstanceOf(ClosedFileSystemException.class);
        assertThat(executor.isShutdown()).isTrue();
        assertThat(other.isOpen()).isFalse();
    }

    /** The close of each may wait for its server. */
    @Test
    void shouldCloseAllSideBySide() throws IOException {
        FakeServer server = new FakeServer();
        CyclicBarrier together = new CyclicBarrier(2);
        for (NfsFileSystem each : List.of(server.files, (NfsFileSystem) server.provider.over(fake(Mount.class)))) {
            each.opened(() -> {
                try {
                    int unused = together.await(10, TimeUnit.SECONDS);
                } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                    throw new IOException("alone", e);
                }
            });
        }
        server.provider.deactivate();
        assertThat(server.files.isOpen()).isFalse();
    }

    @Test
    void shouldAskTheNextFactoryWhereOneWasStopped() throws IOException {
        ClosableMount made = fake(ClosableMount.class);
        MountFactories factories = new MountFactories(new SystemRuntime());
        factories.add((name, server, export, options) -> made);
        factories.add((name, server, export, options) -> {
            throw new IllegalStateException("stopped");
        });
        ManagedMount own = new ManagedMount(NfsUri.parse(URI.create("nfs+rdma://server/"), Map.of()), factories, null);
        assertThat(own.get()).isSameAs(made);
        own.close();
    }

    @Test
    void shouldSayWhichMountThereIsNot() {
        NfsFileSystemProvider provider = new NfsFileSystemProvider();
        assertThatThrownBy(() -> provider.getPath(URI.create("nfs+rdma:work:/d/f")))
                .isInstanceOf(FileSystemNotFoundException.class)
                .hasMessageContaining("nfs+rdma:work:/d/f")
                .hasMessageContaining("there is no mount 'work'");
        assertThatThrownBy(() -> provider.getFileSystem(URI.create("nfs+rdma://server/d")))
                .isInstanceOf(FileSystemNotFoundException.class)
                .hasMessageContaining("nfs+rdma://server/d");
    }
}
