package io.verbena.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An export in a process of its own ({@link ServedDirectory}). A variable {@code EXPORT_JAVA_OPTS} has further options
 * of its JVM.
 */
final class ExportProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader said;
    private final InetSocketAddress address;

    ExportProcess(Path directory) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        String options = System.getenv("EXPORT_JAVA_OPTS");
        if (options != null && !options.isBlank()) {
            command.addAll(List.of(options.trim().split(" +")));
        }
        InlineOption.ofTransport().values().forEach(octets -> command.add("-D" + InlineOption.PROPERTY + "=" + octets));
        command.addAll(List.of("-XX:MaxDirectMemorySize=2g", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(ServedDirectory.class.getName(), directory.toString()));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), (int) number());
    }

    /** The next number that the export prints, behind what its JVM may have to say. */
    private long number() throws IOException {
        String line = said.readLine();
        while (line != null && !line.matches("[0-9]+")) {
            line = said.readLine();
        }
        if (line == null) {
            throw new IOException("the process of the export has ended");
        }
        return Long.parseLong(line);
    }

    InetSocketAddress address() {
        return address;
    }

    /** In nanoseconds. */
    long processorTime() throws IOException {
        return ProcessorTime.of(process);
    }

    /** The octets of heap that the process has allocated. */
    long allocated() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        return number();
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        Process unused = process.onExit().join();
    }
}
