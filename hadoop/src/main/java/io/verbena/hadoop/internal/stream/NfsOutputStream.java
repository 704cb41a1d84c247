package io.verbena.hadoop.internal.stream;

import static org.apache.hadoop.fs.statistics.StoreStatisticNames.OP_HFLUSH;
import static org.apache.hadoop.fs.statistics.StoreStatisticNames.OP_HSYNC;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_WRITE_BYTES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_WRITE_EXCEPTIONS;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.hadoop.internal.tree.Failures;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsAggregator;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;

/**
 * An open file to write. Data goes to the server behind the writer; {@link #hflush} waits until the server has it, so
 * that readers see it, and {@link #hsync} and {@link #close} until it is on stable storage. A failure of an earlier
 * write is thrown by the next call. After a failure octets may be missing, so that every later call fails, {@link
 * #close} too. Any thread may call.
 */
public final class NfsOutputStream extends OutputStream implements Syncable, StreamCapabilities, IOStatisticsSource {
    private static final int SMALL = 8192;
    private static final String HFLUSH = "hflush";
    private static final String HSYNC = "hsync";

    private final RemoteFile file;
    private final SeekableByteChannel channel;
    private final Path path;
    private final StreamFigures figures;
    private final StreamLock lock = new StreamLock();
    private final AtomicBoolean closed = new AtomicBoolean();

    private final Consumer<NfsOutputStream> onClosed;

    /** The first failure after which octets may be missing; null for none. */
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @GuardedBy("lock")
    private final ByteBuffer small = ByteBuffer.allocate(SMALL);

    /**
     * A stream.
     *
     * @param file open for writing or appending; this stream closes it
     * @param onClosed is told when this stream was closed, whether that has failed or not
     */
    public NfsOutputStream(
            RemoteFile file,
            Path path,
            FileSystem.Statistics statistics,
            IOStatisticsAggregator ofFileSystem,
            Consumer<NfsOutputStream> onClosed) {
        this.file = file;
        this.path = path;
        this.onClosed = onClosed;
        channel = file.channel();
        figures = new StreamFigures(
                statistics, ofFileSystem, STREAM_WRITE_BYTES, STREAM_WRITE_EXCEPTIONS, OP_HFLUSH, OP_HSYNC);
    }

    private void requireOpen() throws IOException {
        if (closed.get()) {
            throw new IOException(path + ": " + FSExceptionMessages.STREAM_IS_CLOSED);
        }
        requireWhole();
    }

    private void requireWhole() throws IOException {
        Throwable first = failure.get();
        if (first != null) {
            // another exception each time: a caller may add that of close() to the first one
            throw new IOException(path + ": an earlier call has failed: " + first.getMessage(), first);
        }
    }

    /** Octets may be missing from now on. */
    private void broken(Throwable why) {
        boolean unused = failure.compareAndSet(null, why);
    }

    @Override
    public void write(int octet) throws IOException {
        takeToWrite();
        try {
            requireOpen();
            if (!small.hasRemaining()) {
                push();
            }
            small.put((byte) octet);
            figures.count(STREAM_WRITE_BYTES);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, source.length);
        takeToWrite();
        try {
            requireOpen();
            if (length > small.remaining()) {
                push();
            }
            if (length <= small.remaining()) {
                small.put(source, offset, length);
            } else {
                writeAll(ByteBuffer.wrap(source, offset, length));
            }
            figures.count(STREAM_WRITE_BYTES, length);
        } finally {
            lock.unlock();
        }
    }

    /** Takes the lock to write. The octets of a thread that is interrupted before are missing. */
    private void takeToWrite() throws IOException {
        try {
            lock.take();
        } catch (InterruptedIOException e) {
            broken(e);
            throw failed(e);
        }
    }

    @GuardedBy("lock")
    private void push() throws IOException {
        small.flip();
        try {
            writeAll(small);
        } finally {
            small.clear();
        }
    }

    @GuardedBy("lock")
    private void writeAll(ByteBuffer source) throws IOException {
        try {
            while (source.hasRemaining()) {
                int unused = channel.write(source);
            }
        } catch (IOException e) {
            broken(e);
            throw failed(e);
        } catch (RuntimeException | Error e) {
            broken(e);
            throw e;
        }
    }

    private IOException failed(IOException e) {
        figures.count(STREAM_WRITE_EXCEPTIONS);
        return Failures.of(path, e);
    }

    /** Hands what was written to the client, which sends it. */
    @Override
    public void flush() throws IOException {
        lock.take();
        try {
            if (!closed.get()) {
                requireWhole();
                push();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The server has the data then, and other clients see it. */
    @Override
    public void hflush() throws IOException {
        pushAnd(OP_HFLUSH, file::flush);
    }

    @Override
    public void hsync() throws IOException {
        pushAnd(OP_HSYNC, file::sync);
    }

    private interface Wait {
        void end() throws IOException;
    }

    private void pushAnd(String operation, Wait wait) throws IOException {
        lock.take();
        try {
            requireOpen();
            figures.count(operation);
            push();
            await(wait);
        } finally {
            lock.unlock();
        }
    }

    private void await(Wait wait) throws IOException {
        try {
            wait.end();
        } catch (InterruptedIOException e) {
            throw failed(e); // the client has all octets, and the next wait tells of them
        } catch (IOException e) {
            broken(e);
            throw failed(e);
        }
    }

    @Override
    public void close() throws IOException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            closeAll();
        } catch (IOException e) {
            throw failed(e);
        } finally {
            onClosed.accept(this);
            figures.end();
        }
    }

    /** Closes the file also where the thread stops to wait for another call. */
    private void closeAll() throws IOException {
        try {
            lock.take();
            try {
                pushAndClose();
            } finally {
                lock.unlock();
            }
        } finally {
            file.close();
        }
    }

    @GuardedBy("lock")
    private void pushAndClose() throws IOException {
        try {
            requireWhole();
            push();
        } finally {
            channel.close();
        }
    }

    @Override
    public boolean hasCapability(String capability) {
        return switch (capability.toLowerCase(Locale.ROOT)) {
            case HFLUSH, HSYNC, StreamCapabilities.IOSTATISTICS, StreamCapabilities.IOSTATISTICS_CONTEXT -> true;
            default -> false;
        };
    }

    @Override
    public IOStatistics getIOStatistics() {
        return figures.getIOStatistics();
    }

    @Override
    public String toString() {
        return "NfsOutputStream of " + path + " " + figures.getIOStatistics();
    }
}
