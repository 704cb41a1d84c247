package io.verbena.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The program libnfs-load, a client of another server in a process of its own. */
final class LibnfsProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader said;

    /** @param command the program and its arguments */
    LibnfsProcess(List<String> command) throws IOException {
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** A case that the program measures. */
    Case of(String name, String operation, int octets, int outstanding, boolean inOctets) {
        return new Case() {
            @Override
            public String name() {
                return String.format(Locale.ROOT, "libnfs %s x%d", name, outstanding);
            }

            @Override
            public double run(Duration time) throws IOException {
                double rate = measure(operation, octets, outstanding, time);
                return inOctets ? rate * octets : rate;
            }

            @Override
            public boolean inOctets() {
                return inOctets;
            }
        };
    }

    private double measure(String operation, int octets, int outstanding, Duration time) throws IOException {
        String line = String.format(Locale.ROOT, "%s %d %d %d%n", operation, octets, outstanding, time.toMillis());
        process.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
        process.getOutputStream().flush();
        String rate = said.readLine();
        if (rate == null) {
            throw new IOException("libnfs-load has ended");
        }
        return Double.parseDouble(rate);
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        Process unused = process.onExit().join();
    }
}
