package io.verbena.nfs41.client.internal.session;

import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.TransportLostException;
import io.verbena.runtime.Runtime;

/** The attempts of one READ or WRITE, and the connections that were lost with it. Belongs to its request. */
final class TransferAttempts {
    private final TransferLimit limit;
    private final Runtime runtime;
    private final int octets;
    private boolean isSent;
    /** When it was sent first. */
    private long sinceNanos;
    /** The lost connections of the mount before that. */
    private long lossesBefore;
    /** How often it was lost with a connection, as the mount was told. */
    private int ownLosses;

    TransferAttempts(TransferLimit limit, Runtime runtime, int octets) {
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

    void answered() {
        limit.answered(octets);
    }

    /** It has no reply for that reason. Returns whether its size may be what the connection is lost for. */
    boolean isSuspect(Throwable reason) {
        boolean isLoss = reason instanceof TransportLostException;
        if (!isLoss && !(reason instanceof CallTimedOutException)) {
            return false;
        }
        ownLosses += isLoss ? 1 : 0;
        return limit.isSuspect(octets, Math.max(ownLosses, limit.losses() - lossesBefore), sinceNanos);
    }

    /** Small requests are answered. */
    void shrink() {
        limit.shrink(octets);
    }
}
