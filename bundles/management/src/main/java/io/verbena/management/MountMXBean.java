package io.verbena.management;

import java.util.List;
import java.util.Map;

/**
 * A mount, with the object name {@code io.verbena:type=Mount,name=NAME}. Figures are totals since the mount was
 * created.
 */
public interface MountMXBean {
    String getName();

    /** Returns {@code host:/export}. */
    String getSource();

    /** Returns the name of an {@code io.verbena.nfs.MountState}. */
    String getState();

    /** Returns the reason why the mount failed or is recovering, otherwise null. */
    String getFailure();

    /** Returns the options and the negotiated settings. */
    Map<String, String> getSettings();

    /** Returns the time when the mount was created, in ISO 8601. */
    String getSince();

    /** Returns the figures of the requests of each operation, and of all operations. */
    List<OperationFigures> getOperations();

    int getSlotsGranted();

    int getSlotsInUse();

    /** Returns the number of requests that wait for a slot. */
    int getSlotsWaiting();

    /** Returns the id of the session; empty without a session. */
    String getSession();

    long getSessionsLost();

    long getReconnects();

    long getSwaps();

    long getReplayedRequests();

    int getOpenFiles();

    int getDelegations();
}
