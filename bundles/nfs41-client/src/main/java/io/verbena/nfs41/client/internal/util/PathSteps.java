package io.verbena.nfs41.client.internal.util;

import io.verbena.text.OctetText;
import java.util.ArrayList;
import java.util.List;

/** Paths as lists of steps: names, and {@code ..} where the server has to follow it (LOOKUPP). */
public final class PathSteps {
    public static final int MAX_LINKS = 40;

    private static final String UP = "..";

    private PathSteps() {}

    /** The components of a path without empty ones and {@code .}. See also {@link #endsWithDot}. */
    public static List<String> split(String path) {
        List<String> steps = new ArrayList<>();
        for (String component : path.split("/", -1)) {
            if (!component.isEmpty() && !component.equals(".")) {
                steps.add(component);
            }
        }
        return steps;
    }

    /** Whether the last component of a path is {@code .}: the path means a directory, by no name of its own. */
    public static boolean endsWithDot(String path) {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        boolean isDot = end > 0 && path.charAt(end - 1) == '.';
        return isDot && (end == 1 || path.charAt(end - 2) == '/');
    }

    /**
     * The last name of a candidate, where it is a name in the directory of a path by the text of both; else null.
     *
     * @param path whose last name does not matter
     */
    public static String nameInSameDirectory(String path, String candidate) {
        List<String> steps = split(path);
        List<String> others = split(candidate);
        int last = steps.size() - 1;
        boolean isSame = last >= 0
                && others.size() == steps.size()
                && steps.subList(0, last).equals(others.subList(0, last))
                && !isUp(others.get(last))
                && !endsWithDot(path)
                && !endsWithDot(candidate)
                && OctetText.isEncodable(others.get(last));
        return isSame ? others.get(last) : null;
    }

    /** Drops every {@code ..} that would lead above where the steps start. */
    public static List<String> contain(List<String> steps) {
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

    /**
     * Replaces {@code steps[index]}, a symbolic link, by the text of the link. An absolute text starts at the export.
     */
    public static List<String> replaceLink(List<String> steps, int index, String text) {
        List<String> replaced = new ArrayList<>();
        if (!text.startsWith("/")) {
            replaced.addAll(steps.subList(0, index));
        }
        replaced.addAll(split(text));
        replaced.addAll(steps.subList(index + 1, steps.size()));
        return replaced;
    }

    public static boolean isUp(String step) {
        return step.equals(UP);
    }
}
