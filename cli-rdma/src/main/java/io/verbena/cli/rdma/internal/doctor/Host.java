package io.verbena.cli.rdma.internal.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * What checks see of this host: files of the kernel, properties of the JVM, and programs.
 *
 * @param root the directory that is the root of all paths
 * @param properties returns the value of a system property, or null
 * @param programs runs programs
 */
record Host(Path root, UnaryOperator<String> properties, Programs programs) {
    private static final int MOST_OCTETS = 1 << 20;
    private static final int MOST_ENTRIES = 1000;
    private static final long PROGRAM_SECONDS = 3;

    /** Runs programs. */
    @FunctionalInterface
    interface Programs {
        /** Returns what a program prints; empty if it is missing, fails or does not end in time. */
        Optional<String> output(String... command) throws IOException, InterruptedException;
    }

    /** Returns this host. */
    static Host here() {
        return new Host(Path.of("/"), System::getProperty, Host::run);
    }

    private static Optional<String> run(String... command) throws InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return Optional.empty(); // there is no such program
        }
        try {
            // its output is short, and fits the pipe
            if (!process.waitFor(PROGRAM_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                return Optional.empty();
            }
            return Optional.of(new String(process.getInputStream().readNBytes(MOST_OCTETS), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return Optional.empty();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Returns a system property; empty text if it is missing. */
    String property(String name) {
        String value = properties.apply(name);
        return value == null ? "" : value;
    }

    /** Returns a file of this host, by its absolute path. */
    Path file(String path) {
        return root.resolve(path.substring(1));
    }

    /** Returns the lines of a file; empty if it cannot be read. A long file is cut. */
    Optional<List<String>> lines(String path) {
        try (var in = Files.newInputStream(file(path))) {
            return Optional.of(new String(in.readNBytes(MOST_OCTETS), StandardCharsets.ISO_8859_1)
                    .lines()
                    .toList());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns the names in a directory, sorted; none if it cannot be read. */
    List<String> names(String path) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(file(path))) {
            for (Path entry : entries) {
                if (names.size() < MOST_ENTRIES) {
                    names.add(entry.getFileName().toString());
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return List.of();
        }
        names.sort(null);
        return names;
    }
}
