package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The transport never waits without a bound (docs/architecture.md, Waits of the transport). */
final class TransportWaitsTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.verbena.rpcrdma.dispatcher", "io.verbena.verbs");

    /** Methods that wait without a bound when they are called without arguments. */
    private static final Map<Class<?>, Set<String>> WITHOUT_END = Map.of(
            Object.class, Set.of("wait"),
            Thread.class, Set.of("join"),
            CountDownLatch.class, Set.of("await"),
            Condition.class, Set.of("await", "awaitUninterruptibly"),
            Future.class, Set.of("get", "join"),
            BlockingQueue.class, Set.of("take"),
            Semaphore.class, Set.of("acquire", "acquireUninterruptibly"),
            LockSupport.class, Set.of("park"));

    /** Methods that call them all the same, and the reason why the wait ends. */
    private static final Map<String, String> BOUNDED_OTHERWISE = Map.of(
            "io.verbena.verbs.natives.internal.memory.NativeRegion.awaitEnded", "our own thread in a driver call",
            "io.verbena.verbs.trace.internal.EventQueue.take", "the writer of a trace, until the trace is closed");

    private static boolean isWithoutEnd(JavaMethodCall call) {
        return call.getTarget().getRawParameterTypes().isEmpty()
                && WITHOUT_END.entrySet().stream()
                        .anyMatch(each ->
                                each.getValue().contains(call.getTarget().getName())
                                        && call.getTargetOwner().isAssignableTo(each.getKey()));
    }

    @Test
    void shouldWaitForNothingWithoutABound() {
        Set<String> found = CLASSES.stream()
                .flatMap(type -> type.getMethodCallsFromSelf().stream())
                .filter(TransportWaitsTest::isWithoutEnd)
                .map(call ->
                        call.getOriginOwner().getName() + "." + call.getOrigin().getName())
                .collect(Collectors.toSet());
        assertThat(found).isEqualTo(BOUNDED_OTHERWISE.keySet());
    }
}
