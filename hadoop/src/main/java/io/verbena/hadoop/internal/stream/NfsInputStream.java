package io.verbena.hadoop.internal.stream;

import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_BYTES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_EXCEPTIONS;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_OPERATIONS;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_SEEK_OPERATIONS;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_SEEK_POLICY_CHANGED;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_VECTORED_OPERATIONS;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.hadoop.internal.tree.Failures;
import io.verbena.nfs.RemoteFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsAggregator;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;

/**
 * An open file to read. Positioned and vectored reads come from any number of threads, and change neither the position
 * nor what was read ahead; the other methods are for one thread after the other.
 */
public final class NfsInputStream extends FSInputStream
        implements ByteBufferReadable,
                ByteBufferPositionedReadable,
                CanUnbuffer,
                StreamCapabilities,
                IOStatisticsSource {
    private static final int SMALL = 8192;

    private final RemoteFile file;
    private final Path path;
    private final StreamFigures figures;
    private final StreamLock lock = new StreamLock();
    private final AtomicBoolean closed = new AtomicBoolean();

    @GuardedBy("lock")
    private final ByteBuffer small = ByteBuffer.allocate(SMALL).limit(0);

    @GuardedBy("lock")
    private ReadPolicy policy;

    /** Reads ahead; null where nothing was read yet. */
    @GuardedBy("lock")
    private SeekableByteChannel channel;

    /** The position of the next octet that the caller reads. */
    @GuardedBy("lock")
    private long position;

    /** The end of the last read from the file, which {@link #small} ends with. */
    @GuardedBy("lock")
    private long fetched;

    @GuardedBy("lock")
    private long knownSize;

    /**
     * @param file open for reading; this stream closes it
     * @param knownSize the size in octets as far as it is known, or -1
     */
    public NfsInputStream(
            RemoteFile file,
            Path path,
            ReadPolicy policy,
            long knownSize,
            FileSystem.Statistics statistics,
            IOStatisticsAggregator ofFileSystem) {
        this.file = file;
        this.path = path;
        this.policy = policy;
        this.knownSize = knownSize;
        figures = new StreamFigures(
                statistics,
                ofFileSystem,
                STREAM_READ_BYTES,
                STREAM_READ_EXCEPTIONS,
                STREAM_READ_OPERATIONS,
                STREAM_READ_SEEK_OPERATIONS,
                STREAM_READ_SEEK_POLICY_CHANGED,
                STREAM_READ_VECTORED_INCOMING_RANGES,
                STREAM_READ_VECTORED_OPERATIONS);
    }

    private void requireOpen() throws IOException {
        if (closed.get()) {
            throw new IOException(path + ": " + FSExceptionMessages.STREAM_IS_CLOSED);
        }
    }

    @Override
    public long getPos() throws IOException {
        lock.take();
        try {
            return position;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void seek(long target) throws IOException {
        lock.take();
        try {
            seekNow(target);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void seekNow(long target) throws IOException {
        requireOpen();
        if (target < 0) {
            throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + " " + target + " in " + path);
        }
        if (target > knownSize && target > refreshedSize()) {
            throw new EOFException(
                    FSExceptionMessages.CANNOT_SEEK_PAST_EOF + ": " + target + " in " + path + " of " + knownSize);
        }
        if (target != position) {
            figures.count(STREAM_READ_SEEK_OPERATIONS);
            position = target;
        }
    }

    @GuardedBy("lock")
    private long refreshedSize() throws IOException {
        try {
            knownSize = file.attributes().size();
            return knownSize;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public boolean seekToNewSource(long target) {
        return false;
    }

    @Override
    public int available() throws IOException {
        lock.take();
        try {
            requireOpen();
            long left = knownSize - position;
            return (int) Math.min(Integer.MAX_VALUE, left > 0 ? left : Math.max(0, refreshedSize() - position));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read() throws IOException {
        lock.take();
        try {
            requireOpen();
            if (!hasSmall() && fill() < 0) {
                return -1;
            }
            int octet = small.get() & 0xff;
            taken(1);
            return octet;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read(byte[] destination, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, destination.length);
        return read(ByteBuffer.wrap(destination, offset, length));
    }

    @Override
    public int read(ByteBuffer destination) throws IOException {
        lock.take();
        try {
            return readNow(destination);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private int readNow(ByteBuffer destination) throws IOException {
        requireOpen();
        if (!destination.hasRemaining()) {
            return 0;
        }
        figures.count(STREAM_READ_OPERATIONS);
        int count;
        if (hasSmall() || (destination.remaining() < SMALL && fill() >= 0)) {
            count = Math.min(destination.remaining(), small.remaining());
            destination.put(small.slice().limit(count));
            small.position(small.position() + count);
        } else if (destination.remaining() < SMALL) {
            return -1;
        } else {
            small.position(0).limit(0);
            count = fetch(destination);
        }
        if (count > 0) {
            taken(count);
        }
        return count;
    }

    @GuardedBy("lock")
    private void taken(int count) {
        position += count;
        figures.readBytes(STREAM_READ_BYTES, count);
    }

    /** Whether the small buffer has the octet of the position, which it is set to then. */
    @GuardedBy("lock")
    private boolean hasSmall() {
        long start = fetched - small.limit();
        if (position < start || position >= fetched) {
            return false;
        }
        small.position((int) (position - start));
        return true;
    }

    /** Fills the small buffer from the position on. Returns -1 at the end of the file. */
    @GuardedBy("lock")
    private int fill() throws IOException {
        small.clear();
        try {
            return fetch(small);
        } finally {
            small.flip();
        }
    }

    /** Reads from the file at the position, which stays. */
    @GuardedBy("lock")
    private int fetch(ByteBuffer destination) throws IOException {
        if (policy == ReadPolicy.ADAPTIVE && position < fetched) {
            policy = ReadPolicy.RANDOM;
            figures.count(STREAM_READ_SEEK_POLICY_CHANGED);
            closeChannel();
        }
        try {
            int count;
            if (policy == ReadPolicy.RANDOM) {
                count = file.read(destination, position);
            } else {
                if (channel == null) {
                    channel = file.channel();
                }
                if (channel.position() != position) {
                    channel.position(position);
                }
                count = channel.read(destination);
            }
            fetched = position + Math.max(0, count);
            knownSize = Math.max(knownSize, fetched);
            return count;
        } catch (IOException e) {
            small.position(0).limit(0);
            fetched = position;
            throw failed(e);
        }
    }

    private IOException failed(IOException e) {
        figures.count(STREAM_READ_EXCEPTIONS);
        return Failures.of(path, e);
    }

    @Override
    public int read(long start, byte[] destination, int offset, int length) throws IOException {
        validatePositionedReadArgs(start, destination, offset, length);
        return read(start, ByteBuffer.wrap(destination, offset, length));
    }

    @Override
    public int read(long start, ByteBuffer destination) throws IOException {
        requireOpen();
        if (start < 0) {
            throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + " " + start + " in " + path);
        }
        if (!destination.hasRemaining()) {
            return 0;
        }
        figures.count(STREAM_READ_OPERATIONS);
        try {
            int count = file.read(destination, start);
            figures.readBytes(STREAM_READ_BYTES, Math.max(0, count));
            return count;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void readFully(long start, byte[] destination, int offset, int length) throws IOException {
        validatePositionedReadArgs(start, destination, offset, length);
        readFully(start, ByteBuffer.wrap(destination, offset, length));
    }

    @Override
    public void readFully(long start, ByteBuffer destination) throws IOException {
        int length = destination.remaining();
        long at = start;
        while (destination.hasRemaining()) {
            int count = read(at, destination);
            if (count < 0) {
                throw new EOFException(
                        FSExceptionMessages.EOF_IN_READ_FULLY + ": " + length + " octets at " + start + " in " + path);
            }
            at += count;
        }
    }

    @Override
    public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
        readVectored(ranges, allocate, buffer -> {});
    }

    /** Reads all ranges at once, each by READs straight into its own buffer: direct buffers save a copy. */
    @Override
    public void readVectored(
            List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate, Consumer<ByteBuffer> release)
            throws IOException {
        requireOpen();
        Objects.requireNonNull(allocate);
        Objects.requireNonNull(release);
        VectoredRead read = new VectoredRead(file, path, figures, allocate, release);
        read.begin(ranges);
    }

    /** A range is read as it is: another request costs less than octets that nobody wants. */
    @Override
    public int minSeekForVectorReads() {
        return 0;
    }

    @Override
    public int maxReadSizeForVectorReads() {
        return 0;
    }

    /** Drops what was read ahead; the next read fetches again. */
    @Override
    public void unbuffer() {
        try {
            lock.take();
            try {
                release();
            } finally {
                lock.unlock();
            }
        } catch (IOException e) {
            figures.count(STREAM_READ_EXCEPTIONS);
        }
    }

    @GuardedBy("lock")
    private void release() throws IOException {
        small.position(0).limit(0);
        fetched = position;
        closeChannel();
    }

    @GuardedBy("lock")
    private void closeChannel() throws IOException {
        SeekableByteChannel last = channel;
        channel = null;
        if (last != null) {
            last.close();
        }
    }

    /** Does not wait for calls that go on: the close of the file ends what its channels read ahead. */
    @Override
    public void close() throws IOException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            file.close();
        } catch (IOException e) {
            throw failed(e);
        } finally {
            figures.end();
        }
    }

    @Override
    public boolean hasCapability(String capability) {
        return switch (capability.toLowerCase(Locale.ROOT)) {
            case StreamCapabilities.READBYTEBUFFER,
                    StreamCapabilities.PREADBYTEBUFFER,
                    StreamCapabilities.UNBUFFER,
                    StreamCapabilities.VECTOREDIO,
                    StreamCapabilities.IOSTATISTICS,
                    StreamCapabilities.IOSTATISTICS_CONTEXT -> true;
            default -> false;
        };
    }

    @Override
    public IOStatistics getIOStatistics() {
        return figures.getIOStatistics();
    }

    @Override
    public String toString() {
        return "NfsInputStream of " + path + " " + figures.getIOStatistics();
    }
}
