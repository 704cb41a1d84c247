package io.verbena.nfs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A look at what a mount does: figures that count up since it was made, and how things stand at the moment. Plain data:
 * it keeps nothing of the mount.
 *
 * @param since from when on the figures count: when the mount was made, or of a difference the earlier look
 * @param taken when it was looked
 * @param operations the requests in sessions that there have been, by the operation's name
 * @param session the session's id in hexadecimal, empty without one
 * @param sessionSince when the session was made, empty without one
 * @param slotsGranted the requests that may be under way at once in the session
 * @param slotsInUse those that are
 * @param slotsWaiting requests that wait for a slot
 * @param sessionsLost how many sessions the server has given up
 * @param reconnects how many times a connection was made in place of another
 * @param swaps how many times something that it needs was replaced under it, or it took the place of a mount before
 * @param replayed requests sent once more because they had no answer
 * @param openFiles files open now, on the server's side
 * @param delegations files delegated to this client now
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

    /** Of a mount that never could do anything, as its options make no sense. */
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

    /** How long the figures have counted. */
    public Duration elapsed() {
        return Duration.between(since, taken);
    }

    /**
     * What has come since an earlier look. Of a look at a mount whose place this one has taken, all of it has.
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
