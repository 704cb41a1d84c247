package io.verbena.nfs;

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
 * An open regular file. May be used from several threads at once. Large reads and writes are cut to the negotiated
 * sizes and kept in flight side by side.
 *
 * <p>The writes of one file through one mount take effect in the order in which they were called, whatever they were
 * called on: this object or another one of the same file, a {@linkplain #channel channel}, an asynchronous call,
 * java.nio. A read sees the writes that were called before it; {@link #truncate}, {@link #sync}, {@link #close},
 * attributes and locks have their place in that order. Calls that overlap in time have no order. Other clients see what
 * was written once it is closed, synced or unlocked here, and opened or locked there (close-to-open).
 *
 * <p>A buffer must not be touched until the call that it was given to is complete;
 * direct buffers spare a copy. Where the mount is replaced everything fails with {@link MountReplacedException}; what was
 * written until then is on stable storage as far as {@link #sync} or {@link #close} has said so.
 */
@ProviderType
public interface RemoteFile extends Closeable {
    /** The path that it was opened by. */
    String path();

    /**
     * The attributes now; writes that are still on their way are waited for. They come from the server, unless it has
     * delegated the file to this client and nothing but the time of the last access can have changed since they last did.
     */
    FileAttributes attributes() throws IOException;

    /**
     * Fills the buffer as far as the file goes and advances its position.
     *
     * @return the octets read, or -1 where {@code position} is at or behind the end
     */
    int read(ByteBuffer destination, long position) throws IOException;

    /** As {@link #read}, without blocking. The buffer is the file's until the future is complete. */
    CompletableFuture<Integer> readAsync(ByteBuffer destination, long position);

    /**
     * Writes all of the buffer and advances its position. The data is on stable storage after {@link #sync} or
     * {@link #close}, or at once where the file was opened with DSYNC or SYNC; until then the client keeps what the
     * server may lose and sends it again where it does, so {@code source}'s octets are copied or the call waits.
     */
    void write(ByteBuffer source, long position) throws IOException;

    /**
     * As {@link #write}, without blocking. The buffer is the file's until the future is complete.
     */
    CompletableFuture<Void> writeAsync(ByteBuffer source, long position);

    /**
     * Writes all of the buffer at the end of the file, behind every append of this mount that was called before. Appends
     * of one mount never overlap; those of two clients do unless they lock the file, since NFS has no append.
     *
     * @param placed gets the offset once it is known, before anything is sent; on any thread, which it must not block
     * @return the offset, when the server has answered every WRITE
     */
    CompletableFuture<Long> appendAsync(ByteBuffer source, LongConsumer placed);

    /** Changes the size: shorter truncates, longer leaves a hole. */
    void truncate(long size) throws IOException;

    /** Brings what was written to stable storage (COMMIT), and reports any write that failed. */
    void sync() throws IOException;

    /**
     * A channel with a position of its own, which reads ahead and writes behind for those who go through the file in
     * order. Where the file was opened with APPEND, each of its writes goes to the end of the file. Closing it syncs and leaves the file open.
     */
    SeekableByteChannel channel();

    /**
     * Locks a range for this client (RFC 8881 section 18.10). What was read ahead of the file is dropped.
     *
     * @param size in octets; {@link Long#MAX_VALUE} reaches to the end however it grows
     * @param shared a read lock, not a write lock
     * @return the lock, or empty where another client, or another mount, holds a conflicting one
     * @throws OverlappingFileLockException where this process holds a lock that overlaps, of either type, or waits for
     *     one, through any open of the file on this mount
     */
    Optional<RemoteLock> tryLock(long position, long size, boolean shared) throws IOException;

    /**
     * As {@link #tryLock(long, long, boolean)}, waiting for others to give up their locks. A server that can tells when
     * to try again (CB_NOTIFY_LOCK, RFC 8881 section 20.11); all are asked again from time to time. Who asked first does
     * not get it first.
     *
     * @param wait for how long; where it is nothing or less, not at all
     * @return the lock, or empty where it could not be had in that time
     * @throws OverlappingFileLockException as the other does
     */
    Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) throws IOException;

    /** Whether {@link #tryLock(long, long, boolean)} would find somebody else's lock in the way (LOCKT). */
    boolean isLocked(long position, long size, boolean shared) throws IOException;

    /**
     * Syncs, reports any write that failed, releases locks and closes the file on the server. Where the mount has ended,
     * it has done so: this tells how it went.
     */
    @Override
    void close() throws IOException;
}
