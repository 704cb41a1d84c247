package io.verbena.nfs.transfer.internal.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.Mount;
import io.verbena.nfs.transfer.Check;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyEngine;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.internal.block.Contents;
import io.verbena.nfs.transfer.internal.block.FileRange;
import io.verbena.nfs.transfer.internal.block.PinnedFile;
import io.verbena.nfs.transfer.internal.file.CopyContext;
import io.verbena.nfs.transfer.internal.file.CopyCounters;
import io.verbena.nfs.transfer.internal.file.PartNames;
import io.verbena.nfs.transfer.internal.file.TypeConflicts;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Implements the copy engine. The engine records its running copies, and cancels them when it is closed. Thread safe.
 */
public class TransferEngine implements CopyEngine, AutoCloseable {
    /** The largest number of octets that are written to a stream at a time. */
    private static final int CHUNK = 1 << 16;

    /** The time that copies have to remove their temporary files when the engine is closed. */
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Runtime runtime;
    private final long stretch;
    private final PartNames partNames;
    private final Trees trees;
    private final Contents contents;
    private final CopyEvents events = new CopyEvents();
    private final CopyJob.Running running = new Jobs();

    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when a copy ends. */
    private final Condition ended;

    @GuardedBy("lock")
    private final Set<CopyJob> jobs = new HashSet<>();

    @GuardedBy("lock")
    private boolean isClosed;

    /** Creates an engine with the clocks and threads of this JVM. */
    public TransferEngine() {
        this(new SystemRuntime());
    }

    /** Creates an engine. */
    public TransferEngine(Runtime runtime) {
        this(runtime, CopyContext.STRETCH);
    }

    /**
     * Creates an engine with another size of ranges.
     *
     * @param stretch the size in octets of the ranges of a large file that are each moved, verified or kept as a whole
     */
    TransferEngine(Runtime runtime, long stretch) {
        this.runtime = runtime;
        this.contents = new Contents(runtime);
        this.stretch = stretch;
        this.partNames = new PartNames(runtime);
        this.trees = new Trees(runtime);
        this.ended = runtime.newCondition(lock);
    }

    @Override
    public Copy copy(List<Location> sources, Location target, CopyOptions options) {
        return treeCopy(sources, target, options);
    }

    private TreeCopy treeCopy(List<Location> sources, Location target, CopyOptions options) {
        if (sources.isEmpty()) {
            throw new IllegalArgumentException("nothing to copy");
        }
        if (options.has(Flag.SYNC) && sources.size() > 1) {
            throw new IllegalArgumentException("a synchronisation has one source, and not " + sources.size());
        }
        if (options.selection().names().isPresent() && sources.size() > 1) {
            throw new IllegalArgumentException(
                    "a list of names is of one directory, and not of " + sources.size() + " sources");
        }
        options.backup().ifPresent(backup -> requireSameMount(backup, target));
        List<TreePath> from = sources.stream().map(trees::at).toList();
        return new TreeCopy(running, from, trees.at(target), options, runtime, partNames, stretch, events);
    }

    private static void requireSameMount(Location backup, Location target) {
        Optional<String> one = backup.mount().map(Mount::name);
        Optional<String> other = target.mount().map(Mount::name);
        if (!one.equals(other)) {
            throw new IllegalArgumentException(
                    backup + " is not on the mount of " + target + ": files are kept on the mount that they are on");
        }
    }

    @Override
    public Copy copy(InputStream in, Location target, CopyOptions options) {
        return new StreamCopy(running, in, trees.at(target), options, runtime, partNames, events);
    }

    @Override
    public Check check(Location source, Location target, CopyOptions options) throws IOException, InterruptedException {
        CopyOptions compared = CopyOptions.of(Flag.RECURSIVE, Flag.SYNC, Flag.DELETE)
                .with(Flag.CHECKSUM, options.has(Flag.CHECKSUM))
                .with(Flag.HARD_LINKS, options.has(Flag.HARD_LINKS))
                .withFilter(options.filter())
                .withSelection(options.selection())
                .withLimit(options::limit);
        List<CopyStep> differences = new ArrayList<>();
        CopySummary summary = treeCopy(List.of(source), target, compared).rehearse(differences::add);
        return new Check(differences, summary.unchanged(), summary.skipped(), summary.failed());
    }

    @Override
    public void read(List<Location> files, OutputStream out, CopyOptions options)
            throws IOException, InterruptedException {
        CopyContext context = new CopyContext(
                options, new CopyCounters(), runtime, partNames, stretch, TypeConflicts.none(runtime.random()));
        // not Channels.newChannel(out): an interrupt would close the stream of the caller
        byte[] octets = new byte[CHUNK];
        for (Location file : files) {
            TreePath path = trees.at(file);
            try {
                contents.pump(
                        PinnedFile.read(path),
                        block -> {
                            int count = Math.min(block.remaining(), octets.length);
                            block.get(octets, 0, count);
                            out.write(octets, 0, count);
                        },
                        FileRange.WHOLE,
                        context.reading(path));
            } finally {
                path.close();
            }
        }
    }

    @Override
    public String sha256(Location file) throws IOException, InterruptedException {
        TreePath path = trees.at(file);
        try {
            return contents.sha256(path);
        } finally {
            path.close();
        }
    }

    /** Cancels the running copies, and waits for a limited time until they have removed their temporary files. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            jobs.forEach(job -> job.cancel("the copy engine was stopped"));
            long left = END_NANOS;
            while (!jobs.isEmpty() && left > 0) {
                left = ended.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void begin(CopyJob job) {
        lock.lock();
        try {
            if (isClosed) {
                throw new CancellationException("the copy engine was stopped");
            }
            jobs.add(job);
        } finally {
            lock.unlock();
        }
    }

    private void end(CopyJob job) {
        lock.lock();
        try {
            jobs.remove(job);
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private final class Jobs implements CopyJob.Running {
        @Override
        public void begin(CopyJob job) {
            TransferEngine.this.begin(job);
        }

        @Override
        public void end(CopyJob job) {
            TransferEngine.this.end(job);
        }
    }
}
