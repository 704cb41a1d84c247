package io.verbena.cli.rdma.internal.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * What the launcher has found before it started the container: a file of lines, each of them a level, what it is about,
 * what was found and what to do, with a tab between them. Without a launcher there is no such file.
 */
final class LauncherFindings {
    /** The system property with the path of the file. */
    static final String FILE = "verbena.doctor";

    private static final int FIELDS = 4;

    private LauncherFindings() {}

    /**
     * Tells the findings, and removes the file: what is left of it tells the launcher that nobody has told them.
     *
     * @param file the path of the file; empty if there is none
     */
    static void tell(String file, Consumer<Finding> told) throws IOException {
        if (file.isEmpty() || !Files.exists(Path.of(file))) {
            return;
        }
        Path path = Path.of(file);
        for (String line : new String(Files.readAllBytes(path), StandardCharsets.UTF_8).split("\n", -1)) {
            String[] fields = line.split("\t", -1);
            if (fields.length == FIELDS) {
                Finding.Level level = Finding.Level.valueOf(fields[0].toUpperCase(Locale.ROOT));
                told.accept(new Finding(level, fields[1], fields[2], fields[3]));
            }
        }
        Files.delete(path);
    }
}
