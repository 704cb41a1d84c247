package io.verbena.nfs41.server.internal.ops;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.server.internal.session.StableFile;
import io.verbena.nfs41.server.internal.vfs.Inode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verifiers of exclusive creates, by which a retried request is distinguished from a second one (RFC 8881 section
 * 18.16.3). The newest verifiers are kept in a file, one record each, so that a client that retries its OPEN after a
 * restart learns that it has created the file. Thread safe.
 *
 * <p>Some retries are not recognized. The record is written after the file is created, so that there is none if the
 * process ends in between, or the host loses power soon after. And if the file system keeps no creation times, the
 * generation of an inode is counted from the start of this process, so that records of earlier runs match no file.
 */
public final class ExclusiveCreates implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExclusiveCreates.class);
    static final int MAX_KEPT = 16_384;
    private static final int RECORD = 3 * Long.BYTES;

    private final Path file;

    @GuardedBy("this")
    private final Map<Made, Long> verifiers = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Made, Long> eldest) {
            return size() > MAX_KEPT;
        }
    };

    private final Opener opener;

    @GuardedBy("this")
    private WritableByteChannel records;

    @GuardedBy("this")
    private long recorded;

    @GuardedBy("this")
    private boolean mustRewrite;

    @GuardedBy("this")
    private boolean closed;

    /** Opens the file to append to it. */
    @FunctionalInterface
    interface Opener {
        WritableByteChannel open(Path file) throws IOException;
    }

    /** The identity of a created file: a later file may have its number, but not its generation. */
    private record Made(long number, long generation) {
        static Made of(Inode inode) {
            return new Made(inode.number(), inode.generation());
        }
    }

    /**
     * Reads the verifiers of earlier runs.
     *
     * @param file where the verifiers are kept; it need not exist
     * @throws IOException if the file cannot be read or written
     */
    public ExclusiveCreates(Path file) throws IOException {
        this(file, path -> FileChannel.open(path, StandardOpenOption.APPEND));
    }

    ExclusiveCreates(Path file, Opener opener) throws IOException {
        this.file = file;
        this.opener = opener;
        ByteBuffer kept = ByteBuffer.wrap(read(file));
        while (kept.remaining() >= RECORD) { // the last record may be incomplete, if its process ended
            verifiers.put(new Made(kept.getLong(), kept.getLong()), kept.getLong());
        }
        rewrite();
    }

    private static byte[] read(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return new byte[0];
        }
    }

    /** Writes the file anew with the records that are still kept, and appends to it from then on. */
    @GuardedBy("this")
    private void rewrite() throws IOException {
        ByteBuffer kept = ByteBuffer.allocate(verifiers.size() * RECORD);
        verifiers.forEach((made, verifier) -> put(kept, made, verifier));
        StableFile.replace(file, kept.array());
        if (records != null) {
            records.close();
        }
        records = opener.open(file);
        recorded = verifiers.size();
        mustRewrite = false;
    }

    private static ByteBuffer put(ByteBuffer to, Made made, long verifier) {
        return to.putLong(made.number).putLong(made.generation).putLong(verifier);
    }

    synchronized void made(Inode inode, long verifier) {
        Made made = Made.of(inode);
        verifiers.put(made, verifier);
        try {
            if (closed) {
                throw new ClosedChannelException();
            }
            if (mustRewrite || recorded >= 2L * MAX_KEPT) {
                mustRewrite = true; // also after a failure
                rewrite();
            } else {
                append(made, verifier);
            }
        } catch (IOException e) {
            LOG.warn("An exclusive create cannot be recorded in {}: its retry fails after a restart", file, e);
        }
    }

    @GuardedBy("this")
    private void append(Made made, long verifier) throws IOException {
        mustRewrite = true; // if only a part of the record is written, later records would be misread
        ByteBuffer record = put(ByteBuffer.allocate(RECORD), made, verifier).flip();
        while (record.hasRemaining()) {
            records.write(record);
        }
        recorded++;
        mustRewrite = false;
    }

    synchronized boolean isMadeBy(Inode inode, long verifier) {
        Long known = verifiers.get(Made.of(inode));
        return known != null && known == verifier;
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        if (records != null) {
            records.close();
        }
    }
}
