package io.verbena.management;

/** Statistics of the requests of one operation; {@code io.verbena.nfs.OperationStatistics} describes the figures. */
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
