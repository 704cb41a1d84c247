package io.verbena.nfs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot of the statistics of a mount: counters since the mount was made, and its present state. Plain data, which
 * keeps no reference to the mount.
 *
 * @param since when the counters began: when the mount was made, or, for a difference, the time of the earlier snapshot
 * @param taken when the snapshot was taken
 * @param operations the requests in sessions, by the name of the operation
 * @param session the session's id in hexadecimal; empty without a session
 * @param sessionSince when the session was made; empty without a session
 * @param slotsGranted how many requests of the session may be under way at once
 * @param slotsInUse how many requests are under way
 * @param slotsWaiting how many requests wait for a slot
 * @param sessionsLost how many sessions the server has given up
 * @param reconnects how many times a connection was replaced by a new one
 * @param swaps how many times a service that the mount needs was replaced, or the mount itself replaced an earlier one
 * @param replayed how many requests were sent again because they had no answer
 * @param openFiles how many files are open on the server
 * @param delegations how many files are delegated to this client
 */
public record MountStatistics(
        Instant since,
        Instant taken,
        List<OperationStatistics> operations,
        String session,
        Optional<Instant> sessionSince,
        int slotsGranted,
        int slotsInUse,
        int slotsWaiting,
        long sessionsLost,
        long reconnects,
        long swaps,
        long replayed,
        int openFiles,
        int delegations) {
    public MountStatistics {
        operations = List.copyOf(operations);
    }

    /** The statistics of a mount that can never work, because its options are invalid. */
    public static MountStatistics none(Instant since, Instant taken) {
        return new MountStatistics(since, taken, List.of(), "", Optional.empty(), 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /** The requests of one operation, by its name. */
    public OperationStatistics of(String operation) {
        return operations.stream()
                .filter(each -> each.operation().equals(operation))
                .findFirst()
                .orElseGet(() -> OperationStatistics.none(operation));
    }

    /** The requests of all operations together. */
    public OperationStatistics total() {
        OperationStatistics total = OperationStatistics.none("total");
        for (OperationStatistics each : operations) {
            total = total.plus("total", each);
        }
        return total;
    }

    /** For how long the counters have counted. */
    public Duration elapsed() {
        return Duration.between(since, taken);
    }

    /**
     * The difference to an earlier snapshot; if that is of a mount that this one has replaced, all of this snapshot.
     */
    public MountStatistics since(MountStatistics earlier) {
        if (earlier.taken.isBefore(since)) {
            return this;
        }
        List<OperationStatistics> come = operations.stream()
                .map(each -> each.since(earlier.of(each.operation())))
                .filter(each -> each.count() > 0 || each.retries() > 0)
                .toList();
        return new MountStatistics(
                earlier.taken,
                taken,
                come,
                session,
                sessionSince,
                slotsGranted,
                slotsInUse,
                slotsWaiting,
                sessionsLost - earlier.sessionsLost,
                reconnects - earlier.reconnects,
                swaps - earlier.swaps,
                replayed - earlier.replayed,
                openFiles,
                delegations);
    }
}
