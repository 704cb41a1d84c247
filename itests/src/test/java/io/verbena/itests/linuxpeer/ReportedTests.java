package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbena.itests.TimeLimit;
import io.verbena.itests.guest.ReportLine;
import io.verbena.itests.guest.ReportLine.Status;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.TestAbortedException;

/** The tests that another JVM runs by {@link io.verbena.itests.guest.GuestRunner}, as tests of this one. */
final class ReportedTests {
    /** Before the exit status of that JVM, which its command prints last. */
    static final String EXIT_STATUS = "exit status ";

    private static final Duration START_AND_END = Duration.ofSeconds(20);

    private ReportedTests() {}

    /**
     * Waits for the end of the other JVM.
     *
     * @param limit the time limit of all tests together
     * @param place where the JVM runs
     * @return a test for each test that ran there, with the same outcome
     */
    static Stream<DynamicTest> of(Process java, Duration limit, String place) throws IOException {
        List<String> printed = new ArrayList<>();
        Map<String, ReportLine> reports = new LinkedHashMap<>();
        try (TimeLimit end = TimeLimit.on(java, limit.plus(START_AND_END));
                BufferedReader lines = new BufferedReader(new InputStreamReader(java.getInputStream(), UTF_8))) {
            // wait for the last line instead of the end of the stream, since ssh's master connection may hold the
            // stream open
            for (String line = lines.readLine(); line != null; line = isLast(printed) ? null : lines.readLine()) {
                Optional<ReportLine> report = ReportLine.parse(line);
                if (report.isPresent()) {
                    reports.put(report.get().name(), report.get());
                } else {
                    printed.add(line);
                }
            }
            if (end.isExceeded()) {
                printed.add("no end after " + limit.toSeconds() + " s");
            }
        }
        return Stream.concat(
                Stream.of(DynamicTest.dynamicTest("ran " + place, () -> check(reports, printed, place))),
                reports.values().stream().map(report -> DynamicTest.dynamicTest(report.name(), () -> repeat(report))));
    }

    private static boolean isLast(List<String> printed) {
        return !printed.isEmpty() && printed.get(printed.size() - 1).startsWith(EXIT_STATUS);
    }

    private static void check(Map<String, ReportLine> reports, List<String> printed, String place) {
        boolean ended = !printed.isEmpty() && printed.get(printed.size() - 1).equals(EXIT_STATUS + "0");
        boolean ran = reports.values().stream().anyMatch(report -> report.status() == Status.PASSED);
        if (!ended || !ran) {
            throw new AssertionError((ended ? "no test passed: " : "the JVM " + place + " did not end well: ")
                    + String.join("\n", printed));
        }
    }

    private static void repeat(ReportLine report) {
        switch (report.status()) {
            case PASSED -> {}
            case SKIPPED -> throw new TestAbortedException(report.details());
            case FAILED -> throw new AssertionError(report.name() + ": " + report.details());
            case BEGUN -> throw new AssertionError(report.name() + " did not end");
        }
    }
}
