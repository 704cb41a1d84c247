package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbena.itests.TimeLimit;
import io.verbena.itests.guest.GuestRunner;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.TestAbortedException;

/** Runs test classes of this module in a guest, with the libraries that the build has collected. */
final class GuestJvm {
    /** The name of the provider that uses the guest's devices. */
    static final String DEVICES = "native";

    /** Only the client compiler: under emulation, the other compiler costs more time than it saves. */
    static final String OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+ErrorFileToStdout";

    private static final String CLASS_PATH = LinuxGuest.PROJECT + "/itests/target/test-classes:" + LinuxGuest.PROJECT
            + "/itests/target/linux-peer/lib/*";
    private static final String EXIT_STATUS = "exit status ";
    private static final Duration START_AND_END = Duration.ofSeconds(20);

    private final LinuxGuest guest;
    private final Map<String, String> properties = new LinkedHashMap<>();

    GuestJvm(LinuxGuest guest) {
        this.guest = guest;
        with("verbena.contract.seconds", "60"); // steps that take a moment here take seconds in the guest
        with("verbena.contract.bulk", "4");
        with("junit.jupiter.execution.timeout.testable.method.default", "100 s");
        with("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    }

    /** Sets a system property of the JVM. */
    GuestJvm with(String property, String value) {
        properties.put(property, value);
        return this;
    }

    /**
     * Runs tests.
     *
     * @param limit the time limit of all tests together
     * @param arguments arguments of {@link GuestRunner}, without characters that are special to a shell
     * @return a test for each test that ran in the guest, with the same outcome
     */
    Stream<DynamicTest> run(Duration limit, List<String> arguments) throws IOException {
        List<String> printed = new ArrayList<>();
        Map<String, ReportLine> reports = new LinkedHashMap<>();
        Process java = guest.start(command(limit, arguments));
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
                Stream.of(DynamicTest.dynamicTest("ran in the guest", () -> check(reports, printed))),
                reports.values().stream().map(report -> DynamicTest.dynamicTest(report.name(), () -> repeat(report))));
    }

    private static boolean isLast(List<String> printed) {
        return !printed.isEmpty() && printed.get(printed.size() - 1).startsWith(EXIT_STATUS);
    }

    private String command(Duration limit, List<String> arguments) {
        String settings = properties.entrySet().stream()
                .map(each -> "'-D" + each.getKey() + "=" + each.getValue() + "'")
                .collect(Collectors.joining(" "));
        // one arena, so that new threads reuse memory that ended threads have freed
        return "cd /tmp && MALLOC_ARENA_MAX=1 timeout -s KILL " + limit.toSeconds() + " java " + OPTIONS
                + " -ea -Xms96m -Xmx96m -XX:+AlwaysPreTouch -XX:MaxDirectMemorySize=512m " + settings + " -cp '"
                + CLASS_PATH + "' "
                + GuestRunner.class.getName() + " " + String.join(" ", arguments) + "; echo '" + EXIT_STATUS + "'$?";
    }

    private static void check(Map<String, ReportLine> reports, List<String> printed) {
        boolean ended = !printed.isEmpty() && printed.get(printed.size() - 1).equals(EXIT_STATUS + "0");
        boolean ran = reports.values().stream().anyMatch(report -> report.status() == Status.PASSED);
        if (!ended || !ran) {
            throw new AssertionError((ended ? "no test passed: " : "the JVM in the guest did not end well: ")
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
