package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Commit;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Write;
import io.verbena.rpc.PeerProtocolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** WRITE and COMMIT of one open file. */
final class WriteCalls {
    private final OpenState state;
    private final StableHow stable;
    private final Object lock;

    /**
     * @param lock guards the chunks
     */
    WriteCalls(OpenState state, StableHow stable, Object lock) {
        this.state = state;
        this.stable = stable;
        this.lock = lock;
    }

    /** Sends all of a chunk, in several WRITEs where the server takes less than it was given. */
    CompletableFuture<Void> write(WriteChunk chunk) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Delegation delegation =
                state.beginChange(chunk.restOffset() + chunk.rest().remaining());
        write(chunk, delegation, done);
        return done;
    }

    private void write(WriteChunk chunk, Delegation delegation, CompletableFuture<Void> done) {
        ByteBuffer rest = chunk.rest();
        WriteRequest request = new WriteRequest(state, chunk.restOffset(), rest, stable);
        Futures.whenDone(state.call(request), (result, thrown) -> {
            if (thrown != null) {
                failed(delegation, done, thrown);
            } else if (result.count() <= 0 || result.count() > rest.remaining()) {
                IOException absurd = new PeerProtocolException(
                        "the server claims to have written " + Integer.toUnsignedString(result.count()) + " of "
                                + rest.remaining() + " octets (RFC 8881 section 18.32)",
                        null);
                failed(delegation, done, absurd);
            } else if (take(chunk, result)) {
                state.endChange(delegation, false);
                done.complete(null);
            } else {
                write(chunk, delegation, done);
            }
        });
    }

    private void failed(Delegation delegation, CompletableFuture<Void> done, Throwable thrown) {
        state.endChange(delegation, true);
        done.completeExceptionally(thrown);
    }

    private boolean take(WriteChunk chunk, Write.Result result) {
        synchronized (lock) {
            return chunk.take(result);
        }
    }

    /** The verifier of what is on stable storage now. COMMIT has no stateid, and so relies on no lock. */
    CompletableFuture<Long> commit() {
        return state.callWithoutLocks(new CommitRequest(state));
    }

    private static final class CommitRequest extends Request<Long> {
        private final OpenState state;

        CommitRequest(OpenState state) {
            this.state = state;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(state.handle());
            Commit.encodeArgs(operations.next(), new Commit.Args(0, 0));
        }

        @Override
        Long decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return Commit.decodeResult(results.next(Opcode.COMMIT)).verifier();
        }
    }
}
