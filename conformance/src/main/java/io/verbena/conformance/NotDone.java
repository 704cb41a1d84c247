package io.verbena.conformance;

import java.util.List;

/**
 * Why no test proves a requirement that is no option: a row of {@code not-done.tsv}.
 *
 * @param state one of {@link #STATES}
 */
record NotDone(String state, String reason) {
    /** It speaks of something that is not there, or it is not kept or not proved. */
    static final List<String> STATES = List.of("not applicable", "not done");
}
