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

/**
 * Buffers registered with one connection for local use. They are sent from, written from and read into again and again;
 * no peer can reach them. Idle buffers are deregistered when memory is short, and when none was taken for a while.
 * Thread safe.
 */
public final class RegisteredPool {
    /** A leased buffer and its registration. */
    public static final class RegisteredBuffer {
        private final BufferLease lease;
        private MemoryRegion region;
        private ByteBuffer view;
        /** While it is idle: the one that was given back before it. */
        private RegisteredBuffer below;

        private RegisteredBuffer(BufferLease lease) {
            this.lease = lease;
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

    /** For each size class the idle buffer that was given back last: no collection, so that keeping one cannot fail. */
    @GuardedBy("this")
    private final RegisteredBuffer[] idle = new RegisteredBuffer[SizeClass.COUNT];

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
        boolean isRegistered = false;
        try {
            RegisteredBuffer piece = new RegisteredBuffer(lease);
            piece.view = lease.buffer().slice(0, bytes);
            piece.region = connection.register(lease.buffer(), Access.LOCAL); // last: nothing behind it fails
            isRegistered = true;
            return piece;
        } finally {
            if (!isRegistered) {
                lease.close();
            }
        }
    }

    private RegisteredBuffer takeIdle(int bytes) {
        RegisteredBuffer piece;
        synchronized (this) {
            usedSinceTrim = true;
            int sizeClass = SizeClass.of(bytes);
            piece = sizeClass < 0 ? null : idle[sizeClass];
            if (piece == null) {
                return null;
            }
            ByteBuffer view = piece.lease.buffer().slice(0, bytes);
            idle[sizeClass] = piece.below;
            idleBytes -= piece.capacity();
            piece.below = null;
            piece.view = view;
        }
        return piece;
    }

    /** Gives a buffer back. No posted work may name it any more. */
    public void give(RegisteredBuffer piece) {
        int sizeClass = SizeClass.of(piece.capacity());
        synchronized (this) {
            if (!closed && sizeClass >= 0 && idleBytes + piece.capacity() <= maxIdleBytes) {
                piece.below = idle[sizeClass];
                idle[sizeClass] = piece;
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
        for (int sizeClass = 0; sizeClass < SizeClass.COUNT; sizeClass++) {
            RegisteredBuffer piece;
            synchronized (this) {
                piece = idle[sizeClass];
                idle[sizeClass] = null;
                for (RegisteredBuffer each = piece; each != null; each = each.below) {
                    idleBytes -= each.capacity();
                }
            }
            while (piece != null) {
                RegisteredBuffer below = piece.below;
                discard(piece);
                piece = below;
            }
        }
    }
}
