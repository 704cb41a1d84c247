package io.verbena.nfs41.client.internal.session;

import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.TransportLostException;
import io.verbena.runtime.Runtime;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The attempts of one READ or WRITE, and the connections that were lost with it. Belongs to its request. */
final class TransferAttempts {
    private final TransferLimit limit;
    private final Runtime runtime;
    private final int octets;
    private final Consumer<Runnable> worker;
    private boolean isSent;
    /** When it was sent first. */
    private long sinceNanos;
    /** The lost connections of the mount before that. */
    private long lossesBefore;
    /** How often it was lost with a connection, as the mount was told. */
    private int ownLosses;
    /** The present attempt; null where there is none. */
    private volatile CompletableFuture<?> call;

    /** @param worker runs what may complete calls */
    TransferAttempts(TransferLimit limit, Runtime runtime, int octets, Consumer<Runnable> worker) {
        this.worker = worker;
        this.limit = limit;
        this.runtime = runtime;
        this.octets = octets;
    }

    /** It is sent, the first time or again, in whichever session. */
    void sent() {
        if (!isSent) {
            isSent = true;
            sinceNanos = runtime.nanoTime();
            lossesBefore = limit.losses();
        }
    }

    /** The transport has taken an attempt. */
    void begun(CompletableFuture<?> attempt) {
        call = attempt;
        limit.underWay().add(this);
    }

    /** The attempt has its reply or its failure. */
    void ended() {
        limit.underWay().remove(this);
        call = null;
    }

    /** A connection of the mount was lost. The transport is not to send a suspect again, which would never end. */
    void lost() {
        CompletableFuture<?> attempt = call;
        if (attempt != null && limit.isSuspect(octets, limit.losses() - lossesBefore, sinceNanos)) {
            worker.accept(() -> attempt.cancel(false));
        }
    }

    void answered() {
        limit.answered(octets);
    }

    /** It has no reply for that reason. Returns whether its size may be what the connection is lost for. */
    boolean isSuspect(Throwable reason) {
        boolean isLoss = reason instanceof TransportLostException;
        boolean isOver = reason instanceof CallTimedOutException || reason instanceof CancellationException;
        if (!isLoss && !isOver) {
            return false;
        }
        ownLosses += isLoss ? 1 : 0;
        return limit.isSuspect(octets, Math.max(ownLosses, limit.losses() - lossesBefore), sinceNanos);
    }

    /** The server has executed it: its size is not the reason. It counts as not sent. */
    void executed() {
        isSent = false;
        ownLosses = 0;
    }

    /** Small requests are answered. */
    void shrink() {
        limit.shrink(octets);
    }
}
