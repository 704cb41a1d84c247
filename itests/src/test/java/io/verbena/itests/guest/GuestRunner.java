package io.verbena.itests.guest;

import io.verbena.itests.guest.ReportLine.Status;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes without Maven, and prints a {@link ReportLine} to standard output when a test begins and ends.
 * Arguments, in their order: {@code NAME=VALUE} sets a system property, {@code CLASS} or {@code CLASS#METHOD} runs
 * tests, whose names begin with the system property {@code verbena.contract.run}, if that is set.
 */
public final class GuestRunner implements TestExecutionListener {
    private static final int ENGINE_AND_CLASS = 2;

    private final PrintStream out;
    private TestPlan plan;

    private GuestRunner(PrintStream out) {
        this.out = out;
    }

    @SuppressWarnings("SystemOut") // a program
    public static void main(String[] arguments) {
        GuestRunner runner = new GuestRunner(System.out);
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals < 0) {
                runner.run(argument);
            } else {
                System.setProperty(argument.substring(0, equals), argument.substring(equals + 1));
            }
        }
        System.exit(0); // ends threads that a failed test has left
    }

    private void run(String tests) {
        DiscoverySelector selector =
                tests.contains("#") ? DiscoverySelectors.selectMethod(tests) : DiscoverySelectors.selectClass(tests);
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selector)
                                .build(),
                        this);
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (test.isTest()) {
            tell(Status.BEGUN, test, "");
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        tell(Status.SKIPPED, test, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    tell(Status.PASSED, test, "");
                }
            }
            case ABORTED -> tell(Status.SKIPPED, test, stackTrace(result));
            case FAILED -> tell(Status.FAILED, test, stackTrace(result)); // also the failure of a class
        }
    }

    private static String stackTrace(TestExecutionResult result) {
        StringWriter text = new StringWriter();
        result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(new PrintWriter(text)));
        return text.toString();
    }

    private void tell(Status status, TestIdentifier test, String details) {
        Deque<String> names = new ArrayDeque<>();
        for (Optional<TestIdentifier> each = Optional.of(test); each.isPresent(); each = plan.getParent(each.get())) {
            names.addFirst(each.get().getDisplayName());
        }
        List<String> parts = new ArrayList<>();
        Optional.ofNullable(System.getProperty("verbena.contract.run")).ifPresent(parts::add);
        names.stream().skip(ENGINE_AND_CLASS).forEach(parts::add);
        String name = String.join(", ", parts);
        out.println(new ReportLine(status, name.isEmpty() ? names.getLast() : name, details).format());
    }
}
