package io.verbena.openmetrics.internal;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.verbena.metrics.Distribution;
import io.verbena.metrics.DurationRecorder;
import io.verbena.nfs.DelayedOperation;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountState;
import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.OperationStatistics;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.runtime.SystemRuntime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Figures for tests. */
final class Sample {
    private Sample() {}

    static Figures figures(TestServices services, int budget) {
        return new Figures(services, new SystemRuntime(), "1.2.3", budget);
    }

    /** Durations of 30 us, 3 ms and 60 s. */
    static Distribution durations() {
        DurationRecorder recorder = new DurationRecorder();
        recorder.record(30_000);
        recorder.record(3_000_000);
        recorder.record(60_000_000_000L);
        return recorder.snapshot();
    }

    static Mount mount(String name, long reads) {
        OperationStatistics read =
                new OperationStatistics("READ", reads, 1, 2, 300, 4096, durations(), Distribution.EMPTY);
        MountStatistics statistics = new MountStatistics(
                Instant.EPOCH, Instant.now(), List.of(read), "ab", Optional.empty(), 16, 2, 1, 0, 4, 3, 7, 5, 6);
        return (Mount) Proxy.newProxyInstance(
                Sample.class.getClassLoader(),
                new Class<?>[] {Mount.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "name" -> name;
                    case "source" -> "server:/export";
                    case "state" -> MountState.RECOVERING;
                    case "statistics" -> statistics;
                    case "unresponsiveServer" ->
                        Optional.of(
                                new UnresponsiveServer("server", Instant.now().minusSeconds(100), Optional.empty()));
                    case "delayedOperation" ->
                        Optional.of(new DelayedOperation(
                                "NFS4ERR_GRACE", Instant.now().minusSeconds(50), Duration.ofSeconds(90), "waiting"));
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    static ConnectionStatus connection(long id, String remote) {
        return new ConnectionStatus(
                id,
                "client",
                "connected",
                "127.0.0.1:4000",
                remote,
                Map.of("version", "2", "provider", "iwarp"),
                Map.of("calls", 9L, "inlineSentBytes", 1000L, "rdmaReadBytes", 2000L),
                Map.of("creditsGranted", 32L, "creditsInUse", 3L, "callsWaiting", 1L, "heldBytes", 77L),
                Map.of("roundTrip", durations()));
    }

    /** The answer in the form of OpenMetrics. */
    static String text(Figures figures) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new OpenMetricsTextFormatWriter(false, false).write(out, figures.collect(), EscapingScheme.UNDERSCORE_ESCAPING);
        return out.toString(StandardCharsets.UTF_8);
    }
}
