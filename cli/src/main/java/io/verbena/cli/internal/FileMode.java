package io.verbena.cli.internal;

import io.verbena.cli.Text;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A change of a mode in the syntax of chmod(1): octal digits, or clauses like {@code u+rwx,go-w}. */
public final class FileMode {
    private static final Pattern OCTAL = Pattern.compile("[0-7]{1,4}");
    private static final Pattern CLAUSE = Pattern.compile("([ugoa]*)((?:[-+=][rwxXst]*)+)");
    private static final Pattern CHANGE = Pattern.compile("([-+=])([rwxXst]*)");

    /** The bits that a clause without {@code ugoa} does not change. They correspond to the usual file creation mask. */
    private static final int MASK = 0_022;

    private static final int ALL_EXECUTE = 0_111;

    private final String text;

    private FileMode(String text) {
        this.text = text;
    }

    /**
     * Parses a change.
     *
     * @throws IllegalArgumentException if the text is not a mode
     */
    public static FileMode parse(String text) {
        if (!OCTAL.matcher(text).matches()) {
            for (String clause : text.split(",", -1)) {
                if (!CLAUSE.matcher(clause).matches()) {
                    throw new IllegalArgumentException("'" + Text.printable(text)
                            + "' is no mode: octal digits like 644, or changes like u+rwx,go-w");
                }
            }
        }
        return new FileMode(text);
    }

    /** Returns the new mode of a file with the given mode. */
    int apply(int mode, boolean isDirectory) {
        if (OCTAL.matcher(text).matches()) {
            return Integer.parseInt(text, 8);
        }
        int result = mode;
        for (String clause : text.split(",", -1)) {
            Matcher parts = CLAUSE.matcher(clause);
            if (parts.matches()) {
                result = apply(parts.group(1), parts.group(2), result, isDirectory);
            }
        }
        return result;
    }

    /** Returns the new mode of a file, whose attributes are read for this purpose. */
    public int apply(MountedPath file) throws IOException {
        FileAttributes attributes = file.attributes(true);
        return apply(attributes.mode(), attributes.isDirectory());
    }

    private static int apply(String who, String changes, int mode, boolean isDirectory) {
        int reach = who.isEmpty() ? 0_7777 & ~MASK : reach(who);
        int result = mode;
        Matcher change = CHANGE.matcher(changes);
        while (change.find()) {
            int bits = bits(change.group(2), result, isDirectory) & reach;
            switch (change.group(1)) {
                case "+" -> result |= bits;
                case "-" -> result &= ~bits;
                default -> result = (result & ~(who.isEmpty() ? 0_7777 : reach)) | bits;
            }
        }
        return result;
    }

    private static int reach(String who) {
        int reach = 0;
        for (int i = 0; i < who.length(); i++) {
            reach |= switch (who.charAt(i)) {
                case 'u' -> 0_4700;
                case 'g' -> 0_2070;
                case 'o' -> 0_1007;
                default -> 0_7777;
            };
        }
        return reach;
    }

    private static int bits(String rights, int mode, boolean isDirectory) {
        int bits = 0;
        for (int i = 0; i < rights.length(); i++) {
            bits |= switch (rights.charAt(i)) {
                case 'r' -> 0_444;
                case 'w' -> 0_222;
                case 'x' -> ALL_EXECUTE;
                case 'X' -> isDirectory || (mode & ALL_EXECUTE) != 0 ? ALL_EXECUTE : 0;
                case 's' -> 0_6000;
                default -> 0_1000;
            };
        }
        return bits;
    }
}
