package io.verbena.verbs.selftest;

import java.util.List;
import java.util.Map;

/**
 * What a test brought.
 *
 * @param settings what the connection negotiated
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

    /** How many steps went wrong. */
    public int failures() {
        return (int) steps.stream()
                .filter(step -> step.outcome() == SelfTestStep.Outcome.FAILED)
                .count();
    }
}
