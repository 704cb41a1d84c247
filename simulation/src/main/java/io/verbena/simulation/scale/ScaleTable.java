package io.verbena.simulation.scale;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What became of fleets, as a table for people: a row for each figure, a column for each fleet. */
final class ScaleTable {
    private static final double MIB = 1 << 20;
    private static final int SHOWN_SECONDS = 32;
    private static final int IN_A_LINE = 14;

    private ScaleTable() {}

    static String of(List<ScaleResult> results) {
        StringBuilder text = new StringBuilder();
        List<Map<String, String>> columns =
                results.stream().map(ScaleTable::rows).toList();
        text.append("| |");
        results.forEach(each -> text.append(' ').append(title(each.options())).append(" |"));
        text.append("\n|---|").append("---|".repeat(results.size())).append('\n');
        for (String row : columns.get(0).keySet()) {
            text.append("| ").append(row).append(" |");
            columns.forEach(each -> text.append(' ').append(each.get(row)).append(" |"));
            text.append('\n');
        }
        for (ScaleResult each : results) {
            text.append("\nattempts to connect in each second, ")
                    .append(title(each.options()))
                    .append(":\n");
            appendHistogram(text, "after the restart", each.restart());
            appendHistogram(text, "after the cut", each.cut());
        }
        return text.toString();
    }

    static String title(ScaleOptions options) {
        return options.mounts() == 1
                ? options.processes() + " clients"
                : options.processes() + " process with " + options.mounts() + " mounts";
    }

    private static Map<String, String> rows(ScaleResult result) {
        Map<String, String> rows = new LinkedHashMap<>();
        Samples operations = result.operations();
        rows.put("operations", Integer.toString(operations.count()));
        rows.put(
                "time of an operation: p50, p99, most",
                format("%.3f, %.3f, %.3f ms", operations.millis(0.5), operations.millis(0.99), operations.millis(1)));
        rows.put("slowest mount to the median one", format("%.2f", result.unfairness()));
        rows.put(
                "direct memory of the server",
                memory(result.serverPeak(), result.options().serverMemory()));
        rows.put(
                "of it for each mount",
                format(
                        "%.0f KiB",
                        result.serverPeak() / 1024.0 / result.options().all()));
        rows.put(
                "direct memory of a client process",
                memory(result.clientPeak(), result.options().clientMemory()));
        rows.put("renewals a second before the restart: mean, peak", renewals(result.quiet()));
        rows.put("renewals a second after the restart: mean, peak", renewals(result.quietAfter()));
        addStorm(rows, "restart", result.restart());
        addStorm(rows, "cut", result.cut());
        rows.put("failures", Integer.toString(result.failures().size()));
        rows.put(
                "virtual time, real time, steps, threads at most",
                format(
                        "%.0f s, %.0f s, %d, %d",
                        result.nanos() / 1e9, result.realSeconds(), result.steps(), result.threads()));
        rows.put("hash of all events", format("%016x", result.hash()));
        return rows;
    }

    private static void addStorm(Map<String, String> rows, String what, Storm storm) {
        if (storm == null) {
            return;
        }
        Samples back = storm.back();
        rows.put(
                what + ": first, median, p99, last mount back",
                format(
                        "%.3f, %.3f, %.3f, %.3f s",
                        back.at(0) / 1e9, back.seconds(0.5), back.seconds(0.99), back.seconds(1)));
        rows.put(
                what + ": attempts to connect, most in a second",
                format(
                        "%d, %d",
                        storm.attempts().stream().mapToInt(Integer::intValue).sum(), PerSecond.peak(storm.attempts())));
        rows.put(
                what + ": peak to mean of attempts while the server was away",
                storm.herd() == 0 ? "-" : format("%.2f", storm.herd()));
        rows.put(what + ": requests to connect that the server rejected", Long.toString(storm.rejected()));
    }

    private static String memory(long peak, long budget) {
        return format("%.1f of %.0f MiB", peak / MIB, budget / MIB);
    }

    private static String renewals(List<Integer> counts) {
        return format("%.1f, %d (%.2f)", PerSecond.mean(counts), PerSecond.peak(counts), PerSecond.peakToMean(counts));
    }

    private static void appendHistogram(StringBuilder text, String what, Storm storm) {
        if (storm != null) {
            text.append("  ").append(what).append(':');
            for (int i = 0; i < Math.min(SHOWN_SECONDS, storm.attempts().size()); i++) {
                text.append(i > 0 && i % IN_A_LINE == 0 ? "\n   " : "")
                        .append(' ')
                        .append(storm.attempts().get(i));
            }
            text.append('\n');
        }
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
