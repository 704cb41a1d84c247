package io.verbena.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Records the outcome of each test with {@link Proves}, in {@code target/conformance} of the module whose tests run.
 * The platform finds the listener by {@link java.util.ServiceLoader}. A test with several invocations counts as one
 * test, which passes if all of them pass. Nothing is recorded outside of a build.
 */
public final class ProofListener implements TestExecutionListener {
    private final Path directory;
    private final Map<String, Outcome> finished = new ConcurrentHashMap<>();
    private TestPlan plan;

    /** Records in the module that surefire or failsafe names. */
    public ProofListener() {
        this(moduleDirectory());
    }

    ProofListener(Path directory) {
        this.directory = directory;
    }

    private static Path moduleDirectory() {
        String module = System.getProperty("basedir"); // surefire and failsafe set it, an IDE does not
        return module == null ? null : Path.of(module, "target", "conformance");
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
        finished.clear();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        finished.put(test.getUniqueId(), outcome(result));
        recordClass(test);
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        finished.put(test.getUniqueId(), Outcome.NOT_RUN);
        recordClass(test);
    }

    private static Outcome outcome(TestExecutionResult result) {
        return switch (result.getStatus()) {
            case SUCCESSFUL -> Outcome.PASSED;
            case ABORTED -> Outcome.NOT_RUN;
            case FAILED -> Outcome.FAILED;
        };
    }

    private void recordClass(TestIdentifier container) {
        if (directory == null || !(container.getSource().orElse(null) instanceof ClassSource)) {
            return;
        }
        Outcome ofClass = finished.get(container.getUniqueId());
        Map<String, Map<TestName, Outcome>> byClass = new HashMap<>();
        for (TestIdentifier test : plan.getDescendants(container)) {
            proof(test).ifPresent(source -> {
                TestName name = new TestName(source.getClassName(), source.getMethodName());
                // methods that a class runs after its last test can fail, too
                byClass.computeIfAbsent(name.className(), key -> new TreeMap<>())
                        .merge(name, ofClass.worst(outcome(test)), Outcome::worst);
            });
        }
        byClass.forEach(this::write);
    }

    /**
     * The outcome of a test or container. A test without an outcome was not begun; a container without executed tests
     * has not run.
     */
    private Outcome outcome(TestIdentifier test) {
        boolean empty = test.isContainer() && plan.getChildren(test).isEmpty();
        return empty && finished.get(test.getUniqueId()) != Outcome.FAILED
                ? Outcome.NOT_RUN
                : finished.getOrDefault(test.getUniqueId(), Outcome.NOT_RUN);
    }

    private static Optional<MethodSource> proof(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        if (source instanceof MethodSource method
                && (AnnotationSupport.isAnnotated(method.getJavaMethod(), Proves.class)
                        || AnnotationSupport.isAnnotated(method.getJavaClass(), Proves.class))) {
            return Optional.of(method);
        }
        return Optional.empty();
    }

    private void write(String className, Map<TestName, Outcome> outcomes) {
        try {
            Results.add(directory, className, outcomes);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot record how " + className + " went", e);
        }
    }
}
