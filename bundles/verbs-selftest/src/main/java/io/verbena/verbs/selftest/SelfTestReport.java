package io.verbena.verbs.selftest;

import java.util.List;
import java.util.Map;

/**
 * The result of a test.
 *
 * @param settings the negotiated settings of the connection
 * @param steps every step, in order
 * @param latencies as far as they were measured
 * @param bandwidths as far as they were measured
 */
public record SelfTestReport(
        Map<String, String> settings, List<SelfTestStep> steps, List<Latency> latencies, List<Bandwidth> bandwidths) {
    public SelfTestReport {
        settings = Map.copyOf(settings);
        steps = List.copyOf(steps);
        latencies = List.copyOf(latencies);
        bandwidths = List.copyOf(bandwidths);
    }

    /** The number of failed steps. */
    public int failures() {
        return (int) steps.stream()
                .filter(step -> step.outcome() == SelfTestStep.Outcome.FAILED)
                .count();
    }
}
