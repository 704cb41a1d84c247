package io.verbena.nfs41.client.internal.testing;

import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** An export in a process of its own, with little memory; dies at once of an OutOfMemoryError. */
public final class SmallExport implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;
    private final int port;

    /**
     * @param folder for the exported directory {@code export}, which is there, and for what the server keeps
     * @param options the limits, as {@code -Xmx256m}
     */
    public SmallExport(Path folder, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+ExitOnOutOfMemoryError"));
        command.addAll(List.of(options));
        command.addAll(List.of(
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                SmallExport.class.getName(),
                folder.toString()));
        process = new ProcessBuilder(command)
                .redirectError(folder.resolve("errors").toFile())
                .start();
        answers = new BufferedReader(process.inputReader(StandardCharsets.UTF_8));
        String first = answers.readLine();
        if (first == null) {
            throw new IOException("the export does not start: see " + folder.resolve("errors"));
        }
        port = Integer.parseInt(first);
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The export's counters, and {@code directOctets}, what is leased of its direct memory. */
    public Map<String, Long> counters() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the export has ended");
        }
        Map<String, Long> counters = new TreeMap<>();
        for (String pair : line.split(" ", -1)) {
            int equals = pair.indexOf('=');
            counters.put(pair.substring(0, equals), Long.valueOf(pair.substring(equals + 1)));
        }
        return counters;
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** The process: serves until its input ends, and tells its counters for each line of that. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        ExportSettings settings = ExportSettings.of("small", folder.resolve("export"))
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Stack stack = new Stack();
                NfsServer server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
                RpcListener listener = stack.transport().listen(ListenOptions.on(any), server)) {
            System.out.println(listener.localAddress().getPort());
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (lines.readLine() != null) {
                StringBuilder counters =
                        new StringBuilder(" directOctets=" + stack.memory().leasedBytes());
                server.counters()
                        .forEach((name, value) ->
                                counters.append(' ').append(name).append('=').append(value));
                System.out.println(counters.substring(1));
            }
        }
    }
}
