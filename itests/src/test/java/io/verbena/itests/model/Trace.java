package io.verbena.itests.model;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last steps of a run. */
final class Trace {
    private static final int KEPT = Integer.getInteger("verbena.model.trace", 60);

    private final Deque<String> last = new ArrayDeque<>();
    private int step;

    int step() {
        return step;
    }

    void nextStep() {
        step++;
    }

    /** Adds a step that is about to be executed. */
    void add(String what) {
        last.add(step + ": " + what);
        if (last.size() > KEPT) {
            last.remove();
        }
    }

    @Override
    public String toString() {
        return String.join("\n", last);
    }
}
