package io.verbena.nfs41.client.internal;

import java.util.ArrayList;
import java.util.List;

/** Paths as lists of steps: names, and {@code ..} where it has to be followed on the server. */
final class PathSteps {
    private static final String UP = "..";

    private PathSteps() {}

    /** The components of a path without empty ones and {@code .}. */
    static List<String> split(String path) {
        List<String> steps = new ArrayList<>();
        for (String component : path.split("/", -1)) {
            if (!component.isEmpty() && !component.equals(".")) {
                steps.add(component);
            }
        }
        return steps;
    }

    /** Drops every {@code ..} that would lead above where the steps start. */
    static List<String> contain(List<String> steps) {
        List<String> contained = new ArrayList<>(steps.size());
        int depth = 0;
        for (String step : steps) {
            if (!isUp(step)) {
                depth++;
                contained.add(step);
            } else if (depth > 0) {
                depth--;
                contained.add(step);
            }
        }
        return contained;
    }

    /** Puts what a symbolic link holds in its place: {@code steps[index]}. An absolute text starts at the export. */
    static List<String> replaceLink(List<String> steps, int index, String text) {
        List<String> replaced = new ArrayList<>();
        if (!text.startsWith("/")) {
            replaced.addAll(steps.subList(0, index));
        }
        replaced.addAll(split(text));
        replaced.addAll(steps.subList(index + 1, steps.size()));
        return replaced;
    }

    static boolean isUp(String step) {
        return step.equals(UP);
    }
}
