package io.verbena.nfs.transfer.internal.tree;

import io.verbena.nfs.FileType;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** Creates the names of temporary files, directories and links that a copy places beside their final names. */
public final class HiddenNames {
    private static final String START = ".verbena-";
    private static final String LINK = ".link";
    private static final String DIRECTORY = ".dir";
    private static final Pattern PASSING = Pattern.compile("\\.verbena-[0-9a-f]{16}\\.(tmp\\.part|link|dir)");
    private static final Pattern PART = Pattern.compile("\\.verbena-[0-9a-f]{16}((\\.tmp)?\\.part|\\.sums)");

    private HiddenNames() {}

    /** Returns the name of a temporary file that is removed when its copy fails. */
    public static String passing(RandomGenerator random) {
        return passing(random.nextLong());
    }

    /** Returns the name of a temporary file that is removed when its copy fails, with a given number. */
    public static String passing(long number) {
        return String.format(START + "%016x.tmp.part", number);
    }

    /** Returns whether a name belongs to a temporary file, link or directory that is removed when its copy fails. */
    public static boolean isPassing(String name) {
        return PASSING.matcher(name).matches();
    }

    /** Returns whether an object is of the type that its name, one of {@link #isPassing}, says. */
    public static boolean isPassing(String name, FileType type) {
        return isPassing(name)
                && type
                        == (name.endsWith(LINK)
                                ? FileType.SYMBOLIC_LINK
                                : name.endsWith(DIRECTORY) ? FileType.DIRECTORY : FileType.REGULAR);
    }

    /** Returns whether an object is the temporary object or the journal of a copy, also of an interrupted one. */
    public static boolean isTemporary(String name, FileType type) {
        return isPassing(name, type)
                || (type == FileType.REGULAR && PART.matcher(name).matches());
    }

    /** Returns whether a name can be one of a temporary object, which a server must not list as one to copy. */
    public static boolean isReserved(String name) {
        return name.startsWith(START);
    }

    /** Returns the name, without its suffix, of a temporary file that a later copy continues. */
    public static String resumable(String digest) {
        return START + digest;
    }

    /** Returns the name of a link that is renamed over another object. */
    public static String replacingLink(RandomGenerator random) {
        return String.format(START + "%016x" + LINK, random.nextLong());
    }

    /** Returns the name of a directory that is renamed to the name of another object. */
    public static String replacingDirectory(RandomGenerator random) {
        return String.format(START + "%016x" + DIRECTORY, random.nextLong());
    }
}
