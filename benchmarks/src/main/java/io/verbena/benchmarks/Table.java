package io.verbena.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The results of all rounds: medians, and the median of the ratios to a baseline of the same round. */
final class Table {
    private final List<Row> rows = new ArrayList<>();

    private record Row(Case subject, Case baseline, String value, String ratio, String target) {}

    void add(Case subject, Case baseline, double[] values, double[] baselineValues, String target) {
        double[] ratios = new double[values.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = values[i] / baselineValues[i];
        }
        boolean isBaseline = subject == baseline;
        rows.add(new Row(subject, baseline, value(subject, median(values)), isBaseline ? "" : spread(ratios), target));
    }

    void print() {
        System.out.println("| what | median | against | ratio: median (least to most) | target |");
        System.out.println("|---|---|---|---|---|");
        for (Row row : rows) {
            String against = row.subject == row.baseline ? "" : row.baseline.name();
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %s | %s | %s | %s |%n",
                    row.subject.name(),
                    row.value,
                    against,
                    row.ratio,
                    row.target);
        }
    }

    static String value(Case subject, double value) {
        return subject.inOctets()
                ? String.format(Locale.ROOT, "%.2f GB/s", value / 1e9)
                : String.format(Locale.ROOT, "%.1f k/s", value / 1e3);
    }

    static String spread(double[] ratios) {
        double[] sorted = ratios.clone();
        Arrays.sort(sorted);
        return String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", median(ratios), sorted[0], sorted[sorted.length - 1]);
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
