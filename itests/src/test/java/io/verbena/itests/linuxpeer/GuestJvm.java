package io.verbena.itests.linuxpeer;

import io.verbena.itests.guest.GuestRunner;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** Runs test classes of this module in a guest, with the libraries that the build has collected. */
final class GuestJvm {
    /** The name of the provider that uses the guest's devices. */
    static final String DEVICES = "native";

    /** Only the client compiler: under emulation, the other compiler costs more time than it saves. */
    static final String OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+ErrorFileToStdout";

    private static final String CLASS_PATH = LinuxGuest.PROJECT + "/itests/target/test-classes:" + LinuxGuest.PROJECT
            + "/itests/target/linux-peer/lib/*";

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
        return ReportedTests.of(guest.start(command(limit, arguments)), limit, "in the guest");
    }

    private String command(Duration limit, List<String> arguments) {
        String settings = properties.entrySet().stream()
                .map(each -> "'-D" + each.getKey() + "=" + each.getValue() + "'")
                .collect(Collectors.joining(" "));
        // one arena, so that new threads reuse memory that ended threads have freed
        return "cd /tmp && MALLOC_ARENA_MAX=1 timeout -s KILL " + limit.toSeconds() + " java " + OPTIONS
                + " -ea -Xms96m -Xmx96m -XX:+AlwaysPreTouch -XX:MaxDirectMemorySize=512m " + settings + " -cp '"
                + CLASS_PATH + "' "
                + GuestRunner.class.getName() + " " + String.join(" ", arguments) + "; echo '"
                + ReportedTests.EXIT_STATUS + "'$?";
    }
}
