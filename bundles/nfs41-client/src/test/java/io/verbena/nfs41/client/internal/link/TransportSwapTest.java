package io.verbena.nfs41.client.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole transport replaced again and again under a mount that works, over loopback. */
@Timeout(180)
class TransportSwapTest {
    private static final int SWAPS = 12;
    private static final int BLOCK = 256 << 10;
    private static final int BLOCKS = 16;
    private static final Set<StandardOpenOption> WRITE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    @TempDir
    Path folder;

    private final AtomicBoolean over = new AtomicBoolean();
    /** A permit for each round that one of the loops has done. */
    private final Semaphore files = new Semaphore(0);

    private final Semaphore names = new Semaphore(0);

    @Test
    void shouldLoseAndRepeatNothing() throws Exception {
        Path exported = Files.createDirectory(folder.resolve("export"));
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        Stack present = new Stack();
        try (Stack serverSide = new Stack();
                NfsServer server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
                RpcListener listener = serverSide.transport().listen(ListenOptions.on(any), server);
                NfsMount mount = NfsMount.create(
                        "own",
                        "127.0.0.1",
                        "/",
                        "port=" + listener.localAddress().getPort(),
                        present.transport(),
                        new DirectMemory(),
                        new SystemRuntime())) {
            mount.connect(Duration.ofSeconds(30));
            List<Future<?>> loops = List.of(
                    threads.submit(() -> {
                        writeAndRead(mount);
                        return null;
                    }),
                    threads.submit(() -> {
                        makeAndRemove(mount);
                        return null;
                    }));
            for (int i = 0; i < SWAPS; i++) {
                awaitRound(loops);
                present = swap(mount, present);
            }
            awaitRound(loops);
            over.set(true);
            for (Future<?> loop : loops) {
                loop.get(60, TimeUnit.SECONDS);
            }
            assertThat(mount.settings()).containsEntry("transportSwaps", String.valueOf(SWAPS));
            assertThat(mount.list("/")).extracting(entry -> entry.name()).containsExactly("file");
        } finally {
            over.set(true);
            threads.shutdownNow();
            present.close();
        }
    }

    private void awaitRound(List<Future<?>> loops) throws Exception {
        for (Semaphore done : List.of(files, names)) {
            done.drainPermits();
            while (!done.tryAcquire(100, TimeUnit.MILLISECONDS)) {
                for (Future<?> loop : loops) {
                    if (loop.isDone()) {
                        loop.get();
                    }
                }
            }
        }
    }

    private static Stack swap(NfsMount mount, Stack old) {
        mount.transportGone(old.transport());
        old.close();
        Stack next = new Stack();
        mount.transportCame(next.transport());
        return next;
    }

    private void writeAndRead(NfsMount mount) throws IOException {
        Random random = new Random(1);
        byte[] content = new byte[BLOCK];
        ByteBuffer read = ByteBuffer.allocate(BLOCK);
        try (RemoteFile file = mount.open("/file", WRITE, 0600)) {
            for (long round = 0; !over.get(); round++) {
                random.nextBytes(content);
                long position = round % BLOCKS * BLOCK;
                file.write(ByteBuffer.wrap(content), position);
                file.sync();
                assertThat(file.read(read.clear(), position)).isEqualTo(BLOCK);
                assertThat(read.array()).isEqualTo(content);
                files.release();
            }
        }
    }

    /** Each step succeeds once and fails the second time: what were done twice would show. */
    private void makeAndRemove(NfsMount mount) throws IOException {
        while (!over.get()) {
            mount.open("/new", NEW, 0600).close();
            assertThatThrownBy(() -> mount.open("/new", NEW, 0600)).isInstanceOf(FileAlreadyExistsException.class);
            mount.rename("/new", "/renamed");
            assertThatThrownBy(() -> mount.rename("/new", "/renamed")).isInstanceOf(NoSuchFileException.class);
            mount.remove("/renamed");
            assertThatThrownBy(() -> mount.remove("/renamed")).isInstanceOf(NoSuchFileException.class);
            names.release();
        }
    }
}
