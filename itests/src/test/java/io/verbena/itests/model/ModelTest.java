package io.verbena.itests.model;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two mounts of our own server behave like the model in memory, step by step: {@link Driver} describes the rules. A
 * build runs some thousands of steps. This command runs a million for each pair of mounts:
 *
 * <pre>
 * mvn -q -pl itests -am verify -Dtest=ModelTest -Dit.test=none -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dfailsafe.failIfNoSpecifiedTests=false -Dverbena.model.steps=1000000 -Dtest.timeout=8h -Dtest.fork.seconds=0
 * </pre>
 *
 * <p>A failure names the seed and the steps that repeat it. {@code -Dverbena.model.kinds} takes names of {@link Kind}
 * and {@code -Dverbena.model.doors} names of {@link DoorKind} to restrict a run:
 * {@code -Dverbena.model.doors=CHANNEL -Dverbena.model.kinds=OPEN,WRITE,POSITION -Dverbena.model.mounts=1} looks for
 * writes of a channel that overtake one another.
 */
class ModelTest {
    private static final int STEPS = 1000;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "rpcrdma=1, rpcrdma=1",
        "'rpcrdma=2,rsize=4096,wsize=4096', rpcrdma=2",
        "'rpcrdma=1,delegations=off,rsize=8192,wsize=8192', 'rpcrdma=2,slots=2,wsize=1024'",
    })
    void shouldDoWhatTheModelDoes(String one, String other) throws Exception {
        Plan plan = Plan.of(STEPS);
        System.out.println("ModelTest: " + plan);
        try (MountPair pair = new EmbeddedMountPair(folder, plan.seed(), one, other)) {
            new Driver(plan, pair).drive();
        }
    }
}
