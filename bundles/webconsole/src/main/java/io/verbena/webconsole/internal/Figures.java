package io.verbena.webconsole.internal;

import io.verbena.memory.MemoryBudget;
import io.verbena.memory.ShareUsage;
import io.verbena.metrics.Distribution;
import io.verbena.nfs.DelayedOperation;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.OperationStatistics;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.trace.TraceStatus;
import io.verbena.verbs.trace.WireTrace;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.LongStream;
import javax.json.Json;
import javax.json.JsonArrayBuilder;
import javax.json.JsonBuilderFactory;
import javax.json.JsonObject;
import javax.json.JsonObjectBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What there is to show, and the document of it that the page asks for. A document has a bounded number of rows, and
 * says how many it has no room for; the texts of peers and users in it have a bounded length. Any thread may call any
 * method.
 */
final class Figures {
    /** The most rows of each table. */
    static final int MOST_ROWS = 200;

    /** A host name has at most 253 characters, and a name of a file at most 255 octets. */
    private static final int LONGEST_TEXT = 256;

    private static final Logger LOG = LoggerFactory.getLogger(Figures.class);
    private static final double HALF = 50;
    private static final double ALMOST_ALL = 99;

    private final JsonBuilderFactory json = Json.createBuilderFactory(Map.of());
    private final Services services;
    private final Runtime runtime;

    /** The services that there are now, of which each may go at any time. */
    interface Services {
        /** Returns all mounts; of those with the same name, the one that counts comes first. */
        List<Mount> mounts();

        Optional<ConnectionMonitor> monitor();

        Optional<MemoryBudget> memory();

        Optional<WireTrace> trace();
    }

    Figures(Services services, Runtime runtime) {
        this.services = services;
        this.runtime = runtime;
    }

    /** Returns the figures as they are now. */
    JsonObject collect() {
        JsonObjectBuilder document = json.createObjectBuilder()
                // a clock that never goes back, for rates
                .add("clockMillis", TimeUnit.NANOSECONDS.toMillis(runtime.nanoTime()))
                .add("boundsNanos", numbers(Bounds.nanos()));

        Map<String, Mount> byName = new TreeMap<>();
        services.mounts().forEach(mount -> byName.putIfAbsent(mount.name(), mount));
        addRows(document, "mounts", List.copyOf(byName.values()), this::row);

        List<ConnectionStatus> connections =
                services.monitor().map(ConnectionMonitor::connections).orElse(List.of());
        addRows(document, "connections", connections, this::row);

        Optional<MemoryBudget> memory = services.memory();
        memory.ifPresent(held -> document.add(
                "memory",
                json.createObjectBuilder()
                        .add("limitOctets", held.limitBytes())
                        .add("leasedOctets", held.leasedBytes())
                        .add("allocatedOctets", held.allocatedBytes())));
        addRows(document, "holders", memory.map(MemoryBudget::holdings).orElse(List.of()), this::row);

        JsonArrayBuilder traces = json.createArrayBuilder();
        services.trace().ifPresent(traced -> {
            traced.status().ifPresent(status -> traces.add(row(status, true)));
            traced.last().ifPresent(status -> traces.add(row(status, false)));
        });
        return document.add("traces", traces).build();
    }

    /** Adds an array of rows, without those that cannot be read: a service may go at any time. */
    private <T> void addRows(
            JsonObjectBuilder document, String name, List<T> all, Function<T, JsonObjectBuilder> toRow) {
        JsonArrayBuilder rows = json.createArrayBuilder();
        all.stream().limit(MOST_ROWS).forEach(each -> tryTo(name, () -> rows.add(toRow.apply(each))));
        document.add(name, rows).add(name + "LeftOut", Math.max(0, all.size() - MOST_ROWS));
    }

    private static void tryTo(String what, java.lang.Runnable read) {
        try {
            read.run();
        } catch (RuntimeException | Error e) {
            LOG.debug("a row of {} is missing", what, e);
        }
    }

