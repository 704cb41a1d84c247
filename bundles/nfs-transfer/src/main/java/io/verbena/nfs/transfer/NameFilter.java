package io.verbena.nfs.transfer;

import io.verbena.text.Globs;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Selects the files of a tree to copy. An exclusion leaves out every object that it matches, and a directory with
 * everything in it. If there are inclusions, a file is copied only if at least one inclusion matches it as well. The
 * order of the patterns does not matter.
 *
 * <p>A pattern without a slash is compared with the last name of the path. A pattern with a slash is compared with the
 * path from the top of the copied directory. {@code *} and {@code ?} match any characters but a slash, {@code **}
 * matches any characters, {@code [a-z]} matches one character of the range, and {@code {a,b}} matches one of the
 * alternatives. Immutable.
 */
public final class NameFilter {
    /** A filter that selects every file. */
    public static final NameFilter ALL = new NameFilter(List.of(), List.of());

    private final List<Glob> includes;
    private final List<Glob> excludes;

    private record Glob(Pattern pattern, boolean isPath) {
        static Glob of(String text) {
            String plain = text.startsWith("/") ? text.substring(1) : text;
            String ended = plain.endsWith("/") ? plain.substring(0, plain.length() - 1) : plain;
            return new Glob(Globs.pattern(ended), text.startsWith("/") || ended.indexOf('/') >= 0);
        }

        boolean matches(String path) {
            return pattern.matcher(isPath ? path : path.substring(path.lastIndexOf('/') + 1))
                    .matches();
        }
    }

    /**
     * Creates a filter.
     *
     * @param includes the patterns of files to copy; empty to copy every file
     * @param excludes the patterns of files and directories to leave out
     * @throws IllegalArgumentException if a pattern is malformed
     */
    public NameFilter(List<String> includes, List<String> excludes) {
        this.includes = includes.stream().map(Glob::of).toList();
        this.excludes = excludes.stream().map(Glob::of).toList();
    }

    /** Returns whether the filter has inclusions. A copy then leaves out directories in which no file is selected. */
    public boolean isSelective() {
        return !includes.isEmpty();
    }

    /**
     * Returns whether a file is selected, or whether a directory is searched.
     *
     * @param path the path from the top of the copied directory
     * @param isDirectory whether the path is a directory
     */
    public boolean takes(String path, boolean isDirectory) {
        if (excludes.stream().anyMatch(glob -> glob.matches(path))) {
            return false;
        }
        return isDirectory || includes.isEmpty() || includes.stream().anyMatch(glob -> glob.matches(path));
    }
}
