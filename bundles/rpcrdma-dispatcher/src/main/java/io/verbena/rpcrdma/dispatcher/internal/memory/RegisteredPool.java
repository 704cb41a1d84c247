package io.verbena.rpcrdma.dispatcher.internal.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Buffers registered with one connection for local use. They are sent from, written from and read into again and again;
 * no peer can reach them. Idle buffers are deregistered when memory is short, and when none was taken for a while.
 * Thread safe.
 */
public final class RegisteredPool {
    /** A leased buffer and its registration. */
    public static final class RegisteredBuffer {
        private final BufferLease lease;
        private final MemoryRegion region;
        private ByteBuffer view;

        private RegisteredBuffer(BufferLease lease, MemoryRegion region) {
            this.lease = lease;
            this.region = region;
            this.view = lease.buffer();
        }

        public MemoryRegion region() {
            return region;
        }

        /** The part that was asked for. Its octet 0 is octet 0 of the region. */
        public ByteBuffer view() {
            return view;
        }

        /** The octets of the whole buffer. */
        public int octets() {
            return capacity();
        }

        private int capacity() {
            return lease.buffer().capacity();
        }
    }

    private final MemoryShare share;
    private final RdmaConnection connection;
    private final long maxIdleBytes;
    private final Runnable endPressure;

    @GuardedBy("this")
    private final List<ArrayDeque<RegisteredBuffer>> idle = new ArrayList<>();

    @GuardedBy("this")
    private long idleBytes;

    @GuardedBy("this")
    private boolean usedSinceTrim;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param share buffers are leased from it
     * @param maxIdleBytes the most octets of idle buffers
     */
    public RegisteredPool(MemoryShare share, RdmaConnection connection, long maxIdleBytes) {
        this.share = share;
        this.connection = connection;
        this.maxIdleBytes = maxIdleBytes;
        for (int i = 0; i < SizeClass.COUNT; i++) {
            idle.add(new ArrayDeque<>());
        }
        endPressure = share.onPressure(this::discardIdle);
    }

    /**
     * A buffer whose view has exactly that capacity.
     *
     * @throws MemoryRefusedException where there is no memory for it now
     */
    public RegisteredBuffer take(int bytes) throws RdmaException, MemoryRefusedException {
        RegisteredBuffer piece = takeIdle(bytes);
        return piece != null ? piece : register(share.lease(SizeClass.roundUp(bytes)), bytes);
    }

    /** As {@link #take}; null where there is no memory for it now. */
    public RegisteredBuffer tryTake(int bytes) throws RdmaException {
        RegisteredBuffer piece = takeIdle(bytes);
        if (piece != null) {
            return piece;
        }
        BufferLease lease = share.tryLease(SizeClass.roundUp(bytes));
        return lease == null ? null : register(lease, bytes);
    }

    /** Registers a lease, which is closed where that fails. */
    public RegisteredBuffer register(BufferLease lease, int bytes) throws RdmaException {
        RegisteredBuffer piece = null;
        try {
            piece = new RegisteredBuffer(lease, connection.register(lease.buffer(), Access.LOCAL));
            piece.view = lease.buffer().slice(0, bytes);
            return piece;
        } finally {
            if (piece == null) {
                lease.close();
            }
        }
    }

    private RegisteredBuffer takeIdle(int bytes) {
        RegisteredBuffer piece;
        synchronized (this) {
            usedSinceTrim = true;
            int sizeClass = SizeClass.of(bytes);
            piece = sizeClass < 0 ? null : idle.get(sizeClass).pollLast();
            if (piece == null) {
                return null;
            }
            idleBytes -= piece.capacity();
        }
        piece.view = piece.lease.buffer().slice(0, bytes);
        return piece;
    }

    /** Gives a buffer back. No posted work may name it any more. */
    public void give(RegisteredBuffer piece) {
        int sizeClass = SizeClass.of(piece.capacity());
        synchronized (this) {
            if (!closed && sizeClass >= 0 && idleBytes + piece.capacity() <= maxIdleBytes) {
                idle.get(sizeClass).addLast(piece);
                idleBytes += piece.capacity();
                return;
            }
        }
        discard(piece);
    }

    private static void discard(RegisteredBuffer piece) {
        try {
            piece.region.invalidate();
        } finally {
            piece.lease.close();
        }
    }

    /** Deregisters idle buffers if none was taken since the last call. */
    public void trim() {
        boolean used;
        synchronized (this) {
            used = usedSinceTrim;
            usedSinceTrim = false;
        }
        if (!used) {
            discardIdle();
        }
    }

    /** Deregisters idle buffers; those in use follow when they are given back. */
    public void close() {
        synchronized (this) {
            closed = true;
        }
        endPressure.run();
        discardIdle();
    }

    private void discardIdle() {
        List<RegisteredBuffer> all = new ArrayList<>();
        synchronized (this) {
            for (ArrayDeque<RegisteredBuffer> pieces : idle) {
                all.addAll(pieces);
                pieces.clear();
            }
            idleBytes = 0;
        }
        all.forEach(RegisteredPool::discard);
    }
}
