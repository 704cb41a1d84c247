package io.verbena.cli.internal.bench;

import io.verbena.metrics.Distribution;

/**
 * The result of one phase of a benchmark.
 *
 * @param phase the name of the phase
 * @param operations the number of operations
 * @param octets the octets that the operations moved; 0 if they move none
 * @param nanos the duration of the phase in nanoseconds
 * @param times the distribution of the durations of the operations
 */
public record Measured(String phase, long operations, long octets, long nanos, Distribution times) {
    public double perSecond() {
        return operations * 1e9 / Math.max(1, nanos);
    }

    /** Returns the rate in megabytes a second, in powers of ten. */
    public double megabytesPerSecond() {
        return octets * 1e3 / Math.max(1, nanos);
    }
}
