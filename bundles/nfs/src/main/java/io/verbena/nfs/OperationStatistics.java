package io.verbena.nfs;

import io.verbena.metrics.Distribution;

/**
 * What became of the requests of one kind. A request is a COMPOUND, and counts once, for the operation that it is made
 * for: the first that is not SEQUENCE, PUTFH and the like, GETFH or GETATTR behind another, or a LOOKUP or ACCESS on the
 * way to it. It counts when its answer has come, or none will.
 *
 * @param operation its name, as {@code READ}
 * @param count the requests that have ended
 * @param errors those of them that failed
 * @param retries the times that one was sent once more: without an answer, or as the server asked for it to come later
 * @param sentOctets of RPC messages, file data included, those sent once more as well
 * @param receivedOctets of results, file data included, RPC headers not
 * @param roundTrip from when an answered request was handed to the transport, the last time, until its answer was there
 * @param waiting from when it was made until it was handed to the transport for the first time: for a session and a slot
 */
public record OperationStatistics(
        String operation,
        long count,
        long errors,
        long retries,
        long sentOctets,
        long receivedOctets,
        Distribution roundTrip,
        Distribution waiting) {
    /** Of an operation that was not used yet. */
    public static OperationStatistics none(String operation) {
        return new OperationStatistics(operation, 0, 0, 0, 0, 0, Distribution.EMPTY, Distribution.EMPTY);
    }

    /** What has come since an earlier look. */
    public OperationStatistics since(OperationStatistics earlier) {
        return new OperationStatistics(
                operation,
                count - earlier.count,
                errors - earlier.errors,
                retries - earlier.retries,
                sentOctets - earlier.sentOctets,
                receivedOctets - earlier.receivedOctets,
                roundTrip.since(earlier.roundTrip),
                waiting.since(earlier.waiting));
    }

    /** These and those of another kind. */
    public OperationStatistics plus(String name, OperationStatistics other) {
        return new OperationStatistics(
                name,
                count + other.count,
                errors + other.errors,
                retries + other.retries,
                sentOctets + other.sentOctets,
                receivedOctets + other.receivedOctets,
                roundTrip.plus(other.roundTrip),
                waiting.plus(other.waiting));
    }
}
