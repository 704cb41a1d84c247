package io.verbena.nfs41.client.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client and its server in one process with little direct memory: slow is right, and no memory is left behind. */
@Timeout(240)
class SmallMemoryTest {
    private static final int MIB = 1 << 20;
    private static final Set<OpenOption> BOTH =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    @TempDir
    private Path folder;

    private final Stack stack = new Stack(new DirectMemory(24 * MIB));
    private NfsServer server;
    private RpcListener listener;
    private NfsMount mount;

    @BeforeEach
    void mount() throws Exception {
        ExportSettings settings = ExportSettings.of("test", Files.createDirectory(folder.resolve("export")))
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        listener = stack.transport().listen(ListenOptions.on(any), server);
        mount = NfsMount.create(
                "m",
                "127.0.0.1",
                "/",
                "port=" + listener.localAddress().getPort(),
                stack.transport(),
                stack.memory(),
                new SystemRuntime());
        mount.connect(Duration.ofSeconds(60));
    }

    /** Nothing is leased any more when {@link Stack#close} returns: it says so otherwise. */
    @AfterEach
    void close() throws Exception {
        mount.close();
        listener.close();
        server.close();
        stack.close();
    }

    private static byte[] content(int seed, int length) {
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        return content;
    }

    private void forEachOf(int threads, Work work) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                all.add(executor.submit(() -> {
                    work.run(number);
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(200, TimeUnit.SECONDS);
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private interface Work {
        void run(int number) throws Exception;
    }

    @Test
    void shouldWriteAndReadMoreFilesAtOnceThanThereIsMemoryFor() throws Exception {
        forEachOf(24, number -> {
            byte[] content = content(number, 3 * MIB);
            try (RemoteFile file = mount.open("/file-" + number, BOTH, 0600)) {
                file.write(ByteBuffer.wrap(content), 0);
            }
        });
        forEachOf(24, number -> {
            ByteBuffer read = ByteBuffer.allocate(3 * MIB);
            try (RemoteFile file = mount.open("/file-" + number, Set.of(StandardOpenOption.READ), 0)) {
                assertThat(file.read(read, 0)).isEqualTo(3 * MIB);
            }
            assertThat(read.array()).isEqualTo(content(number, 3 * MIB));
        });
    }

    @Test
    void shouldServeManyChannelsThatCollectAndReadAhead() throws Exception {
        forEachOf(24, number -> {
            byte[] content = content(number, 2 * MIB + number);
            try (RemoteFile file = mount.open("/file-" + number, BOTH, 0600);
                    SeekableByteChannel channel = file.channel()) {
                for (int at = 0; at < content.length; at += 10_000) {
                    channel.write(ByteBuffer.wrap(content, at, Math.min(10_000, content.length - at)));
                }
            }
        });
        forEachOf(24, number -> {
            ByteBuffer read = ByteBuffer.allocate(2 * MIB + number);
            try (RemoteFile file = mount.open("/file-" + number, Set.of(StandardOpenOption.READ), 0);
                    SeekableByteChannel channel = file.channel()) {
                while (read.hasRemaining()) {
                    assertThat(channel.read(read.slice(read.position(), Math.min(7000, read.remaining()))))
                            .isPositive();
                    read.position((int) channel.position());
                }
            }
            assertThat(read.array()).isEqualTo(content(number, 2 * MIB + number));
        });
    }

    @Test
    void shouldTakeBackWhatIdleChannelsReadAhead() throws Exception {
        byte[] content = content(1, 8 * MIB);
        List<SeekableByteChannel> idle = new ArrayList<>();
        List<RemoteFile> files = new ArrayList<>();
        try (RemoteFile file = mount.open("/file", BOTH, 0600)) {
            file.write(ByteBuffer.wrap(content), 0);
        }
        for (int i = 0; i < 20; i++) {
            RemoteFile file = mount.open("/file", Set.of(StandardOpenOption.READ), 0);
            files.add(file);
            SeekableByteChannel channel = file.channel();
            assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(1);
            idle.add(channel);
        }
        ByteBuffer all = ByteBuffer.allocate(8 * MIB);
        assertThat(files.get(0).read(all, 0)).isEqualTo(8 * MIB);
        assertThat(all.array()).isEqualTo(content);
        for (int i = 0; i < 20; i++) {
            idle.get(i).close();
            files.get(i).close();
        }
    }

    @Test
    void shouldWriteLeasesWithoutACopyAndCloseThem() throws Exception {
        byte[] content = content(2, 3 * MIB);
        try (RemoteFile file = mount.open("/file", BOTH, 0600)) {
            for (int i = 0; i < 3; i++) {
                BufferLease lease = mount.memory().await(MIB, Duration.ofSeconds(60));
                lease.buffer().put(0, content, i * MIB, MIB);
                file.writeAsync(lease, (long) i * MIB).get(60, TimeUnit.SECONDS);
            }
            file.sync();
            assertThat(mount.memory().leasedBytes()).isZero();
        }
        assertThat(Files.readAllBytes(folder.resolve("export/file"))).isEqualTo(content);
    }

    @Test
    void shouldCloseALeaseThatCannotBeWritten() throws Exception {
        RemoteFile closed = mount.open("/file", BOTH, 0600);
        closed.close();
        assertThat(failure(closed, 0)).isInstanceOf(ClosedChannelException.class);
        try (RemoteFile reading = mount.open("/file", Set.of(StandardOpenOption.READ), 0)) {
            assertThat(failure(reading, 0)).isInstanceOf(NonWritableChannelException.class);
        }
        try (RemoteFile file = mount.open("/file", BOTH, 0600)) {
            assertThat(failure(file, -1)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(mount.memory().leasedBytes()).isZero();
    }

    private Throwable failure(RemoteFile file, long position) throws Exception {
        BufferLease lease = mount.memory().lease(100);
        try {
            CompletableFuture<Void> written = file.writeAsync(lease, position);
            return written.handle((done, thrown) -> thrown).get(60, TimeUnit.SECONDS);
        } catch (RuntimeException e) {
            return e;
        }
    }

    @Test
    void shouldNameTheBudgetWhereNoWaitHelps() throws Exception {
        assertThatThrownBy(() -> mount.memory().await(25 * MIB, Duration.ofSeconds(60)))
                .isInstanceOf(MemoryRefusedException.class)
                .hasMessageContaining("mount m")
                .hasMessageContaining("budget of 24.0 MiB");
    }
}
