package io.verbena.conformance;

import java.nio.file.Path;
import java.util.SortedSet;

/**
 * A test that claims to prove requirements.
 *
 * @param module the folder of the test's module
 * @param ids the requirements
 * @param needs JUnit's tags of the test: its needs besides a JDK and Maven, because of which not every build runs it
 */
record Proof(TestName test, Path module, SortedSet<String> ids, SortedSet<String> needs) {
    boolean isInEveryBuild() {
        return needs.isEmpty();
    }

    /** @return the test's short name and its needs */
    String label() {
        return isInEveryBuild() ? test.shortName() : test.shortName() + " (" + String.join(", ", needs) + ")";
    }
}
