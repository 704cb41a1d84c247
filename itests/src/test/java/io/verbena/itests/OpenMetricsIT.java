package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.json.Json;
import javax.json.JsonObject;
import javax.json.JsonReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The metrics endpoint in the running distribution, scraped while mounts come and go and bundles are replaced. */
@Timeout(value = 280, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OpenMetricsIT {
    private static final Pattern OPERATION =
            Pattern.compile("(verbena_nfs_\\w+)\\{mount=\"w\",operation=\"(\\w+)\"} ([0-9.E]+)");
    private static final Map<String, String> KEYS = Map.of(
            "verbena_nfs_operations_total", "count",
            "verbena_nfs_operation_errors_total", "errors",
            "verbena_nfs_operation_retries_total", "retries",
            "verbena_nfs_sent_bytes_total", "sentOctets",
            "verbena_nfs_received_bytes_total", "receivedOctets");
    private static final String SERIES_OF_W = "{mount=\"w\"";

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private URI metrics;

    private HttpResponse<String> get(String accept) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(metrics).header("Accept", accept).build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private String scrape() throws IOException, InterruptedException {
        HttpResponse<String> response = get("application/openmetrics-text; version=1.0.0");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type").orElseThrow())
                .startsWith("application/openmetrics-text");
        assertThat(response.body()).endsWith("# EOF\n");
        return response.body();
    }

    @Test
    void shouldTellWhatTheShellTells() throws Exception {
        int port = Launcher.freePort();
        int http = Launcher.freePort();
        metrics = URI.create("http://127.0.0.1:" + http + "/metrics");
        Launcher verbena = new Launcher(folder);
        Path gate = verbena.makeGate();
        Path served = Files.createDirectory(folder.resolve("served"));
        byte[] content = new byte[3 << 20];
        new Random(1).nextBytes(content); // zeros would be a hole, and no WRITE
        Path file = Files.write(folder.resolve("file"), content);
        String mount = "nfs:mount -o port=" + port + " 127.0.0.1:/ w";
        Launcher.Run run = verbena.start(
                "-c",
                String.join(
                        "\n",
                        "config:property-set -p io.verbena.openmetrics port " + http,
                        "feature:install verbena-openmetrics",
                        "nfs:export --no-root-squash --port " + port + " --name served " + served,
                        mount,
                        "nfs:put -q " + file + " w:/",
                        "nfs:get -q w:/file " + folder.resolve("back"),
                        "nfs:stat-mount --json w",
                        "echo",
                        "echo counted",
                        "cat " + gate,
                        "echo going",
                        "nfs:unmount w",
                        mount,
                        "nfs:unmount w",
                        "echo gone",
                        "cat " + gate,
                        mount,
                        "echo swapping",
                        "bundle:restart io.verbena.rpcrdma.dispatcher",
                        "bundle:restart io.verbena.nfs41.client",
                        "nfs:ls w:/",
                        "echo swapped",
                        "cat " + gate,
                        "bundle:stop io.verbena.openmetrics",
                        "echo stopped",
                        "cat " + gate));

        run.await("counted");
        assertThat(told(scrape())).isEqualTo(shown(Files.readString(run.out())));
        assertThat(scrape())
                .contains("verbena_nfs_mount_info{mount=\"w\",source=\"127.0.0.1:/\"} 1\n")
                .contains("verbena_nfs_mount_state{mount=\"w\",verbena_nfs_mount_state=\"mounted\"} 1\n")
                .contains("verbena_memory_held_bytes{holder=\"mount w\",part=\"no\"}")
                .containsPattern("verbena_rdma_connection_calls_total\\{connection=\"[0-9]+\",role=\"server\"}")
                .contains("verbena_openmetrics_series_dropped 0.0\n");
        assertThat(get("*/*").headers().firstValue("Content-Type").orElseThrow())
                .startsWith("text/plain");

        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Integer> scrapes = scrapeUntil(ended);
        Launcher.open(gate);
        run.await("gone");
        assertThat(scrape()).doesNotContain(SERIES_OF_W).contains("verbena_build_info");
        Launcher.open(gate);
        run.await("swapped");
        ended.set(true);
        assertThat(scrapes.get(1, TimeUnit.MINUTES)).isPositive();
        assertThat(scrape())
                .contains("verbena_nfs_mount_state{mount=\"w\",verbena_nfs_mount_state=\"mounted\"} 1\n")
                .contains("verbena_memory_limit_bytes")
                .contains("verbena_rdma_connection_info");
        Launcher.open(gate);
        run.await("stopped");
        assertThatThrownBy(() -> get("*/*")).isInstanceOf(ConnectException.class);
        Launcher.open(gate);
        Launcher.Result result = run.await();
        assertThat(result.status()).as(result.out() + result.err()).isZero();
    }

    /** Scrapes all the time. The endpoint itself is refreshed with what it uses, and is away for a moment then. */
    private CompletableFuture<Integer> scrapeUntil(AtomicBoolean ended) {
        return CompletableFuture.supplyAsync(() -> {
            int scrapes = 0;
            while (!ended.get()) {
                try {
                    scrape();
                    scrapes++;
                } catch (IOException e) {
                    Thread.onSpinWait();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return scrapes;
        });
    }

    /** Returns the figures of operations in an answer, by operation and key of {@code nfs:stat-mount --json}. */
    private static Map<String, Long> told(String answer) {
        Map<String, Long> all = new TreeMap<>();
        Matcher matcher = OPERATION.matcher(answer);
        while (matcher.find()) {
            if (KEYS.containsKey(matcher.group(1))) {
                all.put(matcher.group(2) + " " + KEYS.get(matcher.group(1)), (long)
                        Double.parseDouble(matcher.group(3)));
            }
        }
        return withoutRenewals(all);
    }

    private static Map<String, Long> shown(String output) {
        String line = output.lines()
                .filter(each -> each.startsWith("{\"name\""))
                .findFirst()
                .orElseThrow();
        Map<String, Long> all = new HashMap<>();
        try (JsonReader reader = Json.createReader(new StringReader(line))) {
            for (JsonObject operation :
                    reader.readObject().getJsonArray("operations").getValuesAs(JsonObject.class)) {
                KEYS.values()
                        .forEach(key -> all.put(
                                operation.getString("operation") + " " + key,
                                operation.getJsonNumber(key).longValue()));
            }
        }
        return withoutRenewals(all);
    }

    /** A lease is renewed at any time. */
    private static Map<String, Long> withoutRenewals(Map<String, Long> figures) {
        assertThat(figures).containsKeys("WRITE sentOctets", "READ receivedOctets");
        Map<String, Long> all = new TreeMap<>(figures);
        all.keySet().removeIf(key -> key.startsWith("SEQUENCE ") || key.startsWith("total "));
        return all;
    }
}
