package io.verbena.benchmarks;

import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The octets of heap that client and export allocate for each operation, in two processes over loopback. The mount has
 * {@code noac}, so that each GETATTR is a call. Batches of operations follow each other, and the least of them counts:
 * it is the one of code that is compiled, with nothing else of the process beside it.
 *
 * <pre>
 * benchmarks/run -main io.verbena.benchmarks.Garbage [BATCHES [OPERATIONS]]
 * </pre>
 */
public final class Garbage implements AutoCloseable {
    private static final int BLOCK = 4 << 10;
    private static final int BLOCKS = 256;

    private final ExportProcess export;
    private final MountedExport mounted;
    private final Map<String, Outstanding.Operation> operations = new LinkedHashMap<>();
    private final RemoteFile file;

    /** Octets of client and export for each operation. */
    record Octets(double client, double export) {
        /** The lesser figure of two batches, for each end. */
        Octets least(Octets other) {
            return new Octets(Math.min(client, other.client), Math.min(export, other.export));
        }
    }

    /** @param directory the export, in which a file is made */
    Garbage(Path directory) throws IOException {
        export = new ExportProcess(directory);
        mounted = new MountedExport(export.address(), InlineOption.behind("noac"));
        Mount mount = mounted.mount();
        file = mount.open(
                "/file", Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE), 0600);
        file.write(ByteBuffer.allocateDirect(BLOCK * BLOCKS), 0);
        file.sync();
        ByteBuffer[] buffers = new ByteBuffer[16];
        Arrays.setAll(buffers, lane -> ByteBuffer.allocateDirect(BLOCK));
        operations.put("READ 4 KiB", (lane, number) -> file.readAsync(buffers[lane].clear(), number % BLOCKS * BLOCK));
        operations.put("GETATTR", (lane, number) -> mount.attributesAsync("/file"));
    }

    public static void main(String[] arguments) throws Exception {
        int batches = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
        int count = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20_000;
        Path directory = Files.createTempDirectory(WholePath.fastDirectory(), "verbena-benchmark");
        try (Garbage garbage = new Garbage(directory)) {
            System.out.println("| what | client, octets of each operation | export, octets of each operation |");
            System.out.println("|---|---|---|");
            for (String operation : garbage.operations.keySet()) {
                for (int outstanding : new int[] {1, 16}) {
                    Octets least = garbage.least(operation, outstanding, batches, count);
                    System.out.printf(
                            Locale.ROOT,
                            "| %s x%d | %.0f | %.0f |%n",
                            operation,
                            outstanding,
                            least.client,
                            least.export);
                }
            }
        } finally {
            WholePath.deleteAll(directory);
        }
    }

    /** The least of several batches, each of a number of operations, some of which are in flight. */
    Octets least(String operation, int outstanding, int batches, int count) throws IOException {
        Octets least = batch(operation, outstanding, count);
        for (int batch = 1; batch < batches; batch++) {
            least = least.least(batch(operation, outstanding, count));
        }
        return least;
    }

    private Octets batch(String operation, int outstanding, int count) throws IOException {
        long exportBefore = export.allocated();
        long before = Allocation.own();
        new Outstanding(operations.get(operation)).run(outstanding, count);
        double client = Allocation.own() - before;
        double exported = export.allocated() - exportBefore;
        return new Octets(client / count, exported / count);
    }

    @Override
    public void close() throws IOException {
        file.close();
        mounted.close();
        export.close();
    }
}
