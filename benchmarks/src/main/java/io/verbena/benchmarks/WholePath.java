package io.verbena.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the whole path layer by layer against plain TCP on the same machine. Cases alternate in each round, so that
 * other load of the machine affects all of them. Only the ratios can be compared with other machines.
 *
 * <p>Arguments: rounds (7), milliseconds for each case and round (500), a directory on fast storage for the export (by
 * default a temporary one in /dev/shm, where that exists).
 */
public final class WholePath {

    private final List<Measured> measured = new ArrayList<>();

    private record Measured(Case subject, Case baseline, String target) {}

    private WholePath() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 7;
        Duration time = Duration.ofMillis(arguments.length > 1 ? Long.parseLong(arguments[1]) : 500);
        Path parent = arguments.length > 2 ? Path.of(arguments[2]) : fastDirectory();
        Path directory = Files.createTempDirectory(parent, "verbena-benchmark");
        try (Stack stack = new Stack(directory)) {
            WholePath benchmark = new WholePath();
            benchmark.prepare(stack);
            benchmark.measure(rounds, time);
        } finally {
            deleteAll(directory);
        }
    }

    static Path fastDirectory() {
        Path memory = Path.of("/dev/shm");
        return Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
    }

    static void deleteAll(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private void prepare(Stack stack) throws Exception {
        Case stream = RawTcp.stream();
        Case pingPong = RawTcp.pingPong();
        Case nullOne = TransportNull.of(stack.transport(), 1);
        add(stream, stream, "");
        add(new ProviderWriteStream(stack.provider()), stream, ">= 0.7");
        add(pingPong, pingPong, "");
        add(nullOne, pingPong, ">= 0.7");
        add(TransportNull.of(stack.transport(), 32), nullOne, ">= 5");
        for (boolean reads : new boolean[] {true, false}) {
            for (int outstanding : new int[] {1, 4, 16}) {
                String target = outstanding == 4 ? ">= 0.4" : "";
                add(new NfsTransfer(stack.mount(), reads, 1 << 20, outstanding), stream, target);
            }
        }
        for (boolean reads : new boolean[] {true, false}) {
            for (int outstanding : new int[] {1, 4, 16}) {
                add(new NfsTransfer(stack.mount(), reads, 4 << 10, outstanding), stream, "");
            }
        }
    }

    private void add(Case subject, Case baseline, String target) {
        measured.add(new Measured(subject, baseline, target));
    }

    private void measure(int rounds, Duration time) throws Exception {
        Map<Case, double[]> values = new LinkedHashMap<>();
        for (Measured each : measured) {
            values.put(each.subject, new double[rounds]);
        }
        for (int round = -Case.warmUpRounds(time); round < rounds; round++) {
            for (Measured each : measured) {
                double value = each.subject.run(time);
                if (round >= 0) {
                    values.get(each.subject)[round] = value;
                }
            }
        }
        Table table = new Table();
        for (Measured each : measured) {
            table.add(each.subject, each.baseline, values.get(each.subject), values.get(each.baseline), each.target);
        }
        table.print();
        for (Measured each : measured) {
            each.subject.close();
        }
    }
}
