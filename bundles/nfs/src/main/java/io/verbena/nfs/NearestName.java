package io.verbena.nfs;

import java.util.Collection;
import java.util.Optional;

/** Finds the known name that is nearest to an unknown one. */
public final class NearestName {
    private static final int LETTERS_A_CHANGE = 3;

    private NearestName() {}

    /**
     * The known name with the fewest edits from the given one; of several, the first.
     *
     * @return empty if there are no known names
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

    /**
     * Whether two names are so similar that one may be a misspelling of the other: the edits are at most a third of the
     * longer name.
     */
    public static boolean areAlike(String a, String b) {
        return distance(a, b) * LETTERS_A_CHANGE <= Math.max(a.length(), b.length());
    }

    /** The smallest number of inserted, removed and replaced characters that makes one name from the other. */
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
