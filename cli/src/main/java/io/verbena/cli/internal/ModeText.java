package io.verbena.cli.internal;

import io.verbena.nfs.FileType;

/** Formats file types and modes. */
public final class ModeText {
    private static final String[] RIGHTS = {"---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx"};

    private ModeText() {}

    /** Returns type and mode as {@code ls -l} shows them. */
    public static String of(FileType type, int mode) {
        char[] text =
                (typeLetter(type) + RIGHTS[mode >> 6 & 7] + RIGHTS[mode >> 3 & 7] + RIGHTS[mode & 7]).toCharArray();
        special(text, 3, (mode & 0_4000) != 0, 's');
        special(text, 6, (mode & 0_2000) != 0, 's');
        special(text, 9, (mode & 0_1000) != 0, 't');
        return new String(text);
    }

    private static void special(char[] text, int index, boolean set, char letter) {
        if (set) {
            text[index] = text[index] == 'x' ? letter : Character.toUpperCase(letter);
        }
    }

    private static char typeLetter(FileType type) {
        return switch (type) {
            case REGULAR -> '-';
            case DIRECTORY -> 'd';
            case SYMBOLIC_LINK -> 'l';
            case BLOCK_DEVICE -> 'b';
            case CHARACTER_DEVICE -> 'c';
            case SOCKET -> 's';
            case FIFO -> 'p';
            case OTHER -> '?';
        };
    }
}
