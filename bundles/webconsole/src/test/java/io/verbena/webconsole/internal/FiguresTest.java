package io.verbena.webconsole.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.Mount;
import io.verbena.runtime.SystemRuntime;
import java.util.List;
import java.util.stream.LongStream;
import javax.json.JsonArray;
import javax.json.JsonNumber;
import javax.json.JsonObject;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private final TestServices services = new TestServices();
    private final Figures figures = new Figures(services, new SystemRuntime());

    private JsonObject row(String table) {
        return figures.collect().getJsonArray(table).getJsonObject(0);
    }

    @Test
    void shouldShowEmptyTablesWithoutServices() {
        JsonObject told = figures.collect();

        assertThat(told.keySet())
                .containsExactlyInAnyOrder(
                        "clockMillis",
                        "boundsNanos",
                        "mounts",
                        "mountsLeftOut",
                        "connections",
                        "connectionsLeftOut",
                        "holders",
                        "holdersLeftOut",
                        "traces");
        assertThat(told.getJsonArray("mounts")).isEmpty();
        assertThat(told.getJsonArray("traces")).isEmpty();
    }

    @Test
    void shouldShowWhatAMountKnows() {
        services.add(Sample.mount("docs"));

        JsonObject row = row("mounts");

        assertThat(row.getString("name")).isEqualTo("docs");
        assertThat(row.getString("source")).isEqualTo("server:/export");
        assertThat(row.getString("state")).isEqualTo("failed");
        assertThat(row.getString("trouble")).isEqualTo("no route");
        assertThat(row.getInt("requests")).isEqualTo(7);
        assertThat(row.getInt("errors")).isEqualTo(1);
        assertThat(row.getInt("readOctets")).isEqualTo(4096);
        assertThat(row.getInt("writtenOctets")).isEqualTo(8192);
        assertThat(row.getInt("slotsGranted")).isEqualTo(16);
        assertThat(row.getInt("openFiles")).isEqualTo(5);
        assertThat(row.getJsonNumber("longestNanos").longValue()).isBetween(60_000_000_000L, 61_000_000_000L);
    }

    @Test
    void shouldCountDurationsUpToEachBound() {
        services.add(Sample.mount("docs"));

        JsonObject told = figures.collect();
        List<Long> bounds = numbers(told.getJsonArray("boundsNanos"));
        List<Long> counts = numbers(row("mounts").getJsonArray("counts"));

        assertThat(bounds)
                .isSorted()
                .startsWith(1_000L)
                .contains(10_000L, 1_000_000L)
                .endsWith(100_000_000_000L);
        assertThat(counts).isSorted().hasSize(bounds.size() + 1).startsWith(0L).endsWith(3L);
        assertThat(counts.get(bounds.indexOf(1_000_000L))).isEqualTo(1);
        assertThat(counts.get(bounds.indexOf(10_000_000L))).isEqualTo(2);
    }

    private static List<Long> numbers(JsonArray array) {
        return array.getValuesAs(JsonNumber.class).stream()
                .map(JsonNumber::longValue)
                .toList();
    }

    @Test
    void shouldShowOneRowOfAName() {
        services.add(Sample.gone("docs"));
        services.add(Sample.mount("docs"));

        assertThat(figures.collect().getJsonArray("mounts")).hasSize(1);
        assertThat(row("mounts").getInt("requests")).isEqualTo(7);
    }

    @Test
    void shouldShowTheOthersWhereAMountHasGone() {
        services.add(Sample.gone("gone"));
        services.add(Sample.mount("docs"));

        JsonArray mounts = figures.collect().getJsonArray("mounts");

        assertThat(mounts).hasSize(1);
        assertThat(mounts.getJsonObject(0).getString("name")).isEqualTo("docs");
    }

    @Test
    void shouldForgetAMount() {
        Mount mount = Sample.mount("papers");
        services.add(Sample.mount("docs"));
        services.add(mount);
        services.remove(mount);

        assertThat(figures.collect().getJsonArray("mounts")).hasSize(1);
    }

    @Test
    void shouldShowConnections() {
        services.setMonitor(() -> List.of(Sample.connection(7)));

        JsonObject row = row("connections");

        assertThat(row.getInt("id")).isEqualTo(7);
        assertThat(row.getString("remote")).isEqualTo("10.0.0.1:20049");
        assertThat(row.getString("provider")).isEqualTo("iwarp");
        assertThat(row.getString("label")).isEmpty();
        assertThat(row.getInt("calls")).isEqualTo(9);
        assertThat(row.getInt("reconnects")).isZero();
        assertThat(row.getInt("creditsGranted")).isEqualTo(32);
    }

    @Test
    void shouldShowHoldersOfMemory() throws Exception {
        DirectMemory memory = new DirectMemory(16 << 20);
        MemoryShare share = memory.share("mount docs");
        BufferLease lease = share.lease(1 << 20);
        services.setMemory(memory);

        JsonObject row = row("holders");
        JsonObject budget = figures.collect().getJsonObject("memory");

        assertThat(row.getString("holder")).isEqualTo("mount docs");
        assertThat(row.getInt("heldOctets")).isEqualTo(1 << 20);
        assertThat(row.getBoolean("isPart")).isFalse();
        assertThat(budget.getInt("limitOctets")).isEqualTo(16 << 20);
        assertThat(budget.getInt("leasedOctets")).isEqualTo(1 << 20);
        services.setMemory(null);
        assertThat(figures.collect()).doesNotContainKey("memory");
        lease.close();
        share.close();
        memory.close();
    }

    @Test
    void shouldShowTheRunningTraceAndTheLastOne() {
        services.setTrace(Sample.trace());

        JsonArray traces = figures.collect().getJsonArray("traces");

        assertThat(traces).hasSize(2);
        assertThat(traces.getJsonObject(0).getString("file")).isEqualTo("/tmp/now.pcapng");
        assertThat(traces.getJsonObject(0).getBoolean("isRunning")).isTrue();
        assertThat(traces.getJsonObject(0).getString("failure")).isEmpty();
        assertThat(traces.getJsonObject(1).getBoolean("isRunning")).isFalse();
        assertThat(traces.getJsonObject(1).getString("failure")).isEqualTo("no space");
    }

    @Test
    void shouldBoundRowsAndTexts() {
        int many = Figures.MOST_ROWS + 3;
        services.setMonitor(
                () -> LongStream.range(0, many).mapToObj(Sample::connection).toList());
        services.add(Sample.mount("x".repeat(100_000)));

        JsonObject told = figures.collect();

        assertThat(told.getJsonArray("connections")).hasSize(Figures.MOST_ROWS);
        assertThat(told.getInt("connectionsLeftOut")).isEqualTo(3);
        assertThat(row("mounts").getString("name")).hasSize(256).endsWith("…");
    }
}
