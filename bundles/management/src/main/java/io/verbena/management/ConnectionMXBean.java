package io.verbena.management;

import java.util.Map;

/** A connection of RPC over RDMA, with the object name {@code io.verbena:type=Connection,id=ID}. */
public interface ConnectionMXBean {
    long getId();

    /** Returns {@code client} or {@code server}. */
    String getRole();

    String getState();

    String getLocal();

    String getRemote();

    /** Returns the negotiated settings. */
    Map<String, String> getSettings();

    /** Returns the totals since the connection was established. */
    Map<String, Long> getCounters();

    /** Returns the current values, such as credits and registrations. */
    Map<String, Long> getGauges();

    /** Returns the durations of calls, by stage. */
    Map<String, DurationFigures> getDurations();
}
