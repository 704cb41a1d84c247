package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.MountState;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.nio.internal.NfsFileSystemProvider;
import io.verbena.nfs41.client.internal.mount.MountHandover.Predecessor;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Names are created, linked, renamed, removed and listed by several threads while their mount is replaced in the order
 * of OSGi: its service goes, it ends, and the next one comes. Some of the mounts do not wait for what is under way. No
 * operation fails. A longer run:
 * {@code -Dtest=SwappedNamesTest -Dverbena.swap.count=1000}, and {@code -Dverbena.swap.seed=N} repeats one.
 */
class SwappedNamesTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private static final int SWAPS = Integer.getInteger("verbena.swap.count", 30);
    private static final int JAVA_NIO = 3;
    private static final int MOUNTS = 2;
    private static final byte[] CONTENT = {1, 2, 3};
    private static final long PROGRESS_SECONDS = 60;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Most operations have no answer then, so that nobody knows whether they are done. */
    private static final Duration HASTE = Duration.ofNanos(2);

    @TempDir
    private Path exported;

    @TempDir
    private Path state;

    private final Stack stack = new Stack();
    private final NfsFileSystemProvider provider = new NfsFileSystemProvider();
    private NfsServer server;
    private RpcListener listener;
    private FileSystem files;

    @GuardedBy("this")
    private NfsMount mount;

    @GuardedBy("this")
    private long steps;

    private volatile boolean stopping;

    @BeforeEach
    void mount() throws IOException {
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        server = new NfsServer(ExportSettings.of("test", exported).withSquash(nobody), state, new SystemRuntime());
        listener = stack.transport()
                .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server);
        come(Optional.empty());
        files = provider.getFileSystem(URI.create("nfs+rdma:work"));
    }

    @AfterEach
    void end() throws Exception {
        files.close();
        present().close();
        listener.close();
        server.close();
        stack.close();
    }

    private synchronized NfsMount present() {
        return mount;
    }

    private void come(Optional<Predecessor> before) throws IOException {
        NfsMount next = new NfsMount(
                "work",
                "127.0.0.1",
                "/",
                "port=" + listener.localAddress().getPort(),
                stack.transport(),
                MountUser.OF_OPTIONS,
                stack.memory(),
                RUNTIME,
                before,
                () -> {});
        next.connect(Duration.ofSeconds(30));
        synchronized (this) {
            mount = next;
            notifyAll();
        }
        provider.addMount(next);
    }

    /** @param bound how long the mount waits for what is under way */
    private void swap(Duration bound) throws IOException {
        NfsMount gone = present();
        provider.removeMount(gone);
        Predecessor before = gone.predecessor();
        gone.end(MountLifetime.End.REPLACED, bound);
        come(Optional.of(before));
    }

    /** The mount that takes the place of one. */
    private synchronized NfsMount successor(Mount gone) throws InterruptedException {
        while (mount == gone) {
            wait(TimeUnit.SECONDS.toMillis(PROGRESS_SECONDS));
        }
        return mount;
    }

    private synchronized void stepped() {
        steps++;
        notifyAll();
    }

    /** Waits until the threads have made that many steps more. */
    private synchronized void awaitSteps(int more, List<CompletableFuture<Void>> threads) throws InterruptedException {
        long until = steps + more;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PROGRESS_SECONDS);
        while (steps < until && threads.stream().noneMatch(CompletableFuture::isDone)) {
            long left = deadline - System.nanoTime();
            assertThat(left).as("time to get on").isPositive();
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private interface Step {
        void run(int number) throws Exception;
    }

    private CompletableFuture<Void> start(Step step) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                for (int number = 0; !stopping; number++) {
                    step.run(number);
                }
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    @Test
    void shouldFailNoOperationHoweverOftenTheClientIsReplaced() throws Exception {
        long seed = Long.getLong("verbena.swap.seed", System.nanoTime() & 0xffffff);
        System.out.println("verbena.swap.seed=" + seed);
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int each = 0; each < JAVA_NIO; each++) {
            Path own = Files.createDirectory(files.getPath("/nio" + each));
            threads.add(start(number -> javaNio(own, number)));
        }
        for (int each = 0; each < MOUNTS; each++) {
            String own = "/mount" + each;
            present().createDirectory(own, 0755);
            Direct direct = new Direct(own);
            threads.add(start(direct::step));
        }
        Random random = new Random(seed);
        for (int swaps = 0; swaps < SWAPS && threads.stream().noneMatch(CompletableFuture::isDone); swaps++) {
            awaitSteps(1 + random.nextInt(20), threads);
            swap(random.nextInt(4) == 0 ? HASTE : PATIENCE);
        }
        stopping = true;
        for (CompletableFuture<Void> thread : threads) {
            thread.get(PROGRESS_SECONDS, TimeUnit.SECONDS);
        }
        try (Stream<Path> left = Files.walk(exported)) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }

    private void javaNio(Path own, int number) throws IOException {
        Path file = Files.write(own.resolve("f" + number), CONTENT, StandardOpenOption.CREATE_NEW);
        stepped();
        Path directory = Files.createDirectory(own.resolve("d" + number));
        stepped();
        Path link = Files.createLink(directory.resolve("link"), file);
        stepped();
        Path symbolic = Files.createSymbolicLink(directory.resolve("symbolic"), directory.relativize(file));
        stepped();
        Path moved = Files.move(file, directory.resolve("moved"));
        stepped();
        try (Stream<Path> listed = Files.list(directory)) {
            assertThat(listed.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("link", "symbolic", "moved");
        }
        stepped();
        assertThat(Files.readAllBytes(moved)).isEqualTo(CONTENT);
        for (Path each : List.of(link, symbolic, moved, directory)) {
            Files.delete(each);
            stepped();
        }
        assertThat(Files.exists(file)).isFalse();
    }

    /** A program that uses mounts themselves, and goes by what {@link MountReplacedException} tells. */
    private final class Direct {
        private final String own;
        private NfsMount on = present();

        Direct(String own) {
            this.own = own;
        }

        private interface Change {
            void make(Mount by) throws IOException;
        }

        private interface Look {
            boolean at(Mount by) throws IOException;
        }

        void step(int number) throws Exception {
            String file = own + "/f" + number;
            String moved = own + "/m" + number;
            String link = own + "/l" + number;
            String directory = own + "/d" + number;
            once(by -> write(by, file), by -> exists(by, file));
            once(by -> by.rename(file, moved), by -> !exists(by, file));
            once(by -> by.createLink(link, moved), by -> exists(by, link));
            once(by -> by.createDirectory(directory, 0755), by -> exists(by, directory));
            query(by -> {
                assertThat(by.list(own)).extracting(entry -> entry.name()).contains("m" + number, "d" + number);
                return true;
            });
            once(by -> by.remove(directory), by -> !exists(by, directory));
            once(by -> by.remove(moved), by -> !exists(by, moved));
            once(by -> by.remove(link), by -> !exists(by, link));
        }

        /** One operation: a failure after OPEN leaves an empty file, which is good enough here. */
        private void write(Mount by, String path) throws IOException {
            RemoteFile file = by.open(path, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), 0644);
            try (file) {
                file.write(ByteBuffer.wrap(CONTENT), 0);
            } catch (MountReplacedException e) {
                assertThat(by.state()).isEqualTo(MountState.UNMOUNTED);
            }
        }

        /** Makes a change, again where it was not made. */
        private void once(Change change, Look isDone) throws Exception {
            while (true) {
                try {
                    change.make(on);
                    stepped();
                    return;
                } catch (MountReplacedException e) {
                    on = successor(on);
                    boolean done = query(isDone);
                    assertThat(done && !e.isUndecided())
                            .as("said not to be done, but done")
                            .isFalse();
                    if (done) {
                        stepped();
                        return;
                    }
                }
            }
        }

        private boolean query(Look look) throws Exception {
            while (true) {
                try {
                    return look.at(on);
                } catch (MountReplacedException e) {
                    on = successor(on);
                }
            }
        }

        private static boolean exists(Mount by, String path) throws IOException {
            try {
                return by.attributes(path, false) != null;
            } catch (NoSuchFileException e) {
                return false;
            }
        }
    }
}
