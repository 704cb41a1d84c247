package io.verbena.management;

/** What became of the requests of one operation; {@code io.verbena.nfs.OperationStatistics} says what is what. */
public interface OperationFigures {
    String getOperation();

    long getCount();

    long getErrors();

    long getRetries();

    long getSentOctets();

    long getReceivedOctets();

    DurationFigures getRoundTrip();

    DurationFigures getWaiting();
}
