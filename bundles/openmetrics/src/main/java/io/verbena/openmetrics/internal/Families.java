package io.verbena.openmetrics.internal;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.StateSetSnapshot;
import io.prometheus.metrics.model.snapshots.StateSetSnapshot.StateSetDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Unit;
import io.verbena.metrics.Distribution;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * The metric families of one answer. Names have neither unit nor suffix: {@code verbena_nfs_sent} with the unit bytes
 * becomes {@code verbena_nfs_sent_bytes_total} (OpenMetrics 1.0, Metric and label names).
 *
 * <p>A budget bounds the series. Whatever comes when the budget is used up is counted, and left out. A second series
 * with the same labels is left out as well: a format without it cannot be read. For one thread.
 */
final class Families {
    /** The upper bounds of buckets of durations, in seconds. RDMA's round trips begin with some microseconds. */
    private static final double[] BOUNDS = {
        0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30
    };

    private static final long NANOS = 1_000_000_000L;

    /** A histogram is a series for each bound, and those of the bucket without bound, of the count and of the sum. */
    private static final int HISTOGRAM_SERIES = BOUNDS.length + 3;

    private final Map<String, Family<?>> families = new LinkedHashMap<>();
    private final int budget;
    private int used;
    private int dropped;

    /**
     * Creates an empty answer.
     *
     * @param budget the most series
     */
    Families(int budget) {
        this.budget = budget;
    }

    /** The points of one family. */
    private static final class Family<P extends DataPointSnapshot> {
        private final MetricMetadata metadata;
        private final BiFunction<MetricMetadata, List<P>, MetricSnapshot> snapshot;
        private final Set<Labels> labels = new HashSet<>();
        private final List<P> points = new ArrayList<>();

        Family(MetricMetadata metadata, BiFunction<MetricMetadata, List<P>, MetricSnapshot> snapshot) {
            this.metadata = metadata;
            this.snapshot = snapshot;
        }

        MetricSnapshot build() {
            return snapshot.apply(metadata, points);
        }
    }

    /** Adds a counter without unit. */
    void counter(String name, String help, Labels labels, long value) {
        counter(name, null, help, labels, value);
    }

    /** Adds a counter. */
    void counter(String name, Unit unit, String help, Labels labels, long value) {
        add(
                name,
                unit,
                help,
                CounterSnapshot::new,
                labels,
                1,
                () -> new CounterDataPointSnapshot((double) Math.max(0, value), labels, null, 0));
    }

    /** Adds a gauge without unit. */
    void gauge(String name, String help, Labels labels, long value) {
        gauge(name, null, help, labels, value);
    }

    /** Adds a gauge. */
    void gauge(String name, Unit unit, String help, Labels labels, long value) {
        gauge(name, unit, help, labels, (double) value);
    }

    /** Adds a gauge with a fraction. */
    void gauge(String name, Unit unit, String help, Labels labels, double value) {
        add(name, unit, help, GaugeSnapshot::new, labels, 1, () -> new GaugeDataPointSnapshot(value, labels, null));
    }

    /** Adds a metric whose labels are what it tells. */
    void info(String name, String help, Labels labels) {
        add(name, null, help, InfoSnapshot::new, labels, 1, () -> new InfoDataPointSnapshot(labels));
    }

    /** Adds a set of states, of which one holds. A state that is not in the set holds as none. */
    void states(String name, String help, Labels labels, List<String> states, String present) {
        add(name, null, help, StateSetSnapshot::new, labels, states.size(), () -> {
            boolean[] holds = new boolean[states.size()];
            for (int i = 0; i < holds.length; i++) {
                holds[i] = states.get(i).equals(present);
            }
            return new StateSetDataPointSnapshot(states.toArray(String[]::new), holds, labels);
        });
    }

    /** Adds a histogram of durations, in seconds. */
    void durations(String name, String help, Labels labels, Distribution durations) {
        add(
                name,
                Unit.SECONDS,
                help,
                HistogramSnapshot::new,
                labels,
                HISTOGRAM_SERIES,
                () -> new HistogramDataPointSnapshot(
                        buckets(durations), Unit.nanosToSeconds(durations.totalNanos()), labels, Exemplars.EMPTY, 0));
    }

    private static ClassicHistogramBuckets buckets(Distribution durations) {
        double[] bounds = new double[BOUNDS.length + 1];
        long[] counts = new long[bounds.length];
        long below = 0;
        for (int i = 0; i < BOUNDS.length; i++) {
            long upTo = durations.countUpTo(Math.round(BOUNDS[i] * NANOS));
            bounds[i] = BOUNDS[i];
            counts[i] = upTo - below;
            below = upTo;
        }
        bounds[BOUNDS.length] = Double.POSITIVE_INFINITY;
        counts[BOUNDS.length] = durations.count() - below;
        return ClassicHistogramBuckets.of(bounds, counts);
    }

    private <P extends DataPointSnapshot> void add(
            String name,
            Unit unit,
            String help,
            BiFunction<MetricMetadata, List<P>, MetricSnapshot> snapshot,
            Labels labels,
            int series,
            Supplier<P> point) {
        if (used + series > budget) {
            dropped += series;
            return;
        }
        String full = unit == null ? name : name + "_" + unit;
        @SuppressWarnings("unchecked") // a name always comes with the same kind
        Family<P> family = (Family<P>)
                families.computeIfAbsent(full, key -> new Family<>(new MetricMetadata(key, help, unit), snapshot));
        if (family.labels.add(labels)) {
            family.points.add(point.get());
            used += series;
        }
    }

    /** Returns how many series the budget had no room for. */
    int dropped() {
        return dropped;
    }

    /** Returns the families that have series, in the order of their first ones. */
    List<MetricSnapshot> build() {
        List<MetricSnapshot> all = new ArrayList<>();
        families.values().forEach(family -> all.add(family.build()));
        return all;
    }
}
