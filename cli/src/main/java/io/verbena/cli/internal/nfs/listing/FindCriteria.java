package io.verbena.cli.internal.nfs.listing;

import io.verbena.cli.Text;
import io.verbena.cli.internal.Quantities;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.text.Globs;
import java.time.Instant;
import java.util.function.LongPredicate;
import java.util.regex.Pattern;

/**
 * The criteria that a file must meet to be found; null matches every file.
 *
 * @param name the pattern of the last name
 * @param type the type of the file
 * @param size accepts the size in octets
 * @param newer the earliest time of modification
 */
record FindCriteria(Pattern name, FileType type, LongPredicate size, Instant newer) {
    /**
     * Parses the values of options, each of which may be null.
     *
     * @throws IllegalArgumentException if a value is invalid
     */
    static FindCriteria of(String name, String type, String size, String newer, Instant now) {
        return new FindCriteria(
                name == null ? null : Globs.pattern(name),
                type == null ? null : type(type),
                size == null ? null : size(size),
                newer == null ? null : Quantities.time("--newer", newer, now));
    }

    private static FileType type(String letter) {
        return switch (letter) {
            case "f" -> FileType.REGULAR;
            case "d" -> FileType.DIRECTORY;
            case "l" -> FileType.SYMBOLIC_LINK;
            default ->
                throw new IllegalArgumentException(
                        "--type " + Text.printable(letter) + ": it is f, d or l, for files, directories or links");
        };
    }

    private static LongPredicate size(String text) {
        boolean isSigned = text.startsWith("+") || text.startsWith("-");
        long bound = Quantities.octets("--size", isSigned ? text.substring(1) : text);
        if (!isSigned) {
            return octets -> octets == bound;
        }
        return text.startsWith("+") ? octets -> octets > bound : octets -> octets < bound;
    }

    boolean fits(String file, FileAttributes attributes) {
        return (type == null || attributes.type() == type)
                && (size == null || size.test(attributes.size()))
                && (newer == null || attributes.modified().isAfter(newer))
                && (name == null || name.matcher(file).matches());
    }
}
