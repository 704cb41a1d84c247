package io.verbena.openmetrics.internal;

import io.verbena.memory.MemoryBudget;
import io.verbena.nfs.Mount;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The endpoint, as configured. It is there whether or not there are mounts, connections and a budget. A change of the
 * configuration ends the component, and makes a new one.
 */
@Component(
        immediate = true,
        service = {},
        configurationPid = OpenMetricsConfiguration.PID)
@Designate(ocd = OpenMetricsConfiguration.class)
public final class OpenMetricsComponent implements Figures.Services {
    private static final Logger LOG = LoggerFactory.getLogger(OpenMetricsComponent.class);
    private static final Duration EXCHANGE = Duration.ofSeconds(10);
    private static final int MOST_PORT = 0xFFFF;
    private static final int LEAST_SERIES = 1_000;
    private static final int MOST_SERIES = 1_000_000;

    /** In the order of references: the last one of a name has taken the place of the others, and comes first. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    private volatile List<Mount> mounts = List.of();

    @Reference(
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    private volatile ConnectionMonitor monitor;

    @Reference(
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    private volatile MemoryBudget memory;

    private final Figures figures;
    private final Optional<MetricsServer> server;

    /**
     * Starts the endpoint.
     *
     * @param configuration of {@link OpenMetricsConfiguration#PID}
     */
    @Activate
    public OpenMetricsComponent(
            OpenMetricsConfiguration configuration, @Reference Runtime runtime, BundleContext context) {
        this.figures = new Figures(
                this,
                runtime,
                context.getBundle().getVersion().toString(),
                bounded("series", configuration::series, LEAST_SERIES, MOST_SERIES, OpenMetricsConfiguration.SERIES));
        this.server = configuration.enabled() ? start(configuration, runtime) : Optional.empty();
    }

    private Optional<MetricsServer> start(OpenMetricsConfiguration configuration, Runtime runtime) {
        String host = configuration.host().isBlank() ? OpenMetricsConfiguration.LOOPBACK : configuration.host();
        int port = bounded("port", configuration::port, 0, MOST_PORT, OpenMetricsConfiguration.PORT);
        try {
            InetAddress address = InetAddress.getByName(host);
            MetricsServer started =
                    MetricsServer.start(figures, runtime, new InetSocketAddress(address, port), EXCHANGE);
            LOG.info("metrics are at http:/{}{}", started.address(), MetricsHandler.PATH);
            if (!address.isLoopbackAddress()) {
                LOG.warn(
                        "metrics at {} can be read by everybody who reaches that address: there is no authentication;"
                                + " 'host' of {} says where they are",
                        started.address(),
                        OpenMetricsConfiguration.PID);
            }
            return Optional.of(started);
        } catch (IOException e) {
            LOG.error(
                    "no metrics: cannot listen at {}, port {}: {}; 'host' and 'port' of {} name another place",
                    host,
                    port,
                    e.getMessage(),
                    OpenMetricsConfiguration.PID);
            return Optional.empty();
        }
    }

    /** Returns a number of the configuration, or another one with a warning where the value will not do. */
    private static int bounded(String key, IntSupplier configured, int least, int most, int otherwise) {
        try {
            int value = configured.getAsInt();
            if (value >= least && value <= most) {
                return value;
            }
            LOG.warn("{} is {}: {} to {} will do; {} is used", named(key), value, least, most, otherwise);
        } catch (RuntimeException | Error e) { // a text that is no number
            LOG.warn("{}: {}; {} is used", named(key), e.getMessage(), otherwise);
        }
        return otherwise;
    }

    private static String named(String key) {
        return "'" + key + "' of " + OpenMetricsConfiguration.PID;
    }

    @Override
    public List<Mount> mounts() {
        return mounts;
    }

    @Override
    public Optional<ConnectionMonitor> monitor() {
        return Optional.ofNullable(monitor);
    }

    @Override
    public Optional<MemoryBudget> memory() {
        return Optional.ofNullable(memory);
    }

    @Deactivate
    void deactivate() {
        server.ifPresent(MetricsServer::close);
    }
}
