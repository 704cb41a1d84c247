package io.verbena.webconsole.internal;

import io.verbena.metrics.Distribution;
import io.verbena.metrics.DurationRecorder;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountState;
import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.OperationStatistics;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.verbs.trace.TraceStatus;
import io.verbena.verbs.trace.WireTrace;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Figures for tests. */
final class Sample {
    private Sample() {}

    /** Durations of 30 us, 3 ms and 60 s. */
    static Distribution durations() {
        DurationRecorder recorder = new DurationRecorder();
        recorder.record(30_000);
        recorder.record(3_000_000);
        recorder.record(60_000_000_000L);
        return recorder.snapshot();
    }

    static Mount mount(String name) {
        OperationStatistics read = new OperationStatistics("READ", 3, 1, 2, 300, 4096, durations(), Distribution.EMPTY);
        OperationStatistics write =
                new OperationStatistics("WRITE", 4, 0, 0, 8192, 100, Distribution.EMPTY, Distribution.EMPTY);
        MountStatistics statistics = new MountStatistics(
                Instant.EPOCH, Instant.EPOCH, List.of(read, write), "", Optional.empty(), 16, 2, 1, 0, 4, 3, 7, 5, 6);
        return mount(name, statistics);
    }

    /** A mount whose statistics cannot be read. */
    static Mount gone(String name) {
        return mount(name, null);
    }

    private static Mount mount(String name, MountStatistics statistics) {
        return (Mount) Proxy.newProxyInstance(
                Sample.class.getClassLoader(),
                new Class<?>[] {Mount.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "name" -> name;
                    case "source" -> "server:/export";
                    case "state" -> MountState.FAILED;
                    case "statistics" -> Optional.ofNullable(statistics).orElseThrow();
                    case "failure" -> Optional.of(new IOException("no route"));
                    case "unresponsiveServer", "delayedOperation" -> Optional.empty();
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    static ConnectionStatus connection(long id) {
        return new ConnectionStatus(
                id,
                "client",
                "connected",
                "127.0.0.1:4000",
                "10.0.0.1:20049",
                Map.of("version", "2", "provider", "iwarp"),
                Map.of("calls", 9L),
                Map.of("creditsGranted", 32L, "creditsInUse", 3L),
                Map.of("roundTrip", durations()));
    }

    /** A trace that runs, after one that has failed. */
    static WireTrace trace() {
        return new WireTrace() {
            @Override
            public TraceStatus start(Path file, boolean overwrite) {
                throw new UnsupportedOperationException();
            }

            @Override
            public TraceStatus stop() {
                throw new UnsupportedOperationException();
            }

            @Override
            public Optional<TraceStatus> status() {
                return Optional.of(of("/tmp/now.pcapng", null));
            }

            @Override
            public Optional<TraceStatus> last() {
                return Optional.of(of("/tmp/before.pcapng", "no space"));
            }

            private TraceStatus of(String file, String failure) {
                return new TraceStatus(Path.of(file), Instant.EPOCH, 1, 2, 3, 4, failure);
            }
        };
    }
}
