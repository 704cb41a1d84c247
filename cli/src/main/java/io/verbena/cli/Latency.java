package io.verbena.cli;

import io.verbena.metrics.Distribution;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Formats durations: milliseconds in sentences, microseconds in columns, nanoseconds in JSON. */
public final class Latency {
    private Latency() {}

    /**
     * Returns milliseconds with three decimals: {@code 0.123}.
     *
     * @param nanos the duration in nanoseconds
     */
    public static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e6);
    }

    /**
     * Returns microseconds, for a column.
     *
     * @param nanos the duration in nanoseconds
     */
    public static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos + 500);
    }

    /** Returns {@code mean 0.123, p50 0.120, ...}, in milliseconds. */
    public static String summary(Distribution times) {
        return "mean " + millis(times.meanNanos())
                + ", p50 " + millis(times.percentileNanos(50))
                + ", p90 " + millis(times.percentileNanos(90))
                + ", p99 " + millis(times.percentileNanos(99))
                + ", p99.9 " + millis(times.percentileNanos(99.9))
                + ", max " + millis(times.maxNanos()) + " ms";
    }

    /** Returns the members of a JSON object. */
    public static Map<String, Object> members(Distribution times) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("count", times.count());
        all.put("meanNanos", times.meanNanos());
        all.put("p50Nanos", times.percentileNanos(50));
        all.put("p90Nanos", times.percentileNanos(90));
        all.put("p99Nanos", times.percentileNanos(99));
        all.put("p999Nanos", times.percentileNanos(99.9));
        all.put("maxNanos", times.maxNanos());
        return all;
    }
}
