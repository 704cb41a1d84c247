package io.verbena.openmetrics.internal;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.Unit;
import io.verbena.rpcrdma.ConnectionStatus;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What {@code rdma:stats} knows of a connection. The names of counters and gauges are those of
 * {@link ConnectionStatus}, with underscores in place of capitals. A counter that a later transport adds is there, too.
 */
final class ConnectionFamilies {
    private static final String PREFIX = "verbena_rdma_connection_";
    private static final List<String> STATES = List.of("connected", "connecting", "idle", "closed");
    private static final Pattern NAME = Pattern.compile("[a-z][A-Za-z0-9]{0,63}");
    private static final Pattern CAPITAL = Pattern.compile("(?=[A-Z])");
    private static final String BYTES = "_bytes";

    private static final Map<String, String> HELP = Map.ofEntries(
            Map.entry("calls", "Calls"),
            Map.entry("replies", "Replies"),
            Map.entry("chunkedCalls", "Calls with chunks"),
            Map.entry("reverseCalls", "Calls of the reverse direction"),
            Map.entry("reverseReplies", "Replies of the reverse direction"),
            Map.entry("retransmissions", "Calls sent again"),
            Map.entry("reconnects", "Connections replaced by a new one"),
            Map.entry("swaps", "Connections replaced because a service was"),
            Map.entry("replayed", "Calls sent again by a new connection"),
            Map.entry("timeouts", "Calls that had no reply in time"),
            Map.entry("lateReplies", "Replies that nobody waited for any more"),
            Map.entry("headerErrors", "Headers that the peer refused, or this end"),
            Map.entry("dropped", "Messages that were dropped"),
            Map.entry("inlineSentBytes", "Octets of Sends"),
            Map.entry("inlineReceivedBytes", "Octets of Sends that were received"),
            Map.entry("readChunkBytes", "Octets moved by Read chunks"),
            Map.entry("writeChunkBytes", "Octets moved by Write chunks"),
            Map.entry("replyChunkBytes", "Octets moved by Reply chunks"),
            Map.entry("rdmaWriteBytes", "Octets moved by RDMA Writes"),
            Map.entry("rdmaReadBytes", "Octets moved by RDMA Reads"),
            Map.entry("registrationsMade", "Memory regions that were opened to the peer"),
            Map.entry("postponed", "Calls that waited for room for their replies"),
            Map.entry("creditsGranted", "Calls that may be under way at once"),
            Map.entry("creditsInUse", "Calls that are under way"),
            Map.entry("callsWaiting", "Calls that wait for a credit"),
            Map.entry("registrations", "Memory regions that are open to the peer"),
            Map.entry("heldBytes", "Memory of arguments of the peer, and of replies that the peer has not taken"),
            Map.entry("roundTrip", "From a call's Send to its reply"),
            Map.entry("waiting", "From a call to its first Send: the wait for a credit or a connection"));

    private final Families families;

    ConnectionFamilies(Families families) {
        this.families = families;
    }

    /** Adds a connection. */
    void add(ConnectionStatus status) {
        String id = Long.toString(status.id());
        Labels labels = Labels.of("connection", id, "role", LabelText.of(status.role()));
        families.info(
                "verbena_rdma_connection",
                "The ends of a connection, and what carries it",
                labels.merge(Labels.of(
                        "local", LabelText.of(status.local()),
                        "remote", LabelText.of(status.remote()),
                        "label", setting(status, "label"),
                        "provider", setting(status, "provider"),
                        "version", setting(status, "version"))));
        families.states(PREFIX + "state", "The state of a connection", labels, STATES, status.state());
        status.gauges().forEach((name, value) -> addGauge(name, labels, value));
        status.counters().forEach((name, value) -> {
            if (!status.gauges().containsKey(name)) {
                addCounter(name, labels, value);
            }
        });
        status.durations().forEach((name, durations) -> {
            if (NAME.matcher(name).matches()) {
                families.durations(PREFIX + "call_" + underscored(name), help(name), labels, durations);
            }
        });
    }

    private static String setting(ConnectionStatus status, String name) {
        return LabelText.of(status.settings().getOrDefault(name, ""));
    }

    private void addGauge(String name, Labels labels, long value) {
        if (NAME.matcher(name).matches()) {
            String metric = PREFIX + underscored(name);
            if (metric.endsWith(BYTES)) {
                families.gauge(withoutUnit(metric), Unit.BYTES, help(name), labels, value);
            } else {
                families.gauge(metric, help(name), labels, value);
            }
        }
    }

    private void addCounter(String name, Labels labels, long value) {
        if (NAME.matcher(name).matches()) {
            String metric = PREFIX + underscored(name);
            if (metric.endsWith(BYTES)) {
                families.counter(withoutUnit(metric), Unit.BYTES, help(name), labels, value);
            } else {
                families.counter(metric, help(name), labels, value);
            }
        }
    }

    private static String withoutUnit(String metric) {
        return metric.substring(0, metric.length() - BYTES.length());
    }

    private static String underscored(String name) {
        return CAPITAL.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT);
    }

    private static String help(String name) {
        return HELP.getOrDefault(name, "As rdma:stats --json shows it");
    }
}
