package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends the session and the client id on the server when the mount ends, as far as the server can be reached. */
final class SessionTeardown {
    private static final Logger LOG = LoggerFactory.getLogger(SessionTeardown.class);

    private final CompoundCaller caller;
    private final SessionFactory factory;
    private final Executor worker;

    SessionTeardown(CompoundCaller caller, SessionFactory factory, Executor worker) {
        this.caller = caller;
        this.factory = factory;
        this.worker = worker;
    }

    /**
     * Refuses new requests in the session, waits for those under way within the bound, and then ends the session.
     * Blocks.
     */
    void run(Session last, long timeoutNanos) {
        if (caller.link().current() == null) {
            return; // the lease will expire
        }
        Runtime runtime = caller.runtime();
        long deadline = runtime.nanoTime() + timeoutNanos;
        CompletableFuture<Void> idle = new CompletableFuture<>();
        last.slots().drain(() -> idle.complete(null));
        try {
            Blocking.awaitUninterruptibly(runtime, idle, timeoutNanos / 2);
        } catch (IOException e) {
            LOG.debug(
                    "mount {}: requests are left without an answer",
                    caller.settings().name());
        }
        CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> end(last), worker);
        try {
            Blocking.awaitUninterruptibly(runtime, ended, Math.max(1, deadline - runtime.nanoTime()));
        } catch (IOException e) {
            LOG.info(
                    "mount {}: the server was not told of the unmount: {}",
                    caller.settings().name(),
                    e.getMessage());
        }
    }

    private void end(Session last) {
        try {
            factory.end(last);
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }
}
