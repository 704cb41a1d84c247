package io.verbena.itests.release;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.itests.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Where a release build has put what it makes, and the commands of the pages that tell of it. */
final class ReleaseBuild {
    static final Path TOP = Path.of("..").toAbsolutePath().normalize();

    private static final long TIMEOUT_SECONDS = 900;

    private ReleaseBuild() {}

    /** The exit status of a process, and its output with its errors. */
    record Result(int status, String out) {}

    static void assumePresent() {
        assumeTrue(
                Boolean.getBoolean("verbena.release"),
                "tests of packages and of the repository are part of a release build: mvn verify -Prelease");
    }

    static String version() {
        return System.getProperty("verbena.version");
    }

    static Path repository() {
        return Path.of(System.getProperty("verbena.repository"));
    }

    /** The package whose name ends so; a test is skipped where the build's host could not make it. */
    static Path packageOf(String end) throws IOException {
        assumePresent();
        Path folder = TOP.resolve("packaging/target/packages");
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> found =
                    files.filter(file -> file.toString().endsWith(end)).toList();
            assumeTrue(
                    !found.isEmpty(), "the build has made no package *" + end + " on this host; its output says why");
            if (found.size() > 1) {
                throw new AssertionError("more than one package *" + end + " in " + folder + ": remove the folder");
            }
            return found.get(0);
        }
    }

    /** The nth block of code of a section of README.md. */
    static String readmeBlock(String section, int index) throws IOException {
        return Page.of("README.md").block(section, index);
    }

    /** Runs a process to its end, of which the output goes to a file. */
    static Result run(Path folder, List<String> command) throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "run", ".out");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .start();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new AssertionError(
                    command + " has not ended after " + TIMEOUT_SECONDS + " s, so far: " + Files.readString(out));
        }
        return new Result(process.exitValue(), Files.readString(out));
    }
}
