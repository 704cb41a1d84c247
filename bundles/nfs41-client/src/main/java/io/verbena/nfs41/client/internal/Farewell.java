package io.verbena.nfs41.client.internal;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends session and client on the server when the mount ends, as far as the server can be reached. */
final class Farewell {
    private static final Logger LOG = LoggerFactory.getLogger(Farewell.class);

    private final Requester requester;
    private final SessionMaker maker;
    private final Executor worker;

    Farewell(Requester requester, SessionMaker maker, Executor worker) {
        this.requester = requester;
        this.maker = maker;
        this.worker = worker;
    }

    /** Begins no more requests in the session, waits for those under way within the bound, and ends it then. */
    void say(Session last, long timeoutNanos) {
        if (requester.link().current() == null) {
            return; // the lease will run out
        }
        long deadline = System.nanoTime() + timeoutNanos;
        CompletableFuture<Void> idle = new CompletableFuture<>();
        last.slots().drain(() -> idle.complete(null));
        try {
            Blocking.await(idle, timeoutNanos / 2);
        } catch (IOException e) {
            LOG.debug(
                    "mount {}: requests are left without an answer",
                    requester.settings().name());
        }
        CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> end(last), worker);
        try {
            Blocking.await(ended, Math.max(1, deadline - System.nanoTime()));
        } catch (IOException e) {
            LOG.info(
                    "mount {}: the server was not told of the unmount: {}",
                    requester.settings().name(),
                    e.getMessage());
        }
    }

    private void end(Session last) {
        try {
            maker.end(last);
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }
}
