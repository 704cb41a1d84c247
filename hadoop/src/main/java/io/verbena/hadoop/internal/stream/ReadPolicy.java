package io.verbena.hadoop.internal.stream;

import java.util.Locale;

/** Whether a stream reads ahead. */
public enum ReadPolicy {
    /** Reads ahead until the stream is read backwards. */
    ADAPTIVE,
    /** Reads ahead. */
    SEQUENTIAL,
    /** Reads what is asked for. */
    RANDOM;

    /**
     * The first policy of a list that is known here.
     *
     * @param list the policies of {@code fs.option.openfile.read.policy}, separated by commas
     * @param fallback for a list without a known one, and for {@code default}
     */
    public static ReadPolicy of(String list, ReadPolicy fallback) {
        for (String each : list.split(",", -1)) {
            ReadPolicy policy =
                    switch (each.strip().toLowerCase(Locale.ROOT)) {
                        case "adaptive" -> ADAPTIVE;
                        case "sequential", "whole-file", "avro", "csv", "json" -> SEQUENTIAL;
                        case "random", "vector", "columnar", "parquet", "orc", "hbase" -> RANDOM;
                        case "default" -> fallback;
                        default -> null;
                    };
            if (policy != null) {
                return policy;
            }
        }
        return fallback;
    }
}
