package io.verbena.nfs41.client.internal.figures;

import io.verbena.metrics.DurationRecorder;
import io.verbena.nfs.OperationStatistics;
import java.util.concurrent.atomic.LongAdder;

/** Measures the requests of one operation. Thread safe; allocates nothing for a request. */
final class Meter {
    private final LongAdder ended = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder sentOctets = new LongAdder();
    private final LongAdder receivedOctets = new LongAdder();
    private final DurationRecorder roundTrip = new DurationRecorder();
    private final DurationRecorder waiting = new DurationRecorder();

    /**
     * A request is handed to the transport for the first time.
     *
     * @param waitedNanos since it was made
     */
    void sent(long octets, long waitedNanos) {
        sentOctets.add(octets);
        waiting.record(waitedNanos);
    }

    /** A request is sent once more. */
    void sentAgain(long octets) {
        sentOctets.add(octets);
        retries.increment();
    }

    /** The server has answered. */
    void answered(long octets, long roundTripNanos) {
        receivedOctets.add(octets);
        roundTrip.record(roundTripNanos);
    }

    /** A request is over. */
    void ended(boolean hasFailed) {
        ended.increment();
        if (hasFailed) {
            failed.increment();
        }
    }

    /** Requests that are over. */
    long count() {
        return ended.sum();
    }

    OperationStatistics snapshot(String operation) {
        return new OperationStatistics(
                operation,
                ended.sum(),
                failed.sum(),
                retries.sum(),
                sentOctets.sum(),
                receivedOctets.sum(),
                roundTrip.snapshot(),
                waiting.snapshot());
    }
}
