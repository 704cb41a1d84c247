package io.verbena.conformance;

import java.nio.file.Path;
import java.util.SortedSet;

/**
 * A test that says it proves requirements.
 *
 * @param module folder of the module whose test it is
 * @param ids the requirements
 * @param needs JUnit's tags of the test: what it takes besides a JDK and Maven, so that not every build runs it
 */
record Proof(TestName test, Path module, SortedSet<String> ids, SortedSet<String> needs) {
    boolean isInEveryBuild() {
        return needs.isEmpty();
    }

    /** @return the test's short name, and what it needs */
    String label() {
        return isInEveryBuild() ? test.shortName() : test.shortName() + " (" + String.join(", ", needs) + ")";
    }
}
