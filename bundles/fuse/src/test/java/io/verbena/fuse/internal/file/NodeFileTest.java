package io.verbena.fuse.internal.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.internal.mount.MountSource;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a replaced mount leaves is written once by the next one. */
final class NodeFileTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<OneMount> mounts = new ArrayList<>();
    private NodeFile shared;
    private OpenFile file;
    private boolean ended;

    /** A mount with one file, whose server does not answer by itself. */
    private static final class OneMount {
        private final List<CompletableFuture<Void>> writes = new ArrayList<>();
        private boolean isReplaced;
        private Runnable onAttributes = () -> {};

        private final RemoteFile file = proxy(RemoteFile.class, (method, args) -> {
            if (isReplaced) {
                throw new MountReplacedException("m", false);
            }
            return switch (method) {
                case "writeAsync" -> write();
                case "attributes" -> attributesNow();
                default -> null;
            };
        });

        private final Mount mount = proxy(Mount.class, (method, args) -> method.equals("open") ? file : "m");

        @SuppressWarnings("FutureReturnValueIgnored") // the caller of the proxy has it
        private Object write() {
            CompletableFuture<Void> write = new CompletableFuture<>();
            writes.add(write);
            return write;
        }

        private FileAttributes attributesNow() {
            onAttributes.run();
            return attributes();
        }

        void replace() {
            isReplaced = true;
            writes.forEach(each -> each.completeExceptionally(new MountReplacedException("m", false)));
        }
    }

    private interface Answer {
        Object to(String method, Object[] args) throws IOException;
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, args) ->
                        method.getName().equals("equals") ? self == args[0] : answer.to(method.getName(), args)));
    }

    private static FileAttributes attributes() {
        Instant now = Instant.EPOCH;
        return new FileAttributes(FileType.REGULAR, 0, 0, 0_600, 1, "0", "0", now, now, now, 1, 1, 1, 1);
    }

    @BeforeEach
    void open() throws IOException {
        for (int i = 0; i < 3; i++) {
            mounts.add(new OneMount());
        }
        PresentMount present = new PresentMount(new MountSource() {
            @Override
            public Mount get() {
                return mounts.get(0).mount;
            }

            @Override
            public Mount successor(Mount gone) {
                int next = 1;
                while (mounts.get(next - 1).mount != gone) {
                    next++;
                }
                return mounts.get(next).mount;
            }
        });
        SystemRuntime runtime = new SystemRuntime();
        shared = new NodeFile(this::execute, new NodeLocks(runtime));
        NodeTable nodes = new NodeTable();
        file = new OpenFile(present, nodes, nodes.root(), 2, mounts.get(0).mount, mounts.get(0).file);
        shared.add(file);
    }

    private void execute(Runnable task) {
        if (ended) {
            throw new RejectedExecutionException("the mount has ended");
        }
        tasks.add(task);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private CompletableFuture<Long> write(long offset) {
        return shared.write(file, ByteBuffer.allocate(8), null, offset);
    }

    @Test
    void shouldHaveAWriteUnderWayOnceWhenTheNextMountIsReplacedTooAtOnce() {
        List<CompletableFuture<Long>> writes = List.of(write(0), write(8), write(16));
        mounts.get(1).onAttributes = () -> {
            boolean isOpen = file.now() == mounts.get(1).file;
            if (isOpen) {
                mounts.get(1).replace(); // the mount is gone before anything is written by it
            }
        };
        mounts.get(2).onAttributes = this::runTasks; // as a second thread would
        mounts.get(0).replace();
        runTasks();
        assertThat(mounts.get(2).writes).hasSize(3);
        mounts.get(2).writes.forEach(each -> each.complete(null));
        assertThat(writes).allMatch(CompletableFuture::isDone);
        assertThat(writes.stream().map(CompletableFuture::join)).containsExactly(0L, 8L, 16L);
        assertThat(shared.isUnsettled(file)).isFalse();
    }

    @Test
    void shouldTellAFailureBeforeThoseGoOnWhoWaitForAllWrites() {
        CompletableFuture<Long> write = write(0);
        List<String> order = new ArrayList<>();
        CompletableFuture<Void> told = write.handle((at, thrown) -> {
            CompletableFuture<Void> late = shared.answered(); // another thread asks while the failure is told
            assertThat(late).isNotDone();
            order.add("failure");
            return null;
        });
        CompletableFuture<Void> all = shared.answered().thenRun(() -> order.add("all"));
        mounts.get(0).writes.get(0).completeExceptionally(new IOException("no space"));
        assertThat(told).isCompleted();
        assertThat(all).isCompleted();
        assertThat(order).containsExactly("failure", "all");
        assertThat(shared.answered()).isCompleted();
    }

    @Test
    void shouldFailWhatWaitsWhenNoTaskCanRun() {
        CompletableFuture<Long> write = write(0);
        ended = true;
        mounts.get(0).replace();
        assertThat(write).isCompletedExceptionally();
        assertThat(shared.answered()).isCompleted();
    }
}
