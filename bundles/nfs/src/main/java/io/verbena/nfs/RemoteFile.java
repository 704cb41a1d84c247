package io.verbena.nfs;

import io.verbena.memory.BufferLease;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SeekableByteChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * An open regular file. Any thread may call any method. Large reads and writes are cut to the negotiated sizes, and the
 * parts are in flight at once.
 *
 * <p>The writes of one file through one mount take effect in the order of the calls, whichever object is called: this
 * one or another one of the same file, a {@linkplain #channel channel}, an asynchronous call, or java.nio. A read sees
 * the writes that were called before it. {@link #truncate}, {@link #sync}, {@link #close}, attributes and locks have
 * their place in that order. Calls that overlap in time have no order. Other clients see written data once the file is
 * closed, synced or unlocked here, and opened or locked there (close-to-open).
 *
 * <p>A caller must not touch a buffer until the call with that buffer is complete; direct buffers save a copy. When the
 * mount is replaced, all methods fail with {@link MountReplacedException}; data that {@link #sync} or {@link #close}
 * has confirmed is on stable storage.
 */
@ProviderType
public interface RemoteFile extends Closeable {
    /** The path by which the file was opened. */
    String path();

    /**
     * The present attributes, after all writes under way. They come from the server, unless the server has delegated
     * the file to this client and only the time of the last access can have changed since the client has fetched them.
     */
    FileAttributes attributes() throws IOException;

    /**
     * Reads until the buffer is full or the file ends, and advances the position of the buffer. An interrupt ends the
     * call; the octets of the buffer are undefined then, and nothing writes there any more.
     *
     * @return the octets read, or -1 if {@code position} is at or behind the end of the file
     */
    int read(ByteBuffer destination, long position) throws IOException;

    /**
     * As {@link #read}, without blocking. The buffer belongs to the file until the future is complete. A caller who
     * completes the future, for instance by {@code cancel} or {@code orTimeout}, gives the read up: the future
     * completes once nothing uses the buffer any more, without waiting for the server. For a direct buffer that may
     * cost the mount its connection, and all calls under way are sent again by the next one.
     */
    CompletableFuture<Integer> readAsync(ByteBuffer destination, long position);

    /**
     * Writes all of the buffer and advances its position. The data is on stable storage after {@link #sync} or
     * {@link #close}, or at once if the file was opened with DSYNC or SYNC. Until then the client keeps the data that
     * the server may lose, and sends it again if the server loses it; for that the octets of {@code source} are copied,
     * or the call waits.
     */
    void write(ByteBuffer source, long position) throws IOException;

    /**
     * As {@link #write}, without blocking. The buffer belongs to the file until the future is complete. A caller who
     * completes the future gives the write up, as with {@link #readAsync}: octets that are not copied by then are not
     * written.
     */
    CompletableFuture<Void> writeAsync(ByteBuffer source, long position);

    /**
     * As {@link #writeAsync(ByteBuffer, long)}, for a leased buffer that the file takes over: the octets from position
     * to limit are sent without a copy. The file closes the lease when the data is safe or the write has failed, also
     * if this method throws.
     */
    default CompletableFuture<Void> writeAsync(BufferLease source, long position) {
        CompletableFuture<Void> written = null;
        try {
            written = writeAsync(source.buffer(), position);
            return written.whenComplete((done, thrown) -> source.close());
        } finally {
            if (written == null) {
                source.close();
            }
        }
    }

    /**
     * Appends all of the buffer to the file, after every append of this mount that was called before. Appends of one
     * mount never overlap. Appends of two clients overlap unless the clients lock the file, since NFS has no append.
     *
     * @param placed receives the offset when it is known, before anything is sent; called on any thread, which it must
     *     not block
     * @return the offset, when the server has answered every WRITE
     */
    CompletableFuture<Long> appendAsync(ByteBuffer source, LongConsumer placed);

    /**
     * Changes attributes of the file, whatever its path leads to by now. A change of the size needs a file that is open
     * for writing, and has its place in the order of the writes.
     *
     * @return the attributes after the change
     * @throws UnsupportedOperationException if the client has no such call
     */
    default FileAttributes setAttributes(AttributeChanges changes) throws IOException {
        throw new UnsupportedOperationException("attributes are changed by the path alone");
    }

    /** Changes the size: a smaller size truncates the file, a larger one adds a hole. */
    void truncate(long size) throws IOException;

    /**
     * Waits until the server has answered all earlier writes, so that other clients see them, and throws the failure of
     * any of them. The data need not be on stable storage: see {@link #sync}. Blocks.
     *
     * @throws IOException the failure of a write, reported once, by this method or by {@link #sync}
     */
    default void flush() throws IOException {
        sync();
    }

    /** Brings written data to stable storage (COMMIT), and throws the failure of any earlier write. */
    void sync() throws IOException;

    /**
     * A channel with its own position, which reads ahead and writes behind for sequential access. If the file was
     * opened with APPEND, each write of the channel goes to the end of the file. Closing the channel syncs and leaves
     * the file open.
     */
    SeekableByteChannel channel();

    /**
     * Locks a range for this client (RFC 8881 section 18.10). Data that was read ahead is dropped.
     *
     * @param size in octets; {@link Long#MAX_VALUE} reaches to the end of the file, however the file grows
     * @param shared whether it is a read lock; else it is a write lock
     * @return the lock, or empty if another client, or another mount, holds a conflicting lock
     * @throws OverlappingFileLockException if this process holds an overlapping lock of either type, or waits for one,
     *     through any open of the file on this mount
     */
    Optional<RemoteLock> tryLock(long position, long size, boolean shared) throws IOException;

    /**
     * As {@link #tryLock(long, long, boolean)}, but waits while other clients hold conflicting locks. Some servers
     * notify the client when to try again (CB_NOTIFY_LOCK, RFC 8881 section 20.11); the client also asks every server
     * from time to time. The order of the requests does not decide which client gets the lock.
     *
     * @param wait how long to wait; zero or less for not at all. A request that the server does not answer, or puts off
     *     in its grace period, may take longer on a hard mount; once it is denied, there is one request more, at once
     * @return the lock, or empty if it could not be had in that time
     * @throws OverlappingFileLockException as {@link #tryLock(long, long, boolean)}
     */
    Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) throws IOException;

    /** Whether another holder's lock conflicts with {@link #tryLock(long, long, boolean)} (LOCKT). */
    boolean isLocked(long position, long size, boolean shared) throws IOException;

    /**
     * Syncs, throws the failure of any earlier write, releases the locks, and closes the file on the server. If the
     * mount has ended, the mount has done all of this, and this method tells the outcome.
     */
    @Override
    void close() throws IOException;
}
