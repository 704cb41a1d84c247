package io.verbena.openmetrics.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.Mount;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.rpcrdma.ConnectionStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static final int MANY = 20_000;

    private final TestServices services = new TestServices();
    private final Figures figures = Sample.figures(services, MANY);

    private Exposition scrape() throws IOException {
        return Exposition.parse(Sample.text(figures));
    }

    @Test
    void shouldExportWhatAMountKnows() throws IOException {
        services.add(Sample.mount("docs", 3));

        Exposition told = scrape();

        assertThat(told.value("verbena_build_info{version=1.2.3}")).isEqualTo(1);
        assertThat(told.value("verbena_nfs_mount_info{mount=docs, source=server:/export}"))
                .isEqualTo(1);
        assertThat(told.value("verbena_nfs_mount_state{mount=docs, verbena_nfs_mount_state=recovering}"))
                .isEqualTo(1);
        assertThat(told.value("verbena_nfs_mount_state{mount=docs, verbena_nfs_mount_state=mounted}"))
                .isZero();
        assertThat(told.value("verbena_nfs_operations_total{mount=docs, operation=READ}"))
                .isEqualTo(3);
        assertThat(told.value("verbena_nfs_operation_errors_total{mount=docs, operation=READ}"))
                .isEqualTo(1);
        assertThat(told.value("verbena_nfs_operation_retries_total{mount=docs, operation=READ}"))
                .isEqualTo(2);
        assertThat(told.value("verbena_nfs_sent_bytes_total{mount=docs, operation=READ}"))
                .isEqualTo(300);
        assertThat(told.value("verbena_nfs_received_bytes_total{mount=docs, operation=READ}"))
                .isEqualTo(4096);
        assertThat(told.value("verbena_nfs_slots_granted{mount=docs}")).isEqualTo(16);
        assertThat(told.value("verbena_nfs_slots_used{mount=docs}")).isEqualTo(2);
        assertThat(told.value("verbena_nfs_slots_waiting{mount=docs}")).isEqualTo(1);
        assertThat(told.value("verbena_nfs_reconnects_total{mount=docs}")).isEqualTo(4);
        assertThat(told.value("verbena_nfs_swaps_total{mount=docs}")).isEqualTo(3);
        assertThat(told.value("verbena_nfs_replayed_requests_total{mount=docs}"))
                .isEqualTo(7);
        assertThat(told.value("verbena_nfs_open_files{mount=docs}")).isEqualTo(5);
        assertThat(told.value("verbena_nfs_delegations{mount=docs}")).isEqualTo(6);
        assertThat(told.value("verbena_nfs_server_silent_seconds{mount=docs}")).isGreaterThanOrEqualTo(99);
        assertThat(told.value("verbena_nfs_operation_delayed_seconds{mount=docs}"))
                .isGreaterThanOrEqualTo(49);
    }

    @Test
    void shouldExportDurationsAsHistograms() throws IOException {
        services.add(Sample.mount("docs", 3));

        Exposition told = scrape();

        String bucket = "verbena_nfs_operation_duration_seconds_bucket{le=%s, mount=docs, operation=READ}";
        assertThat(told.value(bucket.formatted("2.0E-5"))).isZero();
        assertThat(told.value(bucket.formatted("5.0E-5"))).isEqualTo(1);
        assertThat(told.value(bucket.formatted("0.002"))).isEqualTo(1);
        assertThat(told.value(bucket.formatted("0.005"))).isEqualTo(2);
        assertThat(told.value(bucket.formatted("30.0"))).isEqualTo(2);
        assertThat(told.value(bucket.formatted("+Inf"))).isEqualTo(3);
        assertThat(told.value("verbena_nfs_operation_duration_seconds_sum{mount=docs, operation=READ}"))
                .isEqualTo(60.00303);
        assertThat(told.value("verbena_nfs_operation_waiting_seconds_count{mount=docs, operation=READ}"))
                .isZero();
    }

    @Test
    void shouldExportConnections() throws IOException {
        services.setMonitor(connections(Sample.connection(7, "10.0.0.1:20049")));

        Exposition told = scrape();

        assertThat(told.value("verbena_rdma_connection_info{connection=7, label=, local=127.0.0.1:4000, provider=iwarp,"
                        + " remote=10.0.0.1:20049, role=client, version=2}"))
                .isEqualTo(1);
        String labels = "{connection=7, role=client}";
        assertThat(told.value("verbena_rdma_connection_calls_total" + labels)).isEqualTo(9);
        assertThat(told.value("verbena_rdma_connection_inline_sent_bytes_total" + labels))
                .isEqualTo(1000);
        assertThat(told.value("verbena_rdma_connection_credits_in_use" + labels))
                .isEqualTo(3);
        assertThat(told.value("verbena_rdma_connection_held_bytes" + labels)).isEqualTo(77);
        assertThat(told.value("verbena_rdma_connection_call_round_trip_seconds_count" + labels))
                .isEqualTo(3);
        assertThat(told.value("verbena_rdma_connection_state{connection=7, role=client,"
                        + " verbena_rdma_connection_state=connected}"))
                .isEqualTo(1);
    }

    private static ConnectionMonitor connections(ConnectionStatus... all) {
        return () -> List.of(all);
    }

    @Test
    void shouldExportTheHoldersOfMemory() throws IOException {
        DirectMemory budget = new DirectMemory(16 << 20);
        MemoryShare share = budget.share("mount docs");
        MemoryShare part = share.part("write-behind");
        BufferLease lease = part.lease(1 << 20);
        services.setMemory(budget);

        Exposition told = scrape();

        assertThat(told.value("verbena_memory_limit_bytes{}")).isEqualTo(16 << 20);
        assertThat(told.value("verbena_memory_leased_bytes{}")).isEqualTo(1 << 20);
        assertThat(told.value("verbena_memory_allocated_bytes{}")).isGreaterThanOrEqualTo(1 << 20);
        assertThat(told.value("verbena_memory_held_bytes{holder=mount docs, part=no}"))
                .isEqualTo(1 << 20);
        assertThat(told.value("verbena_memory_held_bytes{holder=" + part.owner() + ", part=yes}"))
                .isEqualTo(1 << 20);
        assertThat(told.value("verbena_memory_requests_waiting{holder=mount docs, part=no}"))
                .isZero();
        lease.close();
        part.close();
        share.close();
        budget.close();
    }

    @Test
    void shouldExportTheJvm() throws IOException {
        assertThat(scrape().names())
                .contains(
                        "jvm_memory_used_bytes",
                        "jvm_buffer_pool_used_bytes",
                        "jvm_gc_collection_seconds_count",
                        "jvm_threads_current",
                        "jvm_runtime_info",
                        "process_cpu_seconds_total",
                        "process_start_time_seconds");
    }

    @Test
    void shouldForgetWhatHasGone() throws IOException {
        Mount mount = Sample.mount("docs", 3);
        ConnectionMonitor monitor = connections(Sample.connection(7, "a:1"));
        services.add(mount);
        services.setMonitor(monitor);
        assertThat(scrape().names()).contains("verbena_nfs_operations_total", "verbena_rdma_connection_calls_total");

        services.remove(mount);
        services.setMonitor(null);

        assertThat(scrape().names())
                .noneMatch(name -> name.startsWith("verbena_nfs") || name.startsWith("verbena_rdma"));
    }

    @Test
    void shouldExportTheMountThatHasTakenAnothersPlaceOnce() throws IOException {
        services.add(Sample.mount("docs", 3));
        services.add(Sample.mount("docs", 8));

        assertThat(scrape().value("verbena_nfs_operations_total{mount=docs, operation=READ}"))
                .isEqualTo(8);
    }

    @Test
    void shouldTakeNamesThatForgeLines() throws IOException {
        String name = "a\"} 1\n# EOF\nverbena_forged 1\\\r\u0000\u202e";
        services.add(Sample.mount(name, 3));
        services.add(Sample.mount("\udfff", 5));
        services.add(Sample.mount("\ud800", 4)); // one and the same octets, in UTF-8
        services.add(Sample.mount("x".repeat(5000), 6));
        services.setMonitor(connections(Sample.connection(1, "\n\"\\"), Sample.connection(1, "again")));

        String text = Sample.text(figures).replace("\r", "(CR)"); // a reader takes it as any other character
        Exposition told = Exposition.parse(text);

        assertThat(told.names()).doesNotContain("verbena_forged");
        assertThat(told.value("verbena_nfs_operations_total{mount=" + name.replace("\r", "(CR)") + ", operation=READ}"))
                .isEqualTo(3);
        assertThat(told.value("verbena_nfs_operations_total{mount=?, operation=READ}"))
                .isEqualTo(4);
        assertThat(text.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(1000));
    }

    @Test
    void shouldLeaveOutWhatTheBudgetHasNoRoomForAndCountIt() throws IOException {
        Figures few = Sample.figures(services, 1000);
        services.add(Sample.mount("docs", 3));
        List<ConnectionStatus> peers = new ArrayList<>();
        LongStream.range(0, 256).forEach(id -> peers.add(Sample.connection(id, "peer:" + id)));
        services.setMonitor(() -> peers);

        Exposition told = Exposition.parse(Sample.text(few));

        long series = told.samples().keySet().stream()
                .filter(name -> name.startsWith("verbena_"))
                .count();
        assertThat(series).isLessThanOrEqualTo(1001);
        assertThat(told.value("verbena_openmetrics_series_dropped{}")).isPositive();
        assertThat(told.value("verbena_nfs_operations_total{mount=docs, operation=READ}"))
                .as("mounts come before connections")
                .isEqualTo(3);
    }

    @Test
    void shouldGoOnWithoutAServiceThatFails() throws IOException {
        services.add(Sample.mount("docs", 3));
        services.setMonitor(() -> {
            throw new IllegalStateException("its bundle has been stopped");
        });

        assertThat(scrape().names())
                .contains("verbena_nfs_operations_total")
                .doesNotContain("verbena_rdma_connection_calls_total");
    }
}
