package io.verbena.cli.internal.transfer;

import java.nio.file.Path;

/** Paths of this host as users write them. */
public final class LocalPaths {
    private LocalPaths() {}

    /** The absolute path; {@code ~/} is the user's home. */
    public static Path of(String text) {
        String expanded = text.startsWith("~/") ? System.getProperty("user.home") + text.substring(1) : text;
        return Path.of(expanded).toAbsolutePath();
    }
}
