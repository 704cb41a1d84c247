package io.verbena.itests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Captures the traffic of TCP ports of the loopback interface. Needs dumpcap and the permission to capture. */
public final class WireCapture implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(60);
    private static final long TIMEOUT_SECONDS = 60;
    private static final long LISTING_SECONDS = 10;
    private static final String MEBIBYTES_OF_BUFFER = "256";

    private final Process dumpcap;
    private final Path file;

    private WireCapture(Process dumpcap, Path file) {
        this.dumpcap = dumpcap;
        this.file = file;
    }

    /** Whether this machine can capture. */
    public static boolean isPossible() throws IOException, InterruptedException {
        try {
            Process interfaces = new ProcessBuilder("dumpcap", "-D")
                    .redirectErrorStream(true)
                    .start();
            try {
                // the output is a few lines, which stay in the pipe after the end of the process
                return interfaces.waitFor(LISTING_SECONDS, TimeUnit.SECONDS)
                        && interfaces.exitValue() == 0
                        && new String(interfaces.getInputStream().readAllBytes(), UTF_8).contains("lo (Loopback)");
            } finally {
                interfaces.destroyForcibly();
            }
        } catch (IOException e) {
            return false; // dumpcap is not installed
        }
    }

    /**
     * Starts a capture. Returns when packets are being captured.
     *
     * @param filter a filter in the syntax of pcap-filter, such as {@code tcp port 20049}
     */
    public static WireCapture start(Path file, String filter) throws IOException {
        Process dumpcap = new ProcessBuilder(
                        "dumpcap", "-P", "-q", "-i", "lo", "-B", MEBIBYTES_OF_BUFFER, "-f", filter, "-w", "" + file)
                .redirectErrorStream(true)
                .start();
        BufferedReader messages = new BufferedReader(new InputStreamReader(dumpcap.getInputStream(), UTF_8));
        StringBuilder said = new StringBuilder();
        try (TimeLimit limit = TimeLimit.on(dumpcap, START)) {
            for (String line = messages.readLine(); line != null; line = messages.readLine()) {
                if (line.startsWith("File: ")) {
                    return new WireCapture(dumpcap, file);
                }
                said.append(line).append('\n');
            }
            said.append(limit.isExceeded() ? "(not in time)" : "(it has ended)");
        }
        throw new IOException("dumpcap does not capture: " + said);
    }

    /** Ends the capture and returns its file, in the pcap format. */
    public Path stop() throws IOException, InterruptedException {
        dumpcap.destroy(); // on SIGTERM dumpcap writes the captured packets
        if (!dumpcap.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            dumpcap.destroyForcibly();
            throw new IOException("dumpcap has not ended");
        }
        return file;
    }

    @Override
    public void close() {
        dumpcap.destroyForcibly();
    }
}
