package io.verbena.cli.internal.bench;

import io.verbena.metrics.Distribution;

/**
 * What one phase of a benchmark came to.
 *
 * @param phase its name
 * @param operations how many were done
 * @param octets moved by them, 0 where they move none
 * @param nanos the phase took
 * @param times of the single operations
 */
public record Measured(String phase, long operations, long octets, long nanos, Distribution times) {
    public double perSecond() {
        return operations * 1e9 / Math.max(1, nanos);
    }

    /** By powers of ten. */
    public double megabytesPerSecond() {
        return octets * 1e3 / Math.max(1, nanos);
    }
}
