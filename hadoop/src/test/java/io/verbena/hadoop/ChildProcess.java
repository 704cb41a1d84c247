package io.verbena.hadoop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process with its output and its status. */
record ChildProcess(int status, String output) {
    private static final int MINUTES = 8;

    /** Runs a command to its end in a folder, and ends it by force after some minutes. */
    static ChildProcess run(Path folder, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        return run(folder, environment, command, MINUTES);
    }

    static ChildProcess run(Path folder, Map<String, String> environment, List<String> command, int minutes)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
                throw new IOException(command + " does not end: " + Files.readString(output));
            }
            return new ChildProcess(process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
        }
    }

    /** The program java of this process. */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
