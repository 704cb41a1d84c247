package io.verbena.nfs41.client.internal.figures;

import io.verbena.nfs.DelayedOperation;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The waits of a mount that users are told of: the server has put a request off, or this host lacks a resource. One
 * entry for each waiter. Thread safe.
 */
public final class CurrentWaits {
    private final Runtime runtime;
    private final Map<Object, Wait> waits = new ConcurrentHashMap<>();

    /** @param lack the resource that this host lacks; null where the server has put the request off */
    private record Wait(Status status, int opcode, String lack, Instant since) {}

    public CurrentWaits(Runtime runtime) {
        this.runtime = runtime;
    }

    /**
     * The server has put a request off. Without effect for a waiter that waits for the same reason already.
     *
     * @param who the waiter, which ends the wait by {@link #end}
     */
    public void begin(Object who, Status status, int opcode) {
        put(who, status, opcode, null);
    }

    /**
     * As {@link #begin}, where this host lacks a resource.
     *
     * @param lack a message for users
     */
    public void beginLack(Object who, String lack) {
        put(who, null, 0, lack);
    }

    private void put(Object who, Status status, int opcode, String lack) {
        waits.compute(
                who,
                (key, present) -> present != null && present.status == status
                        ? present
                        : new Wait(status, opcode, lack, runtime.now()));
    }

    /** Ends a wait. Without effect for a waiter without one. */
    public void end(Object who) {
        waits.remove(who);
    }

    /** The longest wait. */
    public Optional<DelayedOperation> longest(Duration lease) {
        return waits.values().stream().min(Comparator.comparing(Wait::since)).map(wait -> shown(wait, lease));
    }

    private static DelayedOperation shown(Wait wait, Duration lease) {
        if (wait.status == null) {
            return new DelayedOperation("LOCAL_RESOURCES", wait.since, lease, "requests wait: " + wait.lack);
        }
        String message = Opcode.name(wait.opcode) + " waits: " + explain(wait.status, lease) + " (" + wait.status + ")";
        return new DelayedOperation(wait.status.name(), wait.since, lease, message);
    }

    private static String explain(Status status, Duration lease) {
        String time = lease.toSeconds() + " s";
        return switch (status) {
            case NFS4ERR_GRACE ->
                "the server has restarted and lets its clients claim what they held, for at most about " + time;
            case NFS4ERR_DENIED ->
                "another client holds a conflicting lock; if that client has died, for at most about " + time;
            case NFS4ERR_SEQ_FALSE_RETRY, NFS4ERR_RETRY_UNCACHED_REP ->
                "the server takes it for a repetition of what it has answered";
            default ->
                "the server is busy with it, or has another client give back what it holds; if that client has died,"
                        + " for at most about " + time;
        };
    }
}
