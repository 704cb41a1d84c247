package io.verbena.management;

import java.util.List;
import java.util.Map;

/** A mount: {@code io.verbena:type=Mount,name=NAME}. Figures count up since the mount was made. */
public interface MountMXBean {
    String getName();

    /** {@code host:/export}. */
    String getSource();

    /** As of {@code io.verbena.nfs.MountState}. */
    String getState();

    /** Why it failed, or why it is recovering; null where neither is so. */
    String getFailure();

    /** Options and what was negotiated. */
    Map<String, String> getSettings();

    /** When the mount was made, in ISO 8601. */
    String getSince();

    /** The requests of each operation, and of all. */
    List<OperationFigures> getOperations();

    int getSlotsGranted();

    int getSlotsInUse();

    /** Requests that wait for a slot. */
    int getSlotsWaiting();

    /** The session's id, empty without one. */
    String getSession();

    long getSessionsLost();

    long getReconnects();

    long getSwaps();

    long getReplayedRequests();

    int getOpenFiles();

    int getDelegations();
}
