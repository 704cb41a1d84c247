package io.verbena.openmetrics.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A strict reader of OpenMetrics text, version 1.0 (section "Text format" and the rules of each type): the order of
 * lines, units, suffixes, escapes, unique series, buckets.
 */
final class Exposition {
    private static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
    private static final Pattern METADATA = Pattern.compile("# (TYPE|UNIT|HELP) (" + NAME + ") ([^\\n]*)");
    private static final String LABEL = "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\\\\\"n])*\"";
    private static final Pattern SAMPLE = Pattern.compile(
            "(" + NAME + ")(?:\\{(" + LABEL + "(?:," + LABEL + ")*)?\\})? (-?[0-9.]+(?:[eE][-+]?[0-9]+)?|[+]Inf|NaN)");
    private static final Pattern ONE_LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Map<String, List<String>> SUFFIXES = Map.of(
            "counter", List.of("_total"),
            "gauge", List.of(""),
            "info", List.of("_info"),
            "stateset", List.of(""),
            "summary", List.of("", "_count", "_sum"),
            "histogram", List.of("_bucket", "_count", "_sum"));

    private final Map<String, String> types = new LinkedHashMap<>();
    private final Map<String, Double> samples = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();

    /** Reads a whole answer; an assertion fails where a line does not comply. */
    static Exposition parse(String text) {
        assertThat(text).endsWith("\n# EOF\n").doesNotContain("\r");
        Exposition parsed = new Exposition();
        String family = null;
        Set<String> closed = new HashSet<>();
        List<String> lines = text.lines().toList();
        for (String line : lines.subList(0, lines.size() - 1)) {
            Matcher metadata = METADATA.matcher(line);
            if (metadata.matches()) {
                if (!metadata.group(2).equals(family)) {
                    assertThat(closed.add(metadata.group(2)))
                            .as("a family is in one piece: %s", line)
                            .isTrue();
                    family = metadata.group(2);
                }
                parsed.readMetadata(metadata);
            } else {
                parsed.readSample(family, line);
            }
        }
        parsed.checkBuckets();
        return parsed;
    }

    private void readMetadata(Matcher line) {
        switch (line.group(1)) {
            case "TYPE" -> {
                assertThat(SUFFIXES).containsKey(line.group(3));
                types.put(line.group(2), line.group(3));
            }
            case "UNIT" -> assertThat(line.group(2)).endsWith("_" + line.group(3));
            default -> assertThat(line.group(3)).isNotBlank();
        }
    }

    private void readSample(String family, String line) {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as("%s", line).isTrue();
        String name = sample.group(1);
        assertThat(family).as("%s", line).isNotNull();
        assertThat(SUFFIXES.get(types.get(family)).stream().map(suffix -> family + suffix))
                .as("%s", line)
                .contains(name);
        names.add(name);
        TreeMap<String, String> labels = new TreeMap<>();
        Matcher label = ONE_LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
        while (label.find()) {
            String value =
                    label.group(2).replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\");
            assertThat(labels.put(label.group(1), value)).as("%s", line).isNull();
        }
        double value = Double.parseDouble(sample.group(3).replace("+Inf", "Infinity"));
        assertThat(samples.put(name + labels, value)).as("once: %s", line).isNull();
        if (types.get(family).equals("counter")) {
            assertThat(value).as("%s", line).isNotNegative().isFinite();
        }
    }

    /** The counts of buckets never fall, and the last one is the count of all. */
    private void checkBuckets() {
        Map<String, List<Double>> buckets = new LinkedHashMap<>();
        samples.forEach((key, value) -> {
            if (key.contains("_bucket{")) {
                String all = key.replaceFirst("_bucket\\{", "_count{").replaceFirst("(, )?le=[^,}]*(, (?=.))?", "$1");
                buckets.computeIfAbsent(all.replace(", }", "}"), name -> new ArrayList<>())
                        .add(value);
            }
        });
        buckets.forEach((count, values) -> {
            assertThat(values).as("%s", count).isSorted();
            assertThat(samples).containsKey(count);
            assertThat(values.get(values.size() - 1)).as("%s", count).isEqualTo(samples.get(count));
        });
    }

    /** Returns the names of all samples, with suffixes. */
    Set<String> names() {
        return names;
    }

    /** Returns all samples: names with their labels in order, as {@code name{a=b, c=d}}. */
    Map<String, Double> samples() {
        return samples;
    }

    double value(String sample) {
        assertThat(samples).containsKey(sample);
        return samples.get(sample);
    }
}
