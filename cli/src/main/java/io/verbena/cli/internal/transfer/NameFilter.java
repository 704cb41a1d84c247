package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.Globs;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Which files of a tree are copied. What an exclusion matches is left out, a directory with all that is in it; where
 * there are inclusions, a file is copied only if one of them matches it too. Their order does not matter.
 *
 * <p>A pattern without a slash is compared with the last name, one with a slash with the path from the top of the copied
 * directory. {@code *} and {@code ?} stand for anything but a slash, {@code **} for anything, {@code [a-z]} for one of
 * these, {@code {a,b}} for one or the other.
 */
public final class NameFilter {
    static final NameFilter ALL = new NameFilter(List.of(), List.of());

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
     * @throws IllegalArgumentException where one of them is no pattern
     */
    public NameFilter(List<String> includes, List<String> excludes) {
        this.includes = includes.stream().map(Glob::of).toList();
        this.excludes = excludes.stream().map(Glob::of).toList();
    }

    /** Whether directories in which nothing is taken are left out. */
    boolean isSelective() {
        return !includes.isEmpty();
    }

    /**
     * Whether something is taken, or gone through where it is a directory.
     *
     * @param path from the top of the copied directory
     */
    boolean takes(String path, boolean isDirectory) {
        if (excludes.stream().anyMatch(glob -> glob.matches(path))) {
            return false;
        }
        return isDirectory || includes.isEmpty() || includes.stream().anyMatch(glob -> glob.matches(path));
    }
}
