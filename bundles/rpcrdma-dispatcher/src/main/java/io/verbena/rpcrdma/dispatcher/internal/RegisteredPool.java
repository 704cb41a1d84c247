package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory registered with one connection for local use, so that it can be sent from, written from and read into again
 * and again: no peer reaches it. Thread safe.
 */
final class RegisteredPool {
    /** One piece: the memory and its registration. */
    static final class Piece {
        private final ByteBuffer memory;
        private final MemoryRegion region;
        private ByteBuffer view;

        private Piece(ByteBuffer memory, MemoryRegion region) {
            this.memory = memory;
            this.region = region;
            this.view = memory;
        }

        MemoryRegion region() {
            return region;
        }

        /** The part that was asked for: its octet 0 is the region's. */
        ByteBuffer view() {
            return view;
        }
    }

    private final DirectPool memory;
    private final RdmaConnection connection;
    private final long maxIdleBytes;
    private final List<ArrayDeque<Piece>> idle = new ArrayList<>();
    private long idleBytes;
    private boolean usedSinceTrim;
    private boolean closed;

    RegisteredPool(DirectPool memory, RdmaConnection connection, long maxIdleBytes) {
        this.memory = memory;
        this.connection = connection;
        this.maxIdleBytes = maxIdleBytes;
        for (int i = 0; i < DirectPool.classes(); i++) {
            idle.add(new ArrayDeque<>());
        }
    }

    /** A piece whose view has exactly that capacity. */
    Piece take(int bytes) throws RdmaException {
        Piece piece = takeIdle(DirectPool.sizeClass(bytes));
        if (piece == null) {
            ByteBuffer fresh = memory.take(bytes);
            try {
                piece = new Piece(fresh, connection.register(fresh, Access.LOCAL));
            } catch (RdmaException e) {
                memory.give(fresh);
                throw e;
            }
        }
        piece.view = piece.memory.slice(0, bytes);
        return piece;
    }

    private synchronized Piece takeIdle(int sizeClass) {
        usedSinceTrim = true;
        if (sizeClass < 0) {
            return null;
        }
        Piece piece = idle.get(sizeClass).pollLast();
        if (piece != null) {
            idleBytes -= piece.memory.capacity();
        }
        return piece;
    }

    /** Gives a piece back; no posted work may name it any more. */
    void give(Piece piece) {
        int sizeClass = DirectPool.sizeClass(piece.memory.capacity());
        synchronized (this) {
            if (!closed && sizeClass >= 0 && idleBytes + piece.memory.capacity() <= maxIdleBytes) {
                idle.get(sizeClass).addLast(piece);
                idleBytes += piece.memory.capacity();
                return;
            }
        }
        discard(piece);
    }

    private void discard(Piece piece) {
        piece.region.invalidate();
        memory.give(piece.memory);
    }

    /** Deregisters what is idle if nothing was taken since the last time. */
    void trim() {
        boolean used;
        synchronized (this) {
            used = usedSinceTrim;
            usedSinceTrim = false;
        }
        if (!used) {
            discardIdle();
        }
    }

    /** Gives the memory back; pieces still in use follow when they are given back. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        discardIdle();
    }

    private void discardIdle() {
        List<Piece> all = new ArrayList<>();
        synchronized (this) {
            idle.forEach(pieces -> {
                all.addAll(pieces);
                pieces.clear();
            });
            idleBytes = 0;
        }
        all.forEach(this::discard);
    }
}
