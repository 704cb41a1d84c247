package io.verbena.simulation;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What {@code simulation/run} is asked for.
 *
 * @param first the lowest seed
 * @param last the highest seed
 * @param minutes how long worlds are begun
 * @param isTimed whether the minutes were given: seeds may be left then
 * @param jobs how many worlds run at a time
 * @param isTold whether the story of the world is told, which is one then
 * @param isShrunk whether it is told with as few faults as it fails by
 */
record RunOptions(long first, long last, long minutes, boolean isTimed, int jobs, boolean isTold, boolean isShrunk) {
    static final String USAGE =
            "usage: simulation/run --seeds A..B [--minutes N] [--jobs N] | --story SEED | --shrink SEED";

    private static final List<String> WHAT = List.of("--seeds", "--story", "--shrink");
    private static final long MOST_SEED = 999_999_999_999_999_999L;
    private static final long MOST_MINUTES = 1_000_000;
    private static final long MOST_JOBS = 1024;

    /** @throws IllegalArgumentException where it is not clear what to run; the message tells why */
    static RunOptions of(String... arguments) {
        Map<String, String> options = new TreeMap<>();
        for (int at = 0; at < arguments.length; at += 2) {
            if (!arguments[at].matches("--(seeds|minutes|jobs|story|shrink)")) {
                throw new IllegalArgumentException("unknown: " + arguments[at]);
            }
            if (at + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[at] + " needs a value");
            }
            if (options.put(arguments[at], arguments[at + 1]) != null) {
                throw new IllegalArgumentException(arguments[at] + " is given twice");
            }
        }
        List<String> what = WHAT.stream().filter(options::containsKey).toList();
        if (what.size() != 1) {
            throw new IllegalArgumentException(
                    what.isEmpty() ? "what to run?" : String.join(" and ", what) + " exclude each other");
        }
        return what.get(0).equals("--seeds") ? seeds(options) : story(what.get(0), options);
    }

    private static RunOptions story(String what, Map<String, String> options) {
        if (options.size() > 1) {
            throw new IllegalArgumentException(what + " has no other option");
        }
        long seed = number(what, options.get(what), 0, MOST_SEED);
        return new RunOptions(seed, seed, MOST_MINUTES, false, 1, true, what.equals("--shrink"));
    }

    private static RunOptions seeds(Map<String, String> options) {
        String[] range = options.get("--seeds").split("\\.\\.", -1);
        if (range.length > 2) {
            throw new IllegalArgumentException("seeds are A..B");
        }
        long first = number("--seeds", range[0], 0, MOST_SEED);
        long last = number("--seeds", range[range.length - 1], 0, MOST_SEED);
        if (first > last) {
            throw new IllegalArgumentException("no seed is in " + first + ".." + last);
        }
        boolean isTimed = options.containsKey("--minutes");
        long minutes = isTimed ? number("--minutes", options.get("--minutes"), 1, MOST_MINUTES) : MOST_MINUTES;
        long jobs = options.containsKey("--jobs")
                ? number("--jobs", options.get("--jobs"), 1, MOST_JOBS)
                : Runtime.getRuntime().availableProcessors();
        return new RunOptions(first, last, minutes, isTimed, (int) jobs, false, false);
    }

    private static long number(String option, String text, long least, long most) {
        if (!text.matches("[0-9]{1,18}")) {
            throw new IllegalArgumentException(option + ": no number: " + text);
        }
        long number = Long.parseLong(text);
        if (number < least || number > most) {
            throw new IllegalArgumentException(option + " is " + least + " to " + most + ", and not " + number);
        }
        return number;
    }

    long seeds() {
        return last - first + 1;
    }
}
