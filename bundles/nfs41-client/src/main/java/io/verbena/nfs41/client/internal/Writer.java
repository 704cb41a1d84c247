package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.StableHow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * One open of a file as a writer: the stateid that its WRITEs go by, how stable they are, and what failed of them. The
 * order of the writes is the file's: {@link WriteBack}. Thread safe.
 */
final class Writer {
    private static final int MAX_SUPPRESSED = 8;

    private final WriteBack writes;
    private final OpenState state;
    private final StableHow stable;
    private final WriteCalls calls;

    // guarded by this
    private IOException failure;

    Writer(WriteBack writes, OpenState state, StableHow stable) {
        this.writes = writes;
        this.state = state;
        this.stable = stable;
        this.calls = new WriteCalls(state, stable, writes);
    }

    OpenState state() {
        return state;
    }

    StableHow stable() {
        return stable;
    }

    WriteCalls calls() {
        return calls;
    }

    /**
     * Writes all of {@code source}, which has octets left, and whose position advances as they are copied or sent.
     *
     * @return its {@code done} completes when the server has answered every WRITE
     */
    Submission write(ByteBuffer source, long position) {
        return writes.write(this, source, position);
    }

    /** Waits for the file's writes so far, brings them to stable storage, and reports what failed of this open's. */
    CompletableFuture<Void> sync() {
        return writes.waits().settle().handle((done, thrown) -> thrown).thenCompose(this::report);
    }

    /** What the next {@link #sync} is to report: the first of several failures, and some of the others with it. */
    synchronized void fail(Throwable thrown) {
        if (failure == null) {
            failure = Errors.again(Errors.of(state.path(), thrown));
        } else if (failure.getSuppressed().length < MAX_SUPPRESSED) {
            failure.addSuppressed(Errors.of(state.path(), thrown));
        }
    }

    /**
     * Reports a failure once; what settling failed with comes first, and the next report still tells of the writes.
     *
     * @param settling what settling failed with, or null
     */
    private synchronized CompletableFuture<Void> report(Throwable settling) {
        if (settling != null) {
            return CompletableFuture.failedFuture(Futures.unwrap(settling));
        }
        IOException reported = failure;
        failure = null;
        return reported == null ? CompletableFuture.completedFuture(null) : CompletableFuture.failedFuture(reported);
    }
}
