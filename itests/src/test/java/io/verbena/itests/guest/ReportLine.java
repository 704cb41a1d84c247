package io.verbena.itests.guest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import java.util.Optional;

/**
 * The outcome of one test, sent from the guest as one line of text.
 *
 * @param name the name of the test within its class
 * @param details the stack trace of a failure, the reason of an omission; empty otherwise
 */
public record ReportLine(Status status, String name, String details) {
    /** The kinds of line. */
    public enum Status {
        BEGUN,
        PASSED,
        FAILED,
        SKIPPED
    }

    private static final String MARK = "@test";

    /** Parses a line; empty for output of the tests themselves. */
    public static Optional<ReportLine> parse(String line) {
        String[] fields = line.split(" ", -1);
        if (fields.length != 4 || !fields[0].equals(MARK)) {
            return Optional.empty();
        }
        return Optional.of(new ReportLine(Status.valueOf(fields[1]), decode(fields[2]), decode(fields[3])));
    }

    private static String decode(String text) {
        return new String(Base64.getDecoder().decode(text), UTF_8);
    }

    String format() {
        return String.join(" ", MARK, status.name(), encode(name), encode(details));
    }

    private static String encode(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
