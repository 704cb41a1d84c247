package io.verbena.nfs41.client.internal.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BufferLease;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.state.OpenState;
import io.verbena.nfs41.client.internal.util.Futures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;

/**
 * The writing side of one open file: the stateid and the stability of its WRITEs, and the failures to report. {@link
 * WriteBack} orders the writes of all opens. Thread safe.
 */
public final class OpenWriter {
    private static final int MAX_SUPPRESSED = 8;

    private final WriteBack writes;
    private final OpenState state;
    private final StableHow stable;
    private final WriteSender calls;

    @GuardedBy("this")
    private Throwable failure;

    /** The failure that was reported last, for those who wait meanwhile. */
    @GuardedBy("this")
    private Throwable reported;

    @GuardedBy("this")
    private long reports;

    /** Whether a write has failed since the last sync that found none. */
    @GuardedBy("this")
    private boolean lost;

    /** Whether the file is being closed. */
    @GuardedBy("writes")
    private boolean sealed;

    public OpenWriter(WriteBack writes, OpenState state, StableHow stable) {
        this.writes = writes;
        this.state = state;
        this.stable = stable;
        this.calls = new WriteSender(state, stable, writes::wsize, writes);
    }

    OpenState state() {
        return state;
    }

    StableHow stable() {
        return stable;
    }

    WriteSender calls() {
        return calls;
    }

    /** The file is being closed: every later write is refused. {@link #sync} covers all writes before. */
    public void seal() {
        synchronized (writes) {
            sealed = true;
        }
    }

    /** Whether the file is being closed. The monitor of {@link WriteBack} keeps the answer true for a write. */
    boolean isSealed() {
        synchronized (writes) {
            return sealed;
        }
    }

    void requireNotSealed() throws ClosedChannelException {
        if (isSealed()) {
            throw new ClosedChannelException();
        }
    }

    /**
     * Writes all octets of {@code source}, at least one. The position of the source advances as octets are copied or
     * sent.
     *
     * @return a write whose {@code done} completes when the server has answered every WRITE
     * @throws ClosedChannelException where the file is being closed
     */
    public SubmittedWrite write(ByteBuffer source, long position) throws ClosedChannelException {
        return writes.write(this, source, position);
    }

    /**
     * As {@link #write(ByteBuffer, long)}, of a lease that this object takes over and sends from without a copy. Where
     * the method throws, the lease is still the caller's.
     */
    public SubmittedWrite write(BufferLease source, long position) throws ClosedChannelException {
        return writes.write(this, source, position);
    }

    /**
     * Brings all writes of the file so far to stable storage, and reports the failed writes of this open: once, but to
     * each caller that waits then. One of them may be the mount, which closes its files as it ends and tells nobody.
     */
    public CompletableFuture<Void> sync() {
        long begun = reports();
        return writes.waits()
                .settle()
                .handle((done, thrown) -> thrown)
                .thenCompose(thrown -> report(thrown, begun, true));
    }

    /** Waits for the answers to all writes of the file so far, and reports the failed writes of this open as a sync. */
    public CompletableFuture<Void> flush() {
        long begun = reports();
        return writes.waits().answered().thenCompose(done -> report(null, begun, false));
    }

    /**
     * Nobody hears how a sync ends, as the thread that waits for it has been interrupted. A failure that it reports
     * then stays for the next sync.
     */
    public void notHeard(CompletableFuture<Void> synced) {
        Futures.whenDoneLogged(synced, (done, thrown) -> {
            if (thrown != null) {
                fail(thrown);
            }
        });
    }

    /**
     * As {@link #sync}, before the file of a mount that is replaced is closed. It fails also where the last sync has
     * reported a loss: who opens the file again by the next mount, and has kept copies, writes them again then.
     */
    public CompletableFuture<Void> syncForNextMount() {
        boolean known = isLost();
        return sync().thenCompose(done -> known ? reportAgain() : CompletableFuture.completedFuture(null));
    }

    private synchronized boolean isLost() {
        return lost;
    }

    private synchronized CompletableFuture<Void> reportAgain() {
        return CompletableFuture.failedFuture(reported instanceof IOException e ? Errors.copyOf(e) : reported);
    }

    private synchronized long reports() {
        return reports;
    }

    /**
     * Records a failure for the next {@link #sync}: the first failure, and some later ones as suppressed. Throws
     * nothing; where memory is missing, the failure is reported as it is.
     */
    synchronized void fail(Throwable thrown) {
        lost = true;
        try {
            if (failure == null) {
                failure = Errors.copyOf(Errors.of(state.path(), thrown));
            } else if (failure.getSuppressed().length < MAX_SUPPRESSED) {
                failure.addSuppressed(Errors.of(state.path(), thrown));
            }
        } catch (Throwable e) {
            failure = failure == null ? thrown : failure;
        }
    }

    /**
     * Reports the recorded failure, also if that was reported to another caller since this one began. A failure of
     * settling comes first; the recorded one then stays for the next report.
     *
     * @param settling what settling failed with, or null
     * @param begun how many failures were reported before the caller began
     * @param isSynced whether the data is on stable storage where nothing has failed
     */
    private synchronized CompletableFuture<Void> report(Throwable settling, long begun, boolean isSynced) {
        if (settling != null) {
            return CompletableFuture.failedFuture(Futures.unwrap(settling));
        }
        if (failure != null) {
            reported = failure;
            failure = null;
            reports++;
            return CompletableFuture.failedFuture(reported);
        }
        if (begun == reports) {
            lost &= !isSynced;
            return CompletableFuture.completedFuture(null);
        }
        return reportAgain();
    }
}
