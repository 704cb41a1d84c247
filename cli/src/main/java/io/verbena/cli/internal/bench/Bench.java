package io.verbena.cli.internal.bench;

import io.verbena.cli.Failures;
import io.verbena.cli.internal.Futures;
import io.verbena.memory.BufferLease;
import io.verbena.metrics.DurationRecorder;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs a short benchmark in its own directory on a mount. Several threads write, read and create files, each thread its
 * own files. The directory is always removed, even after a failure.
 */
public final class Bench {
    private static final long END_SECONDS = 30;
    private static final Set<StandardOpenOption> WRITING =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.READ);

    private final Mount mount;
    private final String directory;
    private final Sizes sizes;
    private final Consumer<Measured> told;

    /**
     * The sizes of a benchmark.
     *
     * @param total the octets that all threads together write, and then read
     * @param block the octets of one call of the user; the client may split them
     * @param threads the number of concurrent threads
     * @param files the number of files that all threads together create, look up and remove
     */
    public record Sizes(long total, int block, int threads, int files) {}

    /** The part of one thread in a phase. The part measures each operation. */
    @FunctionalInterface
    private interface Part {
        long run(int thread, DurationRecorder times) throws IOException;
    }

    /**
     * Creates a benchmark.
     *
     * @param parent the directory in which the benchmark creates its own directory
     * @param told receives each phase as soon as it ends
     */
    public Bench(Mount mount, String parent, Sizes sizes, Consumer<Measured> told) {
        this.mount = mount;
        this.sizes = sizes;
        this.told = told;
        this.directory = (parent.equals("/") ? "" : parent) + "/.verbena-bench-"
                + Long.toHexString(ThreadLocalRandom.current().nextLong());
    }

    /** Returns the directory of the benchmark. */
    public String directory() {
        return directory;
    }

    /** Runs all phases on the calling thread. An interrupt ends the benchmark. The files are removed nevertheless. */
    public void run() throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(sizes.threads(), task -> {
            Thread thread = new Thread(task, "nfs-bench");
            thread.setDaemon(true);
            return thread;
        });
        try {
            mount.createDirectory(directory, 0700);
            measure(threads, "write", this::write);
            measure(threads, "read", this::read);
            measure(
                    threads,
                    "create",
                    (thread, times) -> eachFile(thread, times, path -> mount.open(path, WRITING, 0600)
                            .close()));
            measure(threads, "stat", (thread, times) -> eachFile(thread, times, path -> mount.attributes(path, false)));
            measure(threads, "remove", (thread, times) -> eachFile(thread, times, mount::remove));
        } finally {
            end(threads);
        }
    }

    private void measure(ExecutorService threads, String phase, Part part) throws IOException, InterruptedException {
        DurationRecorder times = new DurationRecorder();
        List<Callable<Long>> parts = new ArrayList<>();
        for (int i = 0; i < sizes.threads(); i++) {
            int thread = i;
            parts.add(() -> part.run(thread, times));
        }
        long begun = System.nanoTime();
        long octets = 0;
        for (Future<Long> done : threads.invokeAll(parts)) {
            try {
                octets += done.get();
            } catch (ExecutionException e) {
                throw asIOException(e.getCause());
            }
        }
        long nanos = System.nanoTime() - begun;
        told.accept(new Measured(phase, times.snapshot().count(), octets, nanos, times.snapshot()));
    }

    private static IOException asIOException(Throwable cause) {
        return cause instanceof IOException e
                ? e
                : new IOException(Failures.of(cause).getMessage(), cause);
    }

    private long share() {
        return Math.max(sizes.block(), sizes.total() / sizes.threads());
    }

    private String data(int thread) {
        return directory + "/data-" + thread;
    }

    private long write(int thread, DurationRecorder times) throws IOException {
        BufferLease lease = mount.memory().lease(sizes.block());
        try (RemoteFile file = mount.open(data(thread), WRITING, 0600)) {
            ByteBuffer block = lease.buffer();
            for (long at = 0; at < share(); at += block.capacity()) {
                checkInterrupt();
                block.clear().limit((int) Math.min(block.capacity(), share() - at));
                long begun = System.nanoTime();
                file.write(block, at);
                times.record(System.nanoTime() - begun);
            }
            file.sync(); // the time of the phase includes the sync
        } finally {
            lease.close();
        }
        return share();
    }

    private long read(int thread, DurationRecorder times) throws IOException {
        BufferLease lease = mount.memory().lease(sizes.block());
        CompletableFuture<Integer> last = CompletableFuture.completedFuture(0);
        long octets = 0;
        try (RemoteFile file = mount.open(data(thread), Set.of(StandardOpenOption.READ), 0600)) {
            while (octets < share()) {
                checkInterrupt();
                long begun = System.nanoTime();
                last = file.readAsync(lease.buffer().clear(), octets);
                int count = await(last);
                times.record(System.nanoTime() - begun);
                if (count <= 0) {
                    throw new IOException(data(thread) + " is shorter than what was written to it");
                }
                octets += count;
            }
        } finally {
            Futures.whenOver(last, lease::close); // an interrupted read continues in the background
        }
        return octets;
    }

    private static int await(CompletableFuture<Integer> read) throws IOException {
        try {
            return read.get();
        } catch (ExecutionException e) {
            throw asIOException(e.getCause());
        } catch (InterruptedException e) {
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        }
    }

    private long eachFile(int thread, DurationRecorder times, FileStep step) throws IOException {
        for (int i = thread; i < sizes.files(); i += sizes.threads()) {
            checkInterrupt();
            long begun = System.nanoTime();
            step.run(directory + "/file-" + i);
            times.record(System.nanoTime() - begun);
        }
        return 0;
    }

    @FunctionalInterface
    private interface FileStep {
        void run(String path) throws IOException;
    }

    private static void checkInterrupt() throws InterruptedIOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Waits for the threads, then removes all their files, even if the calling thread is interrupted. */
    private void end(ExecutorService threads) throws IOException {
        threads.shutdownNow();
        boolean interrupted = Thread.interrupted();
        try {
            try {
                if (!threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                    throw new IOException("the benchmark does not end; " + directory + " is left behind");
                }
            } catch (InterruptedException e) {
                interrupted = true; // by a second Ctrl-C
            }
            removeAll();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void removeAll() throws IOException {
        try {
            for (var entry : mount.list(directory)) {
                mount.remove(directory + "/" + entry.name());
            }
            mount.remove(directory);
        } catch (NoSuchFileException e) {
            // The directory was not created.
            return;
        } catch (IOException e) {
            throw new IOException(directory + " is left behind on " + mount.name() + ": " + e.getMessage(), e);
        }
    }
}
