package io.verbena.cli.internal.bench;

import io.verbena.cli.Failures;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A short benchmark in a directory of its own on a mount, which is removed whatever happens: files are written, read and
 * made by several threads, each with its own.
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
     * @param total octets to write and to read, by all threads
     * @param block octets of a call of the user's, which the client may cut
     * @param threads how many work at once
     * @param files that are made, looked at and removed, by all threads
     */
    public record Sizes(long total, int block, int threads, int files) {}

    /** One thread's part of a phase; times each operation. */
    @FunctionalInterface
    private interface Part {
        long run(int thread, DurationRecorder times) throws IOException;
    }

    /**
     * @param parent where the directory is made
     * @param told of each phase as soon as it is over
     */
    public Bench(Mount mount, String parent, Sizes sizes, Consumer<Measured> told) {
        this.mount = mount;
        this.sizes = sizes;
        this.told = told;
        this.directory = (parent.equals("/") ? "" : parent) + "/.verbena-bench-"
                + Long.toHexString(ThreadLocalRandom.current().nextLong());
    }

    /** Where it works. */
    public String directory() {
        return directory;
    }

    /** Runs all phases. Blocks; an interrupt ends it, and what it has made is removed all the same. */
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
        ByteBuffer block = ByteBuffer.allocateDirect(sizes.block());
        try (RemoteFile file = mount.open(data(thread), WRITING, 0600)) {
            for (long at = 0; at < share(); at += block.capacity()) {
                checkInterrupt();
                block.clear().limit((int) Math.min(block.capacity(), share() - at));
                long begun = System.nanoTime();
                file.write(block, at);
                times.record(System.nanoTime() - begun);
            }
            file.sync(); // which the phase's time covers
        }
        return share();
    }

    private long read(int thread, DurationRecorder times) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(sizes.block());
        long octets = 0;
        try (RemoteFile file = mount.open(data(thread), Set.of(StandardOpenOption.READ), 0600)) {
            while (octets < share()) {
                checkInterrupt();
                long begun = System.nanoTime();
                int count = file.read(block.clear(), octets);
                times.record(System.nanoTime() - begun);
                if (count <= 0) {
                    throw new IOException(data(thread) + " is shorter than what was written to it");
                }
                octets += count;
            }
        }
        return octets;
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

    /** Waits for the threads, then removes all that they have made; an interrupt does not keep it from that. */
    private void end(ExecutorService threads) throws IOException {
        threads.shutdownNow();
        boolean interrupted = Thread.interrupted();
        try {
            try {
                if (!threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                    throw new IOException("the benchmark does not end; " + directory + " is left behind");
                }
            } catch (InterruptedException e) {
                interrupted = true; // a second Ctrl-C
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
            // it did not get as far as making it
            return;
        } catch (IOException e) {
            throw new IOException(directory + " is left behind on " + mount.name() + ": " + e.getMessage(), e);
        }
    }
}
