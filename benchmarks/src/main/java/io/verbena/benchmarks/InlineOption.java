package io.verbena.benchmarks;

import java.util.Map;

/** The inline threshold of both ends in octets, by the system property {@code verbena.benchmark.inline}. */
final class InlineOption {
    static final String PROPERTY = "verbena.benchmark.inline";

    private InlineOption() {}

    /** A further option of a transport, or none where the property is not set. */
    static Map<String, String> ofTransport() {
        String octets = System.getProperty(PROPERTY);
        return octets == null ? Map.of() : Map.of("inline", octets);
    }

    /** {@code options} of a mount, and the inline threshold where the property is set. */
    static String behind(String options) {
        String octets = System.getProperty(PROPERTY);
        return octets == null ? options : options + ",inline=" + octets;
    }
}
