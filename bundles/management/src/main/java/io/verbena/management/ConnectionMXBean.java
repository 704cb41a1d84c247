package io.verbena.management;

import java.util.Map;

/** A connection of RPC over RDMA: {@code io.verbena:type=Connection,id=ID}. */
public interface ConnectionMXBean {
    long getId();

    /** {@code client} or {@code server}. */
    String getRole();

    String getState();

    String getLocal();

    String getRemote();

    /** What was negotiated. */
    Map<String, String> getSettings();

    /** What has happened so far. */
    Map<String, Long> getCounters();

    /** How things stand now: credits, registrations. */
    Map<String, Long> getGauges();

    /** How long calls take, by stage. */
    Map<String, DurationFigures> getDurations();
}
