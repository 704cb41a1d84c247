package io.verbena.itests.guest;

import io.verbena.itests.guest.ReportLine.Status;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
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
 * Runs test classes where there is no Maven, and tells of each test on standard output, in {@link ReportLine}s, as it
 * begins and ends. Arguments: the names of the classes, or {@code CLASS#METHOD}.
 */
public final class GuestRunner implements TestExecutionListener {
    private static final int ENGINE_AND_CLASS = 2;

    private final PrintStream out;
    private TestPlan plan;

    private GuestRunner(PrintStream out) {
        this.out = out;
    }

    @SuppressWarnings("SystemOut") // a program
    public static void main(String[] classes) {
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(Arrays.stream(classes).map(GuestRunner::selector).toList())
                .build();
        LauncherFactory.create().execute(request, new GuestRunner(System.out));
        System.exit(0); // whatever threads a failed test has left
    }

    private static DiscoverySelector selector(String name) {
        return name.contains("#") ? DiscoverySelectors.selectMethod(name) : DiscoverySelectors.selectClass(name);
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
            case FAILED -> tell(Status.FAILED, test, stackTrace(result)); // of a class, too
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
        String name = String.join(", ", names.stream().skip(ENGINE_AND_CLASS).toList());
        out.println(new ReportLine(status, name.isEmpty() ? names.getLast() : name, details).format());
    }
}
