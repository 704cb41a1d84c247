package io.verbena.management.internal;

import io.verbena.management.ConnectionMXBean;
import io.verbena.management.DurationFigures;
import io.verbena.rpcrdma.ConnectionStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** A connection as JMX shows it. */
final class ConnectionBean implements ConnectionMXBean {
    private final ConnectionStatus first;
    private final Supplier<Optional<ConnectionStatus>> source;

    /**
     * Creates a bean.
     *
     * @param first the first status, which is shown if the source no longer has the connection
     */
    ConnectionBean(ConnectionStatus first, Supplier<Optional<ConnectionStatus>> source) {
        this.first = first;
        this.source = source;
    }

    private ConnectionStatus now() {
        return source.get().orElse(first);
    }

    @Override
    public long getId() {
        return first.id();
    }

    @Override
    public String getRole() {
        return first.role();
    }

    @Override
    public String getState() {
        return source.get().map(ConnectionStatus::state).orElse("closed");
    }

    @Override
    public String getLocal() {
        return now().local();
    }

    @Override
    public String getRemote() {
        return now().remote();
    }

    @Override
    public Map<String, String> getSettings() {
        return now().settings();
    }

    @Override
    public Map<String, Long> getCounters() {
        return now().counters();
    }

    @Override
    public Map<String, Long> getGauges() {
        return now().gauges();
    }

    @Override
    public Map<String, DurationFigures> getDurations() {
        Map<String, DurationFigures> all = new LinkedHashMap<>();
        now().durations().forEach((stage, durations) -> all.put(stage, new Durations(durations)));
        return all;
    }
}
