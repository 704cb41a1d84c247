package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * How a channel writes. Each write is handed to the mount in the moment it is called, and so takes its place in the
 * mount's order: behind by the mount's channel, which collects small writes, or through, with the answer waited for. Where
 * the mount can be replaced, a copy is kept by {@link KeptWrites} until it is on stable storage. Thread safe.
 */
final class FileWrites {
    private static final long MAX_KEPT = 16L << 20;

    private final OpenFile file;
    private final KeptWrites kept;
    private final boolean keeps;
    private final boolean appends;
    private final boolean behind;
    /** The mount's channel; guarded by this where no copies are kept, else by the lock of those. */
    private Behind channel;

    /**
     * @param behind whether a write may return before the server has it
     */
    FileWrites(OpenFile file, boolean behind) {
        this.file = file;
        this.kept = file.shared().kept();
        this.keeps = file.isReplaceable();
        this.appends = file.options().append();
        this.behind = behind;
    }

    /**
     * The mount's channel.
     *
     * @param via what it is a channel of
     */
    private record Behind(RemoteFile via, SeekableByteChannel channel) {}

    /**
     * Takes all of the buffer; the failure of an earlier write may be thrown here.
     *
     * @param position where it goes, unless the file is open to append
     * @return the offset behind it
     */
    long write(ByteBuffer source, long position) throws IOException {
        try {
            file.tellOwed();
            if (!keeps) {
                return writeOnce(source, position);
            }
            return appends ? appendKept(source) : writeKept(source, position);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw Failures.about(file.path(), e);
        }
    }

    private long writeOnce(ByteBuffer source, long position) throws IOException {
        if (behind) {
            synchronized (this) {
                return writeBehind(source, position);
            }
        }
        int length = source.remaining();
        if (appends) {
            // a copy: who is interrupted has the buffer back at once
            ByteBuffer copy =
                    ByteBuffer.allocateDirect(length).put(source.duplicate()).flip();
            CompletableFuture<Long> placed = file.now().appendAsync(copy, at -> {});
            Piece.await(placed);
            source.position(source.limit());
            return placed.join() + length;
        }
        file.now().write(source, position);
        return position + length;
    }

    /** Where it appends, the mount's channel does. */
    private long writeBehind(ByteBuffer source, long position) throws IOException {
        RemoteFile present = file.now();
        if (channel == null || channel.via() != present) {
            channel = new Behind(present, present.channel());
        }
        SeekableByteChannel to = channel.channel();
        if (!appends) {
            to.position(position);
        }
        while (source.hasRemaining()) {
            int unused = to.write(source);
        }
        return to.position();
    }

    /** A record is one piece, however long it is, so that it is placed as one. */
    private long appendKept(ByteBuffer source) throws IOException {
        int length = source.remaining();
        makeRoom(length);
        Piece piece;
        kept.lock();
        try {
            kept.renew();
            file.tellOwed();
            piece = Piece.append(file, source);
            kept.add(piece);
            piece.send();
        } finally {
            kept.unlock();
        }
        await(piece);
        return piece.position() + length;
    }

    private long writeKept(ByteBuffer source, long position) throws IOException {
        long at = position;
        while (source.hasRemaining()) {
            int count = Math.min(source.remaining(), Piece.MAX_SIZE);
            makeRoom(count);
            at += behind ? keepBehind(source, count, at) : keepThrough(source, count, at);
        }
        return at;
    }

    private int keepThrough(ByteBuffer source, int count, long at) throws IOException {
        Piece piece;
        kept.lock();
        try {
            kept.renew();
            file.tellOwed();
            piece = Piece.at(file, at, count);
            ByteBuffer unused = piece.add(source, count);
            kept.add(piece);
            piece.send();
        } finally {
            kept.unlock();
        }
        await(piece);
        return count;
    }

    /** Keeps what has room in the last piece, and hands it over. */
    private int keepBehind(ByteBuffer source, int most, long at) throws IOException {
        kept.lock();
        try {
            kept.renew();
            file.tellOwed();
            Piece piece = kept.last();
            int room = piece == null ? 0 : piece.room(file, at);
            if (room == 0) {
                piece = Piece.at(file, at, most);
                kept.add(piece);
                room = most;
            }
            int count = Math.min(most, room);
            ByteBuffer added = piece.add(source, count);
            piece.taken(false);
            try {
                long unused = writeBehind(added, at);
                piece.taken(true);
            } catch (IOException e) {
                recover(piece.via(), e);
            }
            return count;
        } finally {
            kept.unlock();
        }
    }

    private void makeRoom(int count) throws IOException {
        if (kept.memory(file) + count > MAX_KEPT) {
            sync();
        }
    }

    /** Waits until the server has it, be it after the mount was replaced. */
    private void await(Piece piece) throws IOException {
        for (int replacements = 0; ; replacements++) {
            RemoteFile via = piece.via();
            try {
                piece.await();
                return;
            } catch (InterruptedIOException e) {
                throw e; // the server may have it, so it is kept
            } catch (IOException e) {
                if (Failures.replacement(e).isEmpty() || replacements == Remote.MAX_REPLACEMENTS) {
                    kept.remove(piece);
                    throw e;
                }
                recover(via, e);
                if (!kept.isKept(piece)) {
                    return; // another write lies over it
                }
            }
        }
    }

    /** Where the mount was replaced, all is there again, or it is told; any other failure is thrown. */
    private void recover(RemoteFile gone, IOException failure) throws IOException {
        try {
            file.reopen(gone, failure);
        } catch (InterruptedIOException e) {
            throw e; // who comes next tries again
        } catch (IOException e) {
            if (e != failure && Failures.replacement(failure).isPresent()) {
                kept.forget(file); // nothing can be done about it, and it is told
            }
            throw e;
        }
        file.tellOwed();
    }

    /** Brings all to stable storage, and reports what failed. */
    void sync() throws IOException {
        file.tellOwed();
        if (!keeps) {
            RemoteFile unused = file.call(present -> {
                present.sync();
                return present;
            });
            return;
        }
        for (int replacements = 0; ; replacements++) {
            kept.renew();
            file.tellOwed();
            RemoteFile via = file.now();
            List<Piece> written = kept.seal(file);
            try {
                via.sync();
                kept.forget(written, via);
                return;
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                if (Failures.replacement(e).isEmpty() || replacements == Remote.MAX_REPLACEMENTS) {
                    kept.forget(written, via); // it is told
                    throw Failures.about(file.path(), e);
                }
                recover(via, e);
            }
        }
    }

    /** Whether all is on stable storage, and nothing is left to be told. */
    boolean isSafe() {
        return keeps && kept.isEmpty(file) && file.owesNothing();
    }
}
