package io.verbena.nfs.transfer;

import java.util.List;

/**
 * The result of comparing two directories.
 *
 * @param differences the steps that would make the second directory like the first one, including removals
 * @param unchanged the number of files that are equal in both directories
 * @param skipped the objects that are not files, directories or symbolic links, and that were not compared
 * @param failed the objects that could not be compared
 */
public record Check(List<CopyStep> differences, long unchanged, List<String> skipped, List<CopyFailure> failed) {
    public Check {
        differences = List.copyOf(differences);
        skipped = List.copyOf(skipped);
        failed = List.copyOf(failed);
    }

    /** Returns whether every object was compared and found equal. */
    public boolean isSame() {
        return differences.isEmpty() && skipped.isEmpty() && failed.isEmpty();
    }
}
