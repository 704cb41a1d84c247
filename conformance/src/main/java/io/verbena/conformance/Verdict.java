package io.verbena.conformance;

/**
 * The result of a mutation.
 *
 * @param detail the reason of a failed test
 */
record Verdict(Kind kind, String detail) {
    enum Kind {
        /** The test failed. */
        KILLED,
        /** The test passed. */
        SURVIVED,
        /** No result: the edit does not apply or compile, or the test fails without it. */
        INVALID
    }

    @Override
    public String toString() {
        return kind + (detail.isEmpty() ? "" : " " + detail);
    }
}
