package io.verbena.nfs;

import java.util.Collection;
import java.util.Optional;

/** What somebody may have meant who named something that there is not. */
public final class NearestName {
    private static final int LETTERS_A_CHANGE = 3;

    private NearestName() {}

    /**
     * The known name that takes the fewest changes to make of the given one; the first of several.
     *
     * @return empty where none is known
     */
    public static Optional<String> of(String given, Collection<String> known) {
        String best = null;
        int least = Integer.MAX_VALUE;
        for (String name : known) {
            int distance = distance(given, name);
            if (distance < least) {
                least = distance;
                best = name;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Whether one may have been meant by the other: at most a third of the longer one is to be changed. */
    public static boolean areAlike(String a, String b) {
        return distance(a, b) * LETTERS_A_CHANGE <= Math.max(a.length(), b.length());
    }

    /** The fewest insertions, removals and replacements of a character that make one word of the other. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
