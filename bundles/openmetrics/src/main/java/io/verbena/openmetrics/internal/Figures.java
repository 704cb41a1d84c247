package io.verbena.openmetrics.internal;

import io.prometheus.metrics.instrumentation.jvm.JvmBufferPoolMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmClassLoadingMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmRuntimeInfoMetric;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.verbena.memory.MemoryBudget;
import io.verbena.nfs.Mount;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.runtime.Runtime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What there is to measure, and the metrics of it. Nothing is kept between two scrapes, so that a mount or a connection
 * that has gone leaves no series. Any thread may call any method.
 */
final class Figures {
    private static final Logger LOG = LoggerFactory.getLogger(Figures.class);

    private final PrometheusRegistry jvm = new PrometheusRegistry();
    private final Services services;
    private final Runtime runtime;
    private final Labels build;
    private final int budget;

    /** The services that there are now, of which each may go at any time. */
    interface Services {
        /** Returns all mounts; of those with the same name, the one that counts comes first. */
        List<Mount> mounts();

        Optional<ConnectionMonitor> monitor();

        Optional<MemoryBudget> memory();
    }

    /**
     * Creates the metrics.
     *
     * @param version the version of Verbena
     * @param budget the most series of one scrape, without the few of the JVM
     */
    Figures(Services services, Runtime runtime, String version, int budget) {
        this.services = services;
        this.runtime = runtime;
        this.build = Labels.of("version", LabelText.of(version));
        this.budget = budget;
        // without those of pools' allocations, whose listeners would outlive the bundle
        JvmBufferPoolMetrics.builder().register(jvm);
        JvmClassLoadingMetrics.builder().register(jvm);
        JvmGarbageCollectorMetrics.builder().register(jvm);
        JvmMemoryMetrics.builder().register(jvm);
        JvmRuntimeInfoMetric.builder().register(jvm);
        JvmThreadsMetrics.builder().register(jvm);
        ProcessMetrics.builder().register(jvm);
    }

    /** Returns the metrics as they are now. Mounts come first: connections of peers cannot use up their series. */
    MetricSnapshots collect() {
        Families families = new Families(budget);
        families.info("verbena_build", "The version of Verbena", build);
        Map<String, Mount> byName = new TreeMap<>();
        services.mounts().forEach(mount -> byName.putIfAbsent(mount.name(), mount));
        MountFamilies ofMounts = new MountFamilies(families);
        byName.forEach((name, mount) -> tryTo("the mount " + name, () -> ofMounts.add(mount, runtime.now())));
        services.memory().ifPresent(held -> tryTo("the memory", () -> new MemoryFamilies(families).add(held)));
        services.monitor().ifPresent(asked -> {
            ConnectionFamilies ofConnections = new ConnectionFamilies(families);
            tryTo("connections", () -> {
                for (ConnectionStatus status : asked.connections()) {
                    ofConnections.add(status);
                }
            });
        });
        List<MetricSnapshot> all = new ArrayList<>(families.build());
        Families own = new Families(1);
        own.gauge(
                "verbena_openmetrics_series_dropped",
                "Series that this answer had no room for",
                Labels.EMPTY,
                families.dropped());
        all.addAll(own.build());
        jvm.scrape().forEach(all::add);
        return new MetricSnapshots(all);
    }

    /** Reads figures of a service that may go at any time. */
    private static void tryTo(String what, java.lang.Runnable read) {
        try {
            read.run();
        } catch (RuntimeException | Error e) {
            LOG.debug("no metrics of {}", what, e);
        }
    }
}
