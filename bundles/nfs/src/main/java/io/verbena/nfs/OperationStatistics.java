package io.verbena.nfs;

import io.verbena.metrics.Distribution;

/**
 * The statistics of the requests of one operation. A request is a COMPOUND. It counts once, for its main operation: the
 * first that is not SEQUENCE, PUTFH and the like, a GETFH or GETATTR after another operation, or a LOOKUP or ACCESS on
 * the path to it. A request counts when it has its answer, or can have none any more.
 *
 * @param operation the name of the operation, as {@code READ}
 * @param count how many requests have ended
 * @param errors how many of these have failed
 * @param retries how many times a request was sent again, because it had no answer or the server asked for a later
 *     attempt
 * @param sentOctets octets of RPC messages with file data, retries included
 * @param receivedOctets octets of results with file data, without RPC headers
 * @param roundTrip the time of answered requests from the last hand-over to the transport to the answer
 * @param waiting the time of requests from their creation to the first hand-over to the transport: the wait for a
 *     session and a slot
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
    /** The statistics of an operation without requests. */
    public static OperationStatistics none(String operation) {
        return new OperationStatistics(operation, 0, 0, 0, 0, 0, Distribution.EMPTY, Distribution.EMPTY);
    }

    /** The difference to an earlier snapshot. */
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

    /** The sum of these statistics and others. */
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
