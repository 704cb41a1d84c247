package io.verbena.nfs.nio.internal.channel;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.nio.internal.file.OpenFile;
import io.verbena.nfs.nio.internal.file.OpenResult;
import io.verbena.nfs.nio.internal.file.UncommittedWrite;
import io.verbena.nfs.nio.internal.file.UncommittedWrites;
import io.verbena.nfs.nio.internal.mount.CallLock;
import io.verbena.nfs.nio.internal.mount.Failures;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;

/**
 * The writes of one channel. Each write is handed to the mount in the call itself, and so takes its place in the
 * mount's order. Write-behind goes by the mount's channel, which collects small writes; write-through waits for the
 * answer. If the mount can be replaced, {@link UncommittedWrites} keeps a copy until the write is on stable storage.
 * Thread safe.
 */
final class FileWrites {
    private static final long MAX_KEPT = 16L << 20;

    private final OpenFile file;
    private final UncommittedWrites kept;
    private final boolean keeps;
    private final boolean appends;
    private final boolean behind;
    private final CallLock turn;
    /**
     * The mount's channel. Guarded by {@link #turn} if no copies are kept, else by the lock of the
     * {@link UncommittedWrites}; {@code @GuardedBy} cannot name two locks.
     */
    private Behind channel;

    /**
     * @param behind whether a write may return before the server has it
     */
    FileWrites(OpenFile file, boolean behind) {
        this.file = file;
        this.kept = file.shared().uncommitted();
        this.keeps = file.isReplaceable();
        this.appends = file.options().append();
        this.behind = behind;
        this.turn = new CallLock(file.path().system().runtime());
    }

    /**
     * The mount's channel.
     *
     * @param via the file that it is a channel of
     */
    private record Behind(RemoteFile via, SeekableByteChannel channel) {}

    /**
     * Writes all of the buffer. May throw the failure of an earlier write. A write that fails leaves the position of
     * the buffer, as the caller's own position, where the write began; but a mount's channel that appends behind has
     * advanced the position over the octets that it has taken.
     *
     * @param position the offset in the file; ignored if the file is open to append
     * @return the offset after the last octet
     */
    long write(ByteBuffer source, long position) throws IOException {
        int start = source.position();
        boolean written = false;
        try {
            file.throwDeferred();
            long end;
            if (keeps) {
                end = appends ? appendKept(source) : writeKept(source, position);
            } else {
                end = writeOnce(source, position);
            }
            written = true;
            return end;
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw Failures.about(file.path(), e);
        } finally {
            if (!written && (keeps || !appends || !behind)) {
                source.position(start);
            }
        }
    }

    private long writeOnce(ByteBuffer source, long position) throws IOException {
        if (behind) {
            turn.lock(file::isClosedByOther);
            try {
                return writeBehind(file.now(), source, position);
            } finally {
                turn.unlock();
            }
        }
        int length = source.remaining();
        if (appends) {
            // a copy, since an interrupted caller has its buffer back at once
            ByteBuffer copy =
                    ByteBuffer.allocate(length).put(source.duplicate()).flip();
            long placed = file.await(file.now().appendAsync(copy, at -> {}));
            source.position(source.limit());
            return placed + length;
        }
        file.now().write(source, position);
        return position + length;
    }

    /** Hands octets to the mount's channel, which appends by itself. */
    private long writeBehind(RemoteFile present, ByteBuffer source, long position) throws IOException {
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

    /** Appends a record as one write, however long it is, so that the server keeps it together. */
    private long appendKept(ByteBuffer source) throws IOException {
        int length = source.remaining();
        makeRoom(length);
        UncommittedWrite write;
        kept.lock(file);
        try {
            OpenResult present = kept.follow(file);
            file.throwDeferred();
            write = UncommittedWrite.append(file, present, source);
            kept.add(write);
            write.send();
        } finally {
            kept.unlock();
        }
        await(write);
        return write.position() + length;
    }

    private long writeKept(ByteBuffer source, long position) throws IOException {
        long at = position;
        while (source.hasRemaining()) {
            int count = Math.min(source.remaining(), UncommittedWrite.MAX_SIZE);
            makeRoom(count);
            at += behind ? keepBehind(source, count, at) : keepThrough(source, count, at);
        }
        return at;
    }

    private int keepThrough(ByteBuffer source, int count, long at) throws IOException {
        UncommittedWrite write;
        kept.lock(file);
        try {
            OpenResult present = kept.follow(file);
            file.throwDeferred();
            write = UncommittedWrite.at(file, present, at, count);
            ByteBuffer unused = write.add(source, count);
            kept.add(write);
            write.send();
        } finally {
            kept.unlock();
        }
        await(write);
        return count;
    }

    /** Adds to the last copy as many octets as it has room for, and hands these to the mount's channel. */
    private int keepBehind(ByteBuffer source, int most, long at) throws IOException {
        kept.lock(file);
        try {
            OpenResult present = kept.follow(file);
            file.throwDeferred();
            UncommittedWrite write = kept.last();
            int room = write == null ? 0 : write.room(file, present, at);
            if (room == 0) {
                write = UncommittedWrite.at(file, present, at, most);
                kept.add(write);
                room = most;
            }
            int count = Math.min(most, room);
            ByteBuffer added = write.add(source, count);
            write.taken(false);
            try {
                long unused = writeBehind(present.file(), added, at);
                write.taken(true);
            } catch (IOException e) {
                recover(present.file(), e);
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

    /** Waits until the server has the write, by this mount or by the next one. */
    private void await(UncommittedWrite write) throws IOException {
        for (int replacements = 0; ; replacements++) {
            RemoteFile via = write.via();
            try {
                write.await();
                return;
            } catch (InterruptedIOException e) {
                throw e; // the server may have the write, so the copy stays
            } catch (IOException e) {
                if (Failures.replacement(e).isEmpty() || replacements == ReplaceableMount.MAX_REPLACEMENTS) {
                    kept.remove(write);
                    throw e;
                }
                recover(via, e);
                if (!kept.isKept(write)) {
                    return; // another write has overwritten it
                }
            }
        }
    }

    /** Opens the file again and writes lost writes again, if the mount was replaced; throws any other failure. */
    private void recover(RemoteFile gone, IOException failure) throws IOException {
        try {
            file.reopen(gone, failure);
        } catch (InterruptedIOException e) {
            throw e; // the next caller tries again
        } catch (IOException e) {
            if (e != failure && Failures.replacement(failure).isPresent()) {
                kept.forget(file); // the writes are lost, and this exception reports it
            }
            throw e;
        }
        file.throwDeferred();
    }

    /** Brings all writes to stable storage, and throws the first failure. */
    void sync() throws IOException {
        file.throwDeferred();
        if (!keeps) {
            RemoteFile unused = file.call(present -> {
                present.sync();
                return present;
            });
            return;
        }
        for (int replacements = 0; ; replacements++) {
            UncommittedWrites.Sealed written = kept.seal(file);
            file.throwDeferred();
            try {
                written.via().sync();
                kept.synced(file, written);
                return;
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                if (Failures.replacement(e).isEmpty() || replacements == ReplaceableMount.MAX_REPLACEMENTS) {
                    kept.forget(file, written); // the exception reports their loss
                    throw Failures.about(file.path(), e);
                }
                recover(written.via(), e);
            }
        }
    }

    /** The calling thread begins to close the channel. */
    void beginClose() {
        file.beginClose();
        turn.wake();
    }

    /** Whether all writes are on stable storage and no failure is left to be thrown. */
    boolean isSafe() {
        return keeps && kept.isEmpty(file) && file.hasNoDeferredFailure();
    }
}
