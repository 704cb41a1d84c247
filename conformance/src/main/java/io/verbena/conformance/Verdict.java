package io.verbena.conformance;

/**
 * What became of an edit.
 *
 * @param detail of a test that failed, the reason
 */
record Verdict(Kind kind, String detail) {
    enum Kind {
        /** The test failed. */
        KILLED,
        /** The test passed. */
        SURVIVED,
        /** Nothing can be told: the edit does not apply or compile, or the test fails without it. */
        INVALID
    }

    @Override
    public String toString() {
        return kind + (detail.isEmpty() ? "" : " " + detail);
    }
}
