package io.verbena.openmetrics.internal;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.Unit;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountState;
import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.OperationStatistics;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What {@code nfs:stat-mount} knows of a mount. */
final class MountFamilies {
    private static final List<String> STATES =
            Arrays.stream(MountState.values()).map(MountFamilies::text).toList();

    private final Families families;

    MountFamilies(Families families) {
        this.families = families;
    }

    private static String text(MountState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    /**
     * Adds a mount. All figures are read first, so that a mount that fails adds none.
     *
     * @param now the time of day
     */
    void add(Mount mount, Instant now) {
        String name = LabelText.of(mount.name());
        String source = LabelText.of(mount.source());
        MountState state = mount.state();
        MountStatistics statistics = mount.statistics();
        double silent = seconds(
                mount.unresponsiveServer().map(server -> server.length(now)).orElse(Duration.ZERO));
        double delayed = seconds(mount.delayedOperation()
                .map(operation -> Duration.between(operation.since(), now))
                .filter(length -> !length.isNegative())
                .orElse(Duration.ZERO));

        Labels labels = Labels.of("mount", name);
        families.info("verbena_nfs_mount", "What a mount mounts", Labels.of("mount", name, "source", source));
        families.states("verbena_nfs_mount_state", "The state of a mount", labels, STATES, text(state));
        families.gauge(
                "verbena_nfs_mount_start_time",
                Unit.SECONDS,
                "When the counters of a mount began, since the epoch",
                labels,
                statistics.since().toEpochMilli() / 1000.0);
        families.gauge(
                "verbena_nfs_server_silent",
                Unit.SECONDS,
                "For how long a server has answered no request; 0 if none waits",
                labels,
                silent);
        families.gauge(
                "verbena_nfs_operation_delayed",
                Unit.SECONDS,
                "For how long the server has put off an operation, the longest one; 0 if none is put off",
                labels,
                delayed);
        addSession(labels, statistics);
        statistics.operations().forEach(operation -> add(name, operation));
    }

    private void addSession(Labels labels, MountStatistics statistics) {
        families.gauge(
                "verbena_nfs_slots_granted",
                "Requests of the session that may be under way at once",
                labels,
                statistics.slotsGranted());
        families.gauge("verbena_nfs_slots_used", "Requests that are under way", labels, statistics.slotsInUse());
        families.gauge("verbena_nfs_slots_waiting", "Requests that wait for a slot", labels, statistics.slotsWaiting());
        families.gauge("verbena_nfs_open_files", "Files open on the server", labels, statistics.openFiles());
        families.gauge("verbena_nfs_delegations", "Files delegated to this client", labels, statistics.delegations());
        families.counter(
                "verbena_nfs_sessions_lost", "Sessions that the server gave up", labels, statistics.sessionsLost());
        families.counter(
                "verbena_nfs_reconnects", "Connections replaced by a new one", labels, statistics.reconnects());
        families.counter(
                "verbena_nfs_swaps",
                "Replacements of services that the mount needs, and of the mount itself",
                labels,
                statistics.swaps());
        families.counter(
                "verbena_nfs_replayed_requests",
                "Requests sent again because they had no answer",
                labels,
                statistics.replayed());
    }

    private void add(String mount, OperationStatistics operation) {
        Labels labels = Labels.of("mount", mount, "operation", LabelText.of(operation.operation()));
        families.counter("verbena_nfs_operations", "Requests that have ended", labels, operation.count());
        families.counter("verbena_nfs_operation_errors", "Requests that have failed", labels, operation.errors());
        families.counter("verbena_nfs_operation_retries", "Requests sent again", labels, operation.retries());
        families.counter(
                "verbena_nfs_sent",
                Unit.BYTES,
                "RPC messages with file data, retries included",
                labels,
                operation.sentOctets());
        families.counter(
                "verbena_nfs_received",
                Unit.BYTES,
                "Results with file data, without RPC headers",
                labels,
                operation.receivedOctets());
        families.durations(
                "verbena_nfs_operation_duration",
                "From the last hand-over of a request to the transport to its answer",
                labels,
                operation.roundTrip());
        families.durations(
                "verbena_nfs_operation_waiting",
                "From the creation of a request to its first hand-over: the wait for a session and a slot",
                labels,
                operation.waiting());
    }
}
