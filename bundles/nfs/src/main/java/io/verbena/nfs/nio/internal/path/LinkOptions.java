package io.verbena.nfs.nio.internal.path;

import java.nio.file.LinkOption;
import java.util.Objects;

/** Reads the options that java.nio's methods take about symbolic links. */
public final class LinkOptions {
    private LinkOptions() {}

    /** Whether symbolic links are followed. */
    public static boolean follows(LinkOption... options) {
        boolean follows = true;
        for (LinkOption option : options) {
            Objects.requireNonNull(option);
            follows = false; // NOFOLLOW_LINKS is the only one
        }
        return follows;
    }
}
