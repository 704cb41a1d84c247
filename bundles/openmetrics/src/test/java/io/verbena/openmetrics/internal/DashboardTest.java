package io.verbena.openmetrics.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.MemoryShare;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.metrics.Distribution;
import io.verbena.rpcrdma.ConnectionStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples for Grafana and Prometheus ask for metrics that are there. */
class DashboardTest {
    private static final Path EXAMPLES = Path.of("../../docs/examples");

    /** A metric, and no label of the same name. */
    private static final Pattern METRIC = Pattern.compile("(?<![{,\\w])(verbena|jvm|process)_\\w+(?![\\w=])(?!=~)");

    private static final List<String> COUNTERS = List.of(
            "calls",
            "replies",
            "retransmissions",
            "timeouts",
            "headerErrors",
            "inlineSentBytes",
            "inlineReceivedBytes",
            "readChunkBytes",
            "writeChunkBytes",
            "replyChunkBytes");

    private static Exposition exported() throws IOException {
        Map<String, Long> counters = new LinkedHashMap<>();
        COUNTERS.forEach(name -> counters.put(name, 1L));
        ConnectionStatus connection = new ConnectionStatus(
                1,
                "client",
                "connected",
                "here:1",
                "there:2",
                Map.of(),
                counters,
                Map.of("creditsGranted", 1L, "creditsInUse", 1L, "callsWaiting", 1L, "registrations", 1L),
                Map.of("roundTrip", Distribution.EMPTY, "waiting", Distribution.EMPTY));
        DirectMemory budget = new DirectMemory(1 << 20);
        MemoryShare share = budget.share("mount docs");
        TestServices services = new TestServices();
        services.add(Sample.mount("docs", 1));
        services.setMonitor(() -> List.of(connection));
        services.setMemory(budget);
        Exposition exported = Exposition.parse(Sample.text(Sample.figures(services, 20_000)));
        share.close();
        budget.close();
        return exported;
    }

    @ParameterizedTest
    @CsvSource({"grafana-dashboard.json, 30", "prometheus-alerts.yml, 4"})
    void shouldAskForMetricsThatAreThere(String example, int least) throws IOException {
        Set<String> named = METRIC.matcher(Files.readString(EXAMPLES.resolve(example)))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());

        assertThat(named).hasSizeGreaterThanOrEqualTo(least);
        assertThat(exported().names()).containsAll(named);
    }
}
