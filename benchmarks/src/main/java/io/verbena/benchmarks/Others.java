package io.verbena.benchmarks;

import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Measures a mount in this process and an export in another one against libnfs, which is a C program, and its server,
 * in turn. The script {@code benchmarks/others} starts the server.
 *
 * <pre>
 * benchmarks/others [ROUNDS [MILLISECONDS]]
 * </pre>
 */
public final class Others {
    private final Map<Case, Case> pairs = new LinkedHashMap<>();

    private Others(Mount mount, LibnfsProcess libnfs) throws Exception {
        pairs.put(new NfsTransfer(mount, true, 1 << 20, 4), libnfs.of("READ 1 MiB", "read", 1 << 20, 4, true));
        pairs.put(new NfsTransfer(mount, false, 1 << 20, 4), libnfs.of("WRITE 1 MiB", "write", 1 << 20, 4, true));
        pairs.put(
                TwoProcesses.operations(new NfsTransfer(mount, true, 4 << 10, 16), 4 << 10),
                libnfs.of("READ 4 KiB", "read", 4 << 10, 16, false));
        RemoteFile file = mount.open("/attributes", Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), 0600);
        file.close();
        pairs.put(
                new Calls("GETATTR", 16, (lane, number) -> mount.attributesAsync("/attributes")),
                libnfs.of("GETATTR", "getattr", 0, 16, false));
    }

    /** @param arguments rounds, milliseconds of a round, the export's parent, and libnfs-load with its arguments */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        Duration time = Duration.ofMillis(Long.parseLong(arguments[1]));
        Path directory = Files.createTempDirectory(Path.of(arguments[2]), "verbena-benchmark");
        try (LibnfsProcess libnfs = new LibnfsProcess(List.of(arguments).subList(3, arguments.length));
                ExportProcess export = new ExportProcess(directory);
                MountedExport mounted = new MountedExport(export.address(), InlineOption.behind("noac"))) {
            new Others(mounted.mount(), libnfs).measure(rounds, time);
        } finally {
            WholePath.deleteAll(directory);
        }
    }

    private void measure(int rounds, Duration time) throws Exception {
        Map<Case, double[]> rates = new LinkedHashMap<>();
        pairs.forEach((ours, other) -> {
            rates.put(other, new double[rounds]);
            rates.put(ours, new double[rounds]);
        });
        for (int round = -Case.warmUpRounds(time); round < rounds; round++) {
            for (Map.Entry<Case, double[]> each : rates.entrySet()) {
                double rate = each.getKey().run(time);
                if (round >= 0) {
                    each.getValue()[round] = rate;
                }
            }
        }
        Table table = new Table();
        pairs.forEach((ours, other) -> {
            table.add(other, other, rates.get(other), rates.get(other), "");
            table.add(ours, other, rates.get(ours), rates.get(other), "");
        });
        table.print();
        for (Case each : pairs.keySet()) {
            each.close();
        }
    }
}
