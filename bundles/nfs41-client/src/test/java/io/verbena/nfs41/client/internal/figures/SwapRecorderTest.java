package io.verbena.nfs41.client.internal.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is told of swaps counts over everything that was replaced. */
class SwapRecorderTest {
    private final SwapRecorder swaps = new SwapRecorder("m", new SystemRuntime());

    private Map<String, String> report(Map<String, String> line) {
        Map<String, String> all = new HashMap<>(line);
        swaps.report(all);
        return all;
    }

    private static Map<String, String> line(int count, int replayed, String last) {
        return Map.of("swaps", String.valueOf(count), "replayed", String.valueOf(replayed), "lastSwap", last);
    }

    private void replaceTransport() {
        SwapRecorder.Swap swap = swaps.transportLeft();
        swaps.transportDrained(swap, 0);
        swaps.connected();
    }

    @Test
    void shouldTellNothingWhereNothingWasReplaced() {
        assertThat(report(Map.of("swaps", "0", "replayed", "0")))
                .containsEntry("swaps", "0")
                .containsEntry("replayed", "0")
                .doesNotContainKey("lastSwap");
    }

    @Test
    void shouldAddUpWhatItsConnectionsHadAndWhatItReplacedItself() {
        assertThat(report(line(2, 3, "a"))).containsEntry("swaps", "2").containsEntry("lastSwap", "a");
        swaps.ended(line(2, 3, "a"));
        replaceTransport();
        swaps.replayed();
        assertThat(report(Map.of("swaps", "0")))
                .containsEntry("swaps", "3")
                .containsEntry("replayed", "4")
                .containsEntry("transportSwaps", "1")
                .hasEntrySatisfying(
                        "lastSwap", last -> assertThat(last).startsWith("the transport was replaced: drained in "));
        assertThat(report(line(1, 0, "b"))).containsEntry("swaps", "4").containsEntry("lastSwap", "b");
    }

    @Test
    void shouldGoOnFromWhatTheMountBeforeHad() {
        swaps.takeOver(new SwapRecorder.Past(5, 6, null));
        assertThat(swaps.total(Map.of())).isEqualTo(new SwapRecorder.Past(5, 6, null));
        swaps.ended(line(1, 1, "while it was trying"));
        swaps.replaced("took its place");
        assertThat(report(Map.of()))
                .containsEntry("swaps", "7")
                .containsEntry("replayed", "7")
                .containsEntry("lastSwap", "took its place");
        assertThat(swaps.total(line(1, 1, "c"))).isEqualTo(new SwapRecorder.Past(8, 8, "c"));
    }

    @Test
    void shouldCountATransportThatGoesWhileTheOneBeforeIsStillDrained() {
        SwapRecorder.Swap first = swaps.transportLeft();
        swaps.connected();
        SwapRecorder.Swap second = swaps.transportLeft();
        swaps.transportDrained(second, 0);
        swaps.connected();
        assertThat(report(Map.of())).containsEntry("transportSwaps", "1");
        swaps.transportDrained(first, 2);
        assertThat(report(Map.of()))
                .containsEntry("transportSwaps", "2")
                .hasEntrySatisfying(
                        "lastTransportSwap", last -> assertThat(last).contains("2 requests left without an answer"));
    }

    @Test
    void shouldTakeWhatIsNoNumberForNothing() {
        assertThat(report(Map.of("swaps", "many"))).containsEntry("swaps", "0");
    }
}
