package io.verbena.hadoop.internal.stream;

import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_BYTES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_EXCEPTIONS;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_VECTORED_OPERATIONS;

import io.verbena.hadoop.internal.tree.Failures;
import io.verbena.nfs.RemoteFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.Path;

/** One vectored read of a file: all ranges are under way at once. */
final class VectoredRead {
    private final RemoteFile file;
    private final Path path;
    private final StreamFigures figures;
    private final IntFunction<ByteBuffer> allocate;
    private final Consumer<ByteBuffer> release;

    VectoredRead(
            RemoteFile file,
            Path path,
            StreamFigures figures,
            IntFunction<ByteBuffer> allocate,
            Consumer<ByteBuffer> release) {
        this.file = file;
        this.path = path;
        this.figures = figures;
        this.allocate = allocate;
        this.release = release;
    }

    /**
     * Begins to read, and gives each range its future.
     *
     * @throws IllegalArgumentException for ranges that overlap or have a negative length
     * @throws EOFException for a range that begins before the file
     */
    void begin(List<? extends FileRange> ranges) throws IOException {
        List<FileRange> sorted = sorted(ranges);
        figures.count(STREAM_READ_VECTORED_OPERATIONS);
        figures.count(STREAM_READ_VECTORED_INCOMING_RANGES, sorted.size());
        for (FileRange range : sorted) {
            range.setData(begin(range));
            figures.readByThread(range.getLength()); // of this thread, which is the task's; the read ends on another
        }
    }

    /** The checks of Hadoop's VectoredReadUtils have other names in 3.4.0 than in later versions. */
    private static List<FileRange> sorted(List<? extends FileRange> ranges) throws EOFException {
        List<FileRange> sorted = new ArrayList<>(ranges);
        for (FileRange each : sorted) {
            if (each.getLength() < 0) {
                throw new IllegalArgumentException("The length of " + each + " is negative");
            }
            if (each.getOffset() < 0) {
                throw new EOFException("The offset of " + each + " is negative");
            }
        }
        sorted.sort(Comparator.comparingLong(FileRange::getOffset));
        for (int i = 1; i < sorted.size(); i++) {
            FileRange before = sorted.get(i - 1);
            if (sorted.get(i).getOffset() - before.getOffset() < before.getLength()) {
                throw new IllegalArgumentException(sorted.get(i) + " overlaps " + before);
            }
        }
        return sorted;
    }

    private CompletableFuture<ByteBuffer> begin(FileRange range) {
        ByteBuffer buffer = null;
        CompletableFuture<Integer> read = null;
        try {
            buffer = allocate.apply(range.getLength());
            ByteBuffer destination = buffer;
            int start = destination.position();
            if (range.getLength() == 0) {
                return CompletableFuture.completedFuture(destination);
            }
            ByteBuffer wanted = destination.duplicate().limit(start + range.getLength());
            read = file.readAsync(wanted, range.getOffset());
            Given given = new Given(read);
            // not on the thread of the client, which may never wait: the caller continues the future as it likes
            CompletableFuture<ByteBuffer> filled =
                    read.handleAsync((count, thrown) -> end(range, destination, start, count, thrown));
            Futures.whenDone(
                    filled, given::completeExceptionally, (data, thrown) -> given.end(destination, data, thrown));
            return given;
        } catch (Throwable e) {
            figures.count(STREAM_READ_EXCEPTIONS);
            if (read != null) {
                return givenUp(read, buffer, e);
            }
            if (buffer != null) {
                release.accept(buffer);
            }
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Gives a read up that cannot be continued. The buffer is the file's until the future of the read is complete. */
    private CompletableFuture<ByteBuffer> givenUp(CompletableFuture<Integer> read, ByteBuffer buffer, Throwable why) {
        CompletableFuture<ByteBuffer> ended = read.handle((count, thrown) -> {
            release.accept(buffer);
            throw new CompletionException(why);
        });
        boolean unused = read.cancel(false);
        return ended;
    }

    /** The data of a range, as its reader has it, who may give the read up: the buffer is released at its end then. */
    private final class Given extends CompletableFuture<ByteBuffer> {
        private final CompletableFuture<Integer> read;

        Given(CompletableFuture<Integer> read) {
            this.read = read;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            boolean unused = read.cancel(false);
            return cancelled;
        }

        void end(ByteBuffer buffer, ByteBuffer data, Throwable thrown) {
            boolean isTaken = thrown == null ? complete(data) : completeExceptionally(thrown);
            if (thrown != null || !isTaken) {
                release.accept(buffer);
            }
        }
    }

    private ByteBuffer end(FileRange range, ByteBuffer buffer, int start, Integer count, Throwable thrown) {
        if (thrown == null && count == range.getLength()) {
            figures.count(STREAM_READ_BYTES, count);
            return buffer.position(start).limit(start + range.getLength());
        }
        figures.count(STREAM_READ_EXCEPTIONS);
        throw new CompletionException(
                thrown == null
                        ? new EOFException(FSExceptionMessages.EOF_IN_READ_FULLY + ": " + range + " in " + path)
                        : Failures.of(path, Failures.unwrapped(thrown)));
    }
}
