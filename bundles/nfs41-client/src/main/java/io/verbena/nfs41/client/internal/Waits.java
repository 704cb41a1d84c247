package io.verbena.nfs41.client.internal;

import io.verbena.nfs.Waiting;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What the mount waits for because the server puts it off. There is one entry for each who waits. Thread safe. */
final class Waits {
    private final Map<Object, Wait> waits = new ConcurrentHashMap<>();

    private record Wait(Status status, int opcode, Instant since) {}

    /**
     * The server has put something off; without effect on one that waits for the same already.
     *
     * @param who ends the wait by {@link #end}
     */
    void begin(Object who, Status status, int opcode) {
        waits.compute(
                who,
                (key, present) -> present != null && present.status == status
                        ? present
                        : new Wait(status, opcode, Instant.now()));
    }

    /** Without effect for one that did not wait. */
    void end(Object who) {
        waits.remove(who);
    }

    /** The longest. */
    Optional<Waiting> longest(Duration lease) {
        return waits.values().stream().min(Comparator.comparing(Wait::since)).map(wait -> shown(wait, lease));
    }

    private static Waiting shown(Wait wait, Duration lease) {
        String message = Opcode.name(wait.opcode) + " waits: " + explain(wait.status, lease) + " (" + wait.status + ")";
        return new Waiting(wait.status.name(), wait.since, lease, message);
    }

    private static String explain(Status status, Duration lease) {
        String time = lease.toSeconds() + " s";
        return switch (status) {
            case NFS4ERR_GRACE ->
                "the server has restarted and lets its clients claim what they held, for at most about " + time;
            case NFS4ERR_DENIED ->
                "another client holds a conflicting lock; if that client has died, for at most about " + time;
            default ->
                "the server is busy with it, or has another client give back what it holds; if that client has died, for"
                        + " at most about " + time;
        };
    }
}
