package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FileHandle;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One file of a mount, as all of its opens share it: the order of its writes, what is read ahead of it, and the ranges
 * that are locked. Two handles are two files, as Linux's client has it. Thread safe.
 */
final class FileCore {
    private final FileHandle handle;
    private final WriteBack writes;
    private final LockTable locks = new LockTable();
    private final Set<ReadAhead> readers = ConcurrentHashMap.newKeySet();

    /** Guarded by {@link FileCores}. */
    int users;

    FileCore(FileHandle handle, WriteBack writes) {
        this.handle = handle;
        this.writes = writes;
    }

    FileHandle handle() {
        return handle;
    }

    WriteBack writes() {
        return writes;
    }

    LockTable locks() {
        return locks;
    }

    /** Somebody reads ahead from now on: see {@link #changed}. */
    void reading(ReadAhead reader) {
        readers.add(reader);
    }

    void notReading(ReadAhead reader) {
        readers.remove(reader);
    }

    /** The file was changed here from an offset on. What was read ahead behind it is old. Called after the change was. */
    void changed(long from, long to) {
        readers.forEach(reader -> reader.changed(from, to));
    }

    /** Others may have changed the file: what is known of its data and of its size is asked for again. */
    void revalidate() {
        readers.forEach(ReadAhead::outdate);
        writes.forgetSize();
    }

    /**
     * Reads behind the writes that were called before. A read that ends at the end of the file looks again once the
     * writes behind the range are answered: they may have moved the end.
     *
     * @param read begins to read into a buffer at an offset
     */
    CompletableFuture<Integer> read(ByteBuffer destination, long position, Reading read) {
        int start = destination.position();
        return seeing(() -> readInOrder(destination.position(start), position, read));
    }

    /** The outcome of what looks at the file, which looks again where the server has restarted meanwhile. */
    <T> CompletableFuture<T> seeing(Supplier<CompletableFuture<T>> look) {
        int restarts = writes.waits().restarts();
        return look.get()
                .thenCompose(seen ->
                        writes.waits().restarts() == restarts ? CompletableFuture.completedFuture(seen) : seeing(look));
    }

    private CompletableFuture<Integer> readInOrder(ByteBuffer destination, long position, Reading read) {
        int length = destination.remaining();
        long end = length > Long.MAX_VALUE - position ? Long.MAX_VALUE : position + length;
        CompletableFuture<Void> overlapping = writes.waits().answered(position, end);
        CompletableFuture<Void> behind =
                end == Long.MAX_VALUE ? overlapping : writes.waits().answered(end, Long.MAX_VALUE);
        boolean endMayMove = !behind.isDone(); // looked at before the read is sent
        CompletableFuture<Integer> first =
                overlapping.isDone() ? read.begin(position) : overlapping.thenCompose(done -> read.begin(position));
        if (!endMayMove) {
            return first;
        }
        return first.thenCompose(count -> count == length
                ? CompletableFuture.completedFuture(count)
                : behind.thenCompose(done -> read.begin(position + Math.max(0, count)))
                        .thenApply(more -> sum(count, more)));
    }

    private static int sum(int first, int more) {
        return first < 0 ? more : first + Math.max(0, more);
    }

    /** Begins to read into what is left of a buffer. */
    interface Reading {
        CompletableFuture<Integer> begin(long position);
    }

    /** Runs a change of the file as a whole in its place in the order; what was read ahead is old then. */
    <T> CompletableFuture<T> exclusively(Function<FileCore, CompletableFuture<T>> change) {
        return writes.exclusively(() -> change.apply(this)).whenComplete((done, thrown) -> changed(0, Long.MAX_VALUE));
    }
}
