package io.verbena.simulation.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Small fleets; {@code simulation/scale} runs large ones. */
@Timeout(600)
final class ScaleTest {
    private static final int CLIENTS = 200;
    private static final int MOUNTS = 50;

    private static ScaleResult run(ScaleOptions options) throws Exception {
        return new ScaleRun(options.brief(), line -> {}).run();
    }

    private static void judge(ScaleResult result) {
        ScaleOptions options = result.options();
        assertThat(result.failures()).isEmpty();
        assertThat(result.operations().count()).isPositive();
        assertThat(result.unfairness()).isLessThan(5);
        assertThat(result.serverPeak()).isBetween(1L, options.serverMemory());
        assertThat(result.clientPeak()).isBetween(1L, options.clientMemory());
        assertThat(PerSecond.mean(result.quiet())).isPositive();
        for (Storm storm : new Storm[] {result.restart(), result.cut()}) {
            assertThat(storm.back().count()).isEqualTo(options.all());
            assertThat(storm.back().at(1)).isLessThan(ScaleOptions.LEASE.toNanos());
        }
    }

    @Test
    void shouldBringClientsBackWithoutAHerdAndNotRenewLeasesTogether() throws Exception {
        ScaleResult result = run(ScaleOptions.clients(CLIENTS, 1));
        judge(result);
        assertThat(result.restart().settled()).hasSizeGreaterThan(10);
        assertThat(result.restart().herd()).isLessThan(2);
        List<Integer> after = result.quietAfter(); // in its first seconds all leases were renewed by the restart
        List<Integer> settled = after.subList(after.size() / 2, after.size());
        assertThat(PerSecond.peakToMean(settled)).isBetween(0.1, 3.0);
    }

    @Test
    void shouldBringMountsOfOneProcessBackWithoutAHerd() throws Exception {
        ScaleResult result = run(ScaleOptions.mounts(MOUNTS, 1));
        judge(result);
        assertThat(result.restart().herd()).isBetween(0.1, 2.0);
    }

    /**
     * The server has no place to spare: where all connections are cut, it rejects clients until it has learned that
     * their old connections have ended. They try again.
     */
    @Test
    void shouldBringClientsBackThatTheServerRejects() throws Exception {
        ScaleResult result = run(ScaleOptions.clients(MOUNTS, 3).withMaxConnections(MOUNTS));
        judge(result);
        assertThat(result.cut().rejected()).isPositive();
    }

    @Test
    void shouldRepeatEachEvent() throws Exception {
        ScaleOptions options = ScaleOptions.clients(10, 4);
        ScaleResult one = run(options);
        ScaleResult two = run(options);
        assertThat(two.hash()).isEqualTo(one.hash());
        assertThat(two.steps()).isEqualTo(one.steps());
        assertThat(run(ScaleOptions.clients(10, 5)).hash()).isNotEqualTo(one.hash());
    }
}
