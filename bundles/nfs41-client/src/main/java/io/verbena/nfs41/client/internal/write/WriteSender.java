package io.verbena.nfs41.client.internal.write;

import io.verbena.nfs41.Commit;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.compound.TransferTooLargeException;
import io.verbena.nfs41.client.internal.state.Delegation;
import io.verbena.nfs41.client.internal.state.OpenState;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.rpc.PeerProtocolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;

/** Sends WRITE and COMMIT with the stateid of one open file. Thread safe. */
final class WriteSender {
    private final OpenState state;
    private final StableHow stable;
    private final IntSupplier wsize;
    private final Object lock;

    /**
     * @param wsize the most octets of a WRITE
     * @param lock guards the chunks
     */
    WriteSender(OpenState state, StableHow stable, IntSupplier wsize, Object lock) {
        this.wsize = wsize;
        this.state = state;
        this.stable = stable;
        this.lock = lock;
    }

    /**
     * Sends all octets of a chunk, in several WRITEs where the server writes fewer octets than it was sent, or the path
     * to the server carries fewer.
     */
    CompletableFuture<Void> write(WriteBlock chunk) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Delegation delegation =
                state.beginChange(chunk.restOffset() + chunk.rest().remaining());
        write(chunk, delegation, done, 0);
        return done;
    }

    /** @param spentNanos what larger WRITEs of the octets have spent of the time */
    private void write(WriteBlock chunk, Delegation delegation, CompletableFuture<Void> done, long spentNanos) {
        ByteBuffer all = chunk.rest();
        ByteBuffer rest = all.slice(0, Math.min(all.remaining(), wsize.getAsInt()));
        WriteRequest request = new WriteRequest(state, chunk.restOffset(), rest, stable);
        request.spend(spentNanos);
        Futures.whenDoneElse(
                Futures.begin(() -> state.call(request)),
                (result, thrown) -> {
                    if (thrown instanceof TransferTooLargeException tooLarge) {
                        write(chunk, delegation, done, tooLarge.spentNanos());
                    } else if (thrown != null) {
                        failed(delegation, done, thrown);
                    } else if (result.count() <= 0 || result.count() > rest.remaining()) {
                        failed(delegation, done, absurd(result, rest));
                    } else if (take(chunk, result)) {
                        state.endChange(delegation, false);
                        done.complete(null);
                    } else {
                        write(chunk, delegation, done, 0);
                    }
                },
                thrown -> failed(delegation, done, thrown));
    }

    private static IOException absurd(Write.Result result, ByteBuffer rest) {
        return new PeerProtocolException(
                "the server claims to have written " + Integer.toUnsignedString(result.count()) + " of "
                        + rest.remaining() + " octets (RFC 8881 section 18.32)",
                null);
    }

    private void failed(Delegation delegation, CompletableFuture<Void> done, Throwable thrown) {
        try {
            state.endChange(delegation, true);
        } finally {
            done.completeExceptionally(thrown);
        }
    }

    private boolean take(WriteBlock chunk, Write.Result result) {
        synchronized (lock) {
            return chunk.take(result);
        }
    }

    /** Commits the whole file; completes with the verifier. COMMIT has no stateid, so it relies on no lock. */
    CompletableFuture<Long> commit() {
        return state.callWithoutLocks(new CommitRequest(state));
    }

    private static final class CommitRequest extends CompoundRequest<Long> {
        private final OpenState state;

        CommitRequest(OpenState state) {
            this.state = state;
        }

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(state.handle());
            Commit.encodeArgs(operations.next(), new Commit.Args(0, 0));
        }

        @Override
        public Long decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return Commit.decodeResult(results.next(Opcode.COMMIT)).verifier();
        }
    }
}
