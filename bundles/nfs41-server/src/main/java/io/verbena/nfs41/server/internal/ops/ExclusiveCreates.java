package io.verbena.nfs41.server.internal.ops;

import io.verbena.nfs41.server.internal.state.StableFile;
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
 * The verifiers of exclusive creates, by which a repeated request is told from a second one (RFC 8881 section 18.16.3).
 * The newest of them are kept in a file, a record each, so that a client that repeats its OPEN after a restart is told
 * that it has made the file. Thread safe.
 *
 * <p>Not every repetition is told: a record is written behind the file's creation, so that none is left where the
 * process ends in between or the host loses power soon after; and where the file system does not keep creation times,
 * an inode's generation counts from the start of this process, so that records of earlier ones fit no file.
 */
public final class ExclusiveCreates implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExclusiveCreates.class);
    static final int MAX_KEPT = 16_384;
    private static final int RECORD = 3 * Long.BYTES;

    private final Path file;
    private final Map<Made, Long> verifiers = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Made, Long> eldest) {
            return size() > MAX_KEPT;
        }
    };
    private final Opener opener;
    private WritableByteChannel records;
    private long recorded;
    private boolean mustRewrite;
    private boolean closed;

    /** Opens the file to append to it. */
    @FunctionalInterface
    interface Opener {
        WritableByteChannel open(Path file) throws IOException;
    }

    /** A file that was made: its number may be another's later, its generation not. */
    private record Made(long number, long generation) {
        static Made of(Inode inode) {
            return new Made(inode.number(), inode.generation());
        }
    }

    /**
     * Reads what earlier runs have kept.
     *
     * @param file where verifiers are kept; it need not be there
     * @throws IOException where it cannot be read or written
     */
    public ExclusiveCreates(Path file) throws IOException {
        this(file, path -> FileChannel.open(path, StandardOpenOption.APPEND));
    }

    ExclusiveCreates(Path file, Opener opener) throws IOException {
        this.file = file;
        this.opener = opener;
        ByteBuffer kept = ByteBuffer.wrap(read(file));
        while (kept.remaining() >= RECORD) { // the last may have been cut short with its process
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

    /** Leaves only what is still kept, and appends from there. */
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
                mustRewrite = true; // until it is done
                rewrite();
            } else {
                append(made, verifier);
            }
        } catch (IOException e) {
            LOG.warn("An exclusive create cannot be noted in {}: after a restart, its repetition fails", file, e);
        }
    }

    private void append(Made made, long verifier) throws IOException {
        mustRewrite = true; // where only part of a record is written, what followed it would be read shifted
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
