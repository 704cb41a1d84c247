package io.verbena.management.internal;

import io.verbena.management.DurationFigures;
import io.verbena.management.OperationFigures;
import io.verbena.nfs.OperationStatistics;

/** An operation as JMX shows it. */
record Operation(OperationStatistics statistics) implements OperationFigures {
    @Override
    public String getOperation() {
        return statistics.operation();
    }

    @Override
    public long getCount() {
        return statistics.count();
    }

    @Override
    public long getErrors() {
        return statistics.errors();
    }

    @Override
    public long getRetries() {
        return statistics.retries();
    }

    @Override
    public long getSentOctets() {
        return statistics.sentOctets();
    }

    @Override
    public long getReceivedOctets() {
        return statistics.receivedOctets();
    }

    @Override
    public DurationFigures getRoundTrip() {
        return new Durations(statistics.roundTrip());
    }

    @Override
    public DurationFigures getWaiting() {
        return new Durations(statistics.waiting());
    }
}
