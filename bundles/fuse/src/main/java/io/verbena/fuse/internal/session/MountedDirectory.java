package io.verbena.fuse.internal.session;

import io.verbena.fuse.FuseMount;
import io.verbena.fuse.FuseSettings;
import io.verbena.fuse.internal.kernel.Device;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Kernel;
import io.verbena.fuse.internal.kernel.MountTable;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.ops.FileSystemContext;
import io.verbena.fuse.internal.ops.Operations;
import io.verbena.runtime.Runtime;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A mount: see {@link FuseMount}. Thread safe. */
public final class MountedDirectory implements FuseMount {
    private static final Logger LOG = LoggerFactory.getLogger(MountedDirectory.class);
    private static final int THREADS = 64;
    /** How many programs wait for locks at once; further ones take their turn. */
    private static final int LOCK_THREADS = 1024;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** How long a server may not answer before a program that ends gives up waiting for it. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private final Runtime runtime;
    private final Kernel kernel;
    private final String name;
    private final Path directory;
    private final FuseSettings settings;
    private final PresentMount mount;
    private final Device device;
    private final Operations operations;
    private final PendingRequests pending;
    private final RequestThreads executor;
    /** Of waits for locks, which keep no unlock waiting. */
    private final RequestThreads waiting;
    /** Of tasks that requests wait for, so that requests cannot keep them waiting. */
    private final RequestThreads tasks;

    private final Future<?> looking;
    private final Consumer<MountedDirectory> onEnd;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final MountView view;
    private volatile IOException failure;
    private volatile Thread receiver;

    private MountedDirectory(
            Runtime runtime,
            Kernel kernel,
            PresentMount mount,
            Path directory,
            FuseSettings settings,
            Device device,
            Consumer<MountedDirectory> onEnd) {
        this.runtime = runtime;
        this.kernel = kernel;
        this.mount = mount;
        this.name = mount.now().name();
        this.directory = directory;
        this.settings = settings;
        this.device = device;
        this.onEnd = onEnd;
        this.executor = new RequestThreads(runtime, "fuse-" + name, THREADS, true);
        this.waiting = new RequestThreads(runtime, "fuse-" + name + "-lock", LOCK_THREADS, false);
        this.tasks = new RequestThreads(runtime, "fuse-" + name + "-task", THREADS, true);
        this.view = MountView.of(mount.now(), settings, kernel);
        FileSystemContext context = new FileSystemContext(
                runtime, mount, device, tasks, view.valid(), view.uid(), view.gid(), view.gives());
        this.operations = new Operations(context, !view.cached());
        this.pending = new PendingRequests(device, this::isServerSilent);
        this.looking = runtime.runRepeatedly(() -> pending.lookBy(tasks), LOOK_NANOS);
    }

    /**
     * Mounts.
     *
     * @param onEnd called when the mount has ended, on a thread of the mount
     */
    public static MountedDirectory begin(
            Runtime runtime,
            Kernel kernel,
            PresentMount mount,
            Path directory,
            FuseSettings settings,
            Consumer<MountedDirectory> onEnd)
            throws IOException {
        Device device = kernel.mount(mount.now().source(), directory, settings);
        MountedDirectory mounted = null;
        try {
            mounted = new MountedDirectory(runtime, kernel, mount, directory, settings, device, onEnd);
            mounted.start();
            return mounted;
        } finally {
            if (mounted == null) {
                device.close();
            }
        }
    }

    private void start() {
        FuseSession session = new FuseSession(device, operations, pending, executor, waiting, () -> mount.now()
                .memory());
        receiver = runtime.threads("fuse-" + name + "-receive").newThread(() -> {
            try {
                session.run();
            } finally {
                end();
            }
        });
        receiver.start();
        tasks.execute(this::widenReadAhead);
    }

    /** The kernel reads 128 KiB ahead at first, and no option of a mount, nor the reply to INIT, has more. */
    private void widenReadAhead() {
        try {
            Optional<String> device = MountTable.device(directory);
            if (device.isPresent()) {
                Files.writeString(
                        Path.of("/sys/class/bdi/" + device.get() + "/read_ahead_kb"),
                        Integer.toString(Kernel.MAX_READ_AHEAD >> 10));
            }
        } catch (Throwable e) {
            LOG.debug("read-ahead of {} stays as it is", directory, e);
        }
    }

    private boolean isServerSilent() {
        return mount.now()
                .unresponsiveServer()
                .filter(server -> server.length(runtime.now()).compareTo(SILENCE) >= 0)
                .isPresent();
    }

    /** The kernel has ended the mount: brings to the server what is left. */
    private void end() {
        try {
            looking.cancel(false);
            pending.cancelAll();
            waiting.endNow();
            operations.closeAll();
            while (!executor.end(TimeUnit.SECONDS.toNanos(1)) || !tasks.end(TimeUnit.SECONDS.toNanos(1))) {
                LOG.debug("{}: written data is on its way", directory);
            }
        } catch (Throwable e) {
            failure = new IOException("the mount has not ended in order: " + e, e);
        } finally {
            executor.endNow();
            tasks.endNow();
            device.close();
            operations.lostData().ifPresent(e -> failure = e);
            onEnd.accept(this);
            ended.complete(null);
        }
    }

    @Override
    public String mount() {
        return name;
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public Map<String, String> settings() {
        return view.shown(settings);
    }

    @Override
    public void unmount(boolean force, Duration timeout) throws IOException, InterruptedException {
        int errno = ended.isDone() ? 0 : kernel.unmount(directory, force);
        if (errno == Errno.EBUSY) {
            throw new IOException(LocalNames.shown(directory)
                    + " is in use: end the programs that use it (fuser -m), or --force takes it from them");
        }
        if (errno != 0 && errno != Errno.EINVAL) {
            throw new IOException("cannot unmount " + LocalNames.shown(directory) + " (error " + errno + ")");
        }
        if (!awaitEnd(timeout)) {
            if (force) { // no thread goes on waiting for the server
                receiver.interrupt();
                executor.endNow();
                tasks.endNow();
            }
            throw new IOException("what was written at " + LocalNames.shown(directory) + " is not at the server after "
                    + timeout.toSeconds() + " s" + (force ? ", and is lost" : ": the mount goes on trying"));
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        try {
            Void unused = runtime.await(ended, timeout.toNanos());
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("it never fails", e);
        }
    }

    /** Whether the mount has ended, with its written data on stable storage or lost. */
    public boolean hasEnded() {
        return ended.isDone();
    }

    @Override
    public Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }
}
