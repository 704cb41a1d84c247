package io.verbena.nfs41.client.internal.file;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.client.internal.state.LocalLockRanges;
import io.verbena.nfs41.client.internal.write.WriteBack;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One file of a mount, shared by all opens of it: the order of its writes, its read-ahead and its locked ranges. Two
 * file handles are two files, as in the Linux client. Thread safe.
 */
final class SharedFileState {
    private final FileHandle handle;
    private final WriteBack writes;
    private final LocalLockRanges locks = new LocalLockRanges();
    private final Set<ReadAhead> readers = ConcurrentHashMap.newKeySet();

    /**
     * The number of opens. Guarded by the {@link SharedFileStates} that holds this object; the checker cannot see that
     * lock.
     */
    int users;

    SharedFileState(FileHandle handle, WriteBack writes) {
        this.handle = handle;
        this.writes = writes;
    }

    FileHandle handle() {
        return handle;
    }

    WriteBack writes() {
        return writes;
    }

    LocalLockRanges locks() {
        return locks;
    }

    /** Adds a reader that reads ahead, and that {@link #changed} tells of changes. */
    void reading(ReadAhead reader) {
        readers.add(reader);
    }

    /** An open of the file is being closed: its channels need not be closed themselves. */
    void closed(NfsFile open) {
        readers.forEach(reader -> reader.closed(open));
    }

    void notReading(ReadAhead reader) {
        readers.remove(reader);
    }

    /** Memory is short: read-ahead shrinks, and written data is committed early. */
    void giveBack() {
        readers.forEach(ReadAhead::giveBack);
        writes.giveBack();
    }

    /** The file was changed here in a range: drops data that was read ahead of it. Called after the change. */
    void changed(long from, long to) {
        readers.forEach(reader -> reader.changed(from, to));
    }

    /** Other clients may have changed the file: its data and its size are asked for again. */
    void revalidate() {
        readers.forEach(ReadAhead::outdate);
        writes.forgetSize();
    }

    /**
     * Reads after the writes that were called before. A read that meets the end of the file reads again once the writes
     * behind its range are answered: they may have moved the end.
     *
     * @param length the octets to read
     * @param read begins to read
     */
    CompletableFuture<Integer> read(int length, long position, Reading read) {
        return readConsistently(() -> readInOrder(length, position, read));
    }

    /** Runs a read of data or attributes, and repeats it where the server has restarted meanwhile. */
    <T> CompletableFuture<T> readConsistently(Supplier<CompletableFuture<T>> look) {
        return writes.looks().look(writes.waits()::restarts, look);
    }

    private CompletableFuture<Integer> readInOrder(int length, long position, Reading read) {
        long end = length > Long.MAX_VALUE - position ? Long.MAX_VALUE : position + length;
        CompletableFuture<Void> overlapping = writes.waits().answered(position, end);
        CompletableFuture<Void> behind =
                end == Long.MAX_VALUE ? overlapping : writes.waits().answered(end, Long.MAX_VALUE);
        boolean endMayMove = !behind.isDone(); // read before the read is sent
        CompletableFuture<Integer> first =
                overlapping.isDone() ? read.begin(0) : overlapping.thenCompose(done -> read.begin(0));
        if (!endMayMove) {
            return first;
        }
        return first.thenCompose(count -> count == length
                ? CompletableFuture.completedFuture(count)
                : behind.thenCompose(done -> read.begin(Math.max(0, count))).thenApply(more -> sum(count, more)));
    }

    private static int sum(int first, int more) {
        return first < 0 ? more : first + Math.max(0, more);
    }

    /** Begins to read all octets but the first ones, which were read before. */
    interface Reading {
        CompletableFuture<Integer> begin(int readBefore);
    }

    /** Runs a change of the whole file in the order of its writes, and drops data that was read ahead. */
    <T> CompletableFuture<T> exclusively(Function<SharedFileState, CompletableFuture<T>> change) {
        return writes.exclusively(() -> change.apply(this)).whenComplete((done, thrown) -> changed(0, Long.MAX_VALUE));
    }
}