    private JsonObjectBuilder row(Mount mount) {
        Instant now = runtime.now();
        MountStatistics statistics = mount.statistics();
        OperationStatistics total = statistics.total();
        JsonObjectBuilder row = json.createObjectBuilder()
                .add("name", bounded(mount.name()))
                .add("source", bounded(mount.source()))
                .add("state", mount.state().name().toLowerCase(Locale.ROOT))
                .add("trouble", bounded(trouble(mount, now)))
                .add("sinceMillis", statistics.since().toEpochMilli())
                .add("requests", total.count())
                .add("errors", total.errors())
                .add("retries", total.retries())
                .add("readOctets", statistics.of("READ").receivedOctets())
                .add("writtenOctets", statistics.of("WRITE").sentOctets())
                .add("slotsInUse", statistics.slotsInUse())
                .add("slotsGranted", statistics.slotsGranted())
                .add("slotsWaiting", statistics.slotsWaiting())
                .add("openFiles", statistics.openFiles())
                .add("reconnects", statistics.reconnects())
                .add("counts", numbers(Bounds.counts(total.roundTrip())));
        addDurations(row, total.roundTrip());
        return row;
    }

    private static String trouble(Mount mount, Instant now) {
        return mount.unresponsiveServer()
                .filter(server -> server.length(now).toSeconds() > 0) // every request is unanswered for a short time
                .map(UnresponsiveServer::server)
                .map(server -> server + " does not answer")
                .or(() -> mount.delayedOperation().map(DelayedOperation::message))
                .or(() -> mount.failure().map(failure -> String.valueOf(failure.getMessage())))
                .orElse("");
    }

    private JsonObjectBuilder row(ConnectionStatus status) {
        JsonObjectBuilder row = json.createObjectBuilder()
                .add("id", status.id())
                .add("role", bounded(status.role()))
                .add("state", bounded(status.state()))
                .add("local", bounded(status.local()))
                .add("remote", bounded(status.remote()));
        for (String name : List.of("label", "provider", "version")) {
            row.add(name, bounded(status.settings().getOrDefault(name, "")));
        }
        for (String name : List.of("calls", "replies", "reverseCalls", "retransmissions", "reconnects")) {
            row.add(name, status.counters().getOrDefault(name, 0L));
        }
        for (String name : List.of("creditsInUse", "creditsGranted", "callsWaiting")) {
            row.add(name, status.gauges().getOrDefault(name, 0L));
        }
        addDurations(row, status.durations().getOrDefault("roundTrip", Distribution.EMPTY));
        return row;
    }

    private static void addDurations(JsonObjectBuilder row, Distribution durations) {
        row.add("halfNanos", durations.percentileNanos(HALF))
                .add("almostAllNanos", durations.percentileNanos(ALMOST_ALL))
                .add("longestNanos", durations.maxNanos());
    }

    private JsonObjectBuilder row(ShareUsage share) {
        return json.createObjectBuilder()
                .add("holder", bounded(share.owner()))
                .add("isPart", share.isPart())
                .add("heldOctets", share.leasedBytes())
                .add("leases", share.leases())
                .add("waiting", share.waiting());
    }

    private JsonObjectBuilder row(TraceStatus status, boolean isRunning) {
        JsonObjectBuilder row = json.createObjectBuilder()
                .add("file", bounded(status.file().toString()))
                .add("isRunning", isRunning)
                .add("since", status.since().toString())
                .add("connections", status.connections())
                .add("frames", status.frames())
                .add("octets", status.octets())
                .add("dropped", status.dropped());
        return row.add("failure", status.failure() == null ? "" : bounded(status.failure()));
    }

    private JsonArrayBuilder numbers(LongStream all) {
        JsonArrayBuilder array = json.createArrayBuilder();
        all.forEach(array::add);
        return array;
    }

    private static String bounded(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT - 1) + "…";
    }
}
