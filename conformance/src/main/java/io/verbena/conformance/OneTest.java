package io.verbena.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.discovery.MethodSelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the tests with one name in a class. The exit status tells the outcome; the reason of a failure is printed. */
final class OneTest {
    static final int PASSED = 0;
    static final int FAILED = 10;
    static final int NONE_RAN = 11;
    private static final int LONGEST_REASON = 160;

    private OneTest() {}

    public static void main(String[] arguments) throws ClassNotFoundException {
        System.exit(run(Class.forName(arguments[0]), arguments[1]));
    }

    /** @return one of the statuses above; a test with several invocations passes if all of them pass */
    @SuppressWarnings("SystemOut") // a program
    static int run(Class<?> type, String test) {
        List<MethodSelector> selectors = new ArrayList<>();
        for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
            for (Method method : owner.getDeclaredMethods()) {
                if (method.getName().equals(test) && !method.isSynthetic()) {
                    selectors.add(selectMethod(type, method));
                }
            }
        }
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectors)
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        if (summary.getTotalFailureCount() > 0) {
            String reason = String.valueOf(summary.getFailures().get(0).getException());
            String line = reason.strip().replaceAll("\\s+", " ");
            System.out.println(line.substring(0, Math.min(line.length(), LONGEST_REASON)));
            return FAILED;
        }
        return summary.getTestsSucceededCount() > 0 ? PASSED : NONE_RAN;
    }
}
