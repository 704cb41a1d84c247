package io.verbena.simulation.network;

import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.ConnectionAcceptor;
import java.util.concurrent.CompletableFuture;

/** A listener of a process, and the calls of its acceptor that run. */
final class Listening {
    /** Longer than an acceptor waits for memory and for its peer. */
    private static final long LONGEST_CALL = 60_000_000_000L;

    private final SimulatedProvider provider;
    private final ConnectionAcceptor acceptor;
    /** Completes when this is closed and no call runs. */
    private final CompletableFuture<Void> idle = new CompletableFuture<>();

    private int calls;
    private boolean closed;

    Listening(SimulatedProvider provider, ConnectionAcceptor acceptor) {
        this.provider = provider;
        this.acceptor = acceptor;
    }

    SimulatedProvider provider() {
        return provider;
    }

    /** Has the acceptor decide, on a strand of the process. */
    void decide(ConnectingRequest request) {
        calls++;
        try {
            if (!closed) {
                acceptor.onConnectionRequest(request);
            }
            request.rejectIfUndecided();
        } finally {
            calls--;
            if (closed && calls == 0) {
                idle.complete(null);
            }
        }
    }

    /** Drops requests that nobody has begun to decide, and waits until no call of the acceptor runs. */
    void close() {
        closed = true;
        Runtime runtime = provider.process().runtime();
        if (calls > 0 && !Closing.awaitEnd(runtime, idle, runtime.nanoTime() + LONGEST_CALL)) {
            throw new IllegalStateException("an acceptor does not end");
        }
    }
}
