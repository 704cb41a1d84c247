package io.verbena.benchmarks;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import javax.json.Json;
import javax.json.JsonObject;
import javax.json.JsonObjectBuilder;
import javax.json.JsonReader;
import javax.json.JsonWriter;

/**
 * Measures a mount in this process and an export in another one, over loopback, against plain TCP in the same round,
 * with the processor time of both processes for each operation, or for each MiB. The export answers when changes are on
 * stable storage; its directory is in memory by default, so that the disk is not measured.
 *
 * <pre>
 * benchmarks/run --processes [ROUNDS [MILLISECONDS [DIRECTORY]]] [--json FILE] [--baseline FILE] [--only REGEX]
 * </pre>
 */
public final class TwoProcesses {
    private static final int NFS_PROGRAM = 100_003;
    private static final int NFS_VERSION = 4;
    private static final double MIB = 1 << 20;
    private static final int ENTRIES = 100_000;
    private static final String READDIR = "entries of READDIR x1";

    private final List<Measured> measured = new ArrayList<>();
    private final ExportProcess export;
    private final Path directory;
    private final Pattern only;

    /** A case with what it is compared with. */
    private record Measured(Case subject, Case baseline, String target, List<Sample> samples) {}

    /** A round of a case: operations or octets a second, and microseconds of processor time for each, or for a MiB. */
    private record Sample(double rate, double client, double server) {}

    private TwoProcesses(ExportProcess export, Path directory, Pattern only) {
        this.export = export;
        this.directory = directory;
        this.only = only;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> options = new LinkedHashMap<>();
        List<String> positions = new ArrayList<>();
        for (int at = 0; at < arguments.length; at++) {
            if (arguments[at].startsWith("--")) {
                options.put(arguments[at], arguments[++at]);
            } else {
                positions.add(arguments[at]);
            }
        }
        int rounds = positions.isEmpty() ? 5 : Integer.parseInt(positions.get(0));
        Duration time = Duration.ofMillis(positions.size() > 1 ? Long.parseLong(positions.get(1)) : 500);
        Path parent = positions.size() > 2 ? Path.of(positions.get(2)) : WholePath.fastDirectory();
        Path directory = Files.createTempDirectory(parent, "verbena-benchmark");
        try (ExportProcess export = new ExportProcess(directory)) {
            TwoProcesses benchmark =
                    new TwoProcesses(export, directory, Pattern.compile(options.getOrDefault("--only", "")));
            benchmark.run(rounds, time);
            benchmark.print(options.get("--baseline"));
            if (options.containsKey("--json")) {
                benchmark.write(Path.of(options.get("--json")));
            }
        } finally {
            WholePath.deleteAll(directory);
        }
    }

    private void run(int rounds, Duration time) throws Exception {
        InetSocketAddress address = export.address();
        try (MountedExport mounted = new MountedExport(address, InlineOption.behind("noac"));
                RpcConnection calls = mounted.transport().connect(ConnectOptions.to(address))) {
            prepare(mounted.mount(), calls);
            for (int round = -Case.warmUpRounds(time); round < rounds; round++) {
                for (Measured each : measured) {
                    Sample sample = sample(each.subject, time);
                    if (round >= 0) {
                        each.samples.add(sample);
                    }
                }
            }
            for (Measured each : measured) {
                each.subject.close();
            }
        }
    }

    private void prepare(Mount mount, RpcConnection calls) throws Exception {
        Case stream = RawTcp.stream();
        Case pingPong = RawTcp.pingPong();
        measured.add(new Measured(stream, stream, "", new ArrayList<>()));
        measured.add(new Measured(pingPong, pingPong, "", new ArrayList<>()));
        add(new NfsTransfer(mount, true, 1 << 20, 4), stream, ">= 0.8");
        add(new NfsTransfer(mount, true, 1 << 20, 1), stream, ">= 0.55");
        add(new NfsTransfer(mount, false, 1 << 20, 4), stream, ">= 0.74");
        add(new NfsTransfer(mount, false, 1 << 20, 1), stream, "");
        add(operations(new NfsTransfer(mount, true, 4 << 10, 16), 4 << 10), pingPong, ">= 5");
        add(operations(new NfsTransfer(mount, true, 4 << 10, 4), 4 << 10), pingPong, "");
        add(operations(new NfsTransfer(mount, true, 4 << 10, 1), 4 << 10), pingPong, ">= 0.78");
        add(operations(new NfsTransfer(mount, false, 4 << 10, 16), 4 << 10), pingPong, ">= 5.7");
        RemoteFile file = mount.open("/attributes", Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), 0600);
        file.close();
        for (int outstanding : new int[] {16, 1}) {
            Outstanding.Operation get = (lane, number) -> mount.attributesAsync("/attributes");
            add(new Calls("GETATTR", outstanding, get), pingPong, outstanding == 16 ? ">= 6" : ">= 0.84");
        }
        add(new Repeated("GETATTR x1, waiting", () -> PollPhases.attributes(mount)), pingPong, "");
        for (int outstanding : new int[] {32, 1}) {
            add(
                    new Calls("NULL", outstanding, (lane, number) -> nothing(calls)),
                    pingPong,
                    outstanding == 32 ? ">= 28" : ">= 0.92");
        }
        Set<StandardOpenOption> reading = Set.of(StandardOpenOption.READ);
        add(
                new Repeated("open and close x1", () -> {
                    mount.open("/attributes", reading, 0600).close();
                    return 1;
                }),
                pingPong,
                ">= 0.63");
        Set<StandardOpenOption> creating = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        add(
                new Repeated("create and remove x1", () -> {
                    mount.open("/created", creating, 0600).close();
                    mount.remove("/created");
                    return 1;
                }),
                pingPong,
                ">= 0.29");
        if (only.matcher(READDIR).find()) {
            Path many = Files.createDirectory(directory.resolve("many"));
            for (int entry = 0; entry < ENTRIES; entry++) {
                Files.createFile(many.resolve("entry-" + entry));
            }
            add(new Repeated(READDIR, () -> entries(mount)), pingPong, ">= 300 k/s");
        }
    }

    /** Reads the directory of many entries with attributes, and returns how many are in it. */
    private static long entries(Mount mount) throws IOException {
        long count = 0;
        for (DirectoryEntry entry : mount.entries("/many")) {
            count += entry.attributes().isRegularFile() ? 1 : 0;
        }
        if (count != ENTRIES) {
            throw new IOException(count + " entries in place of " + ENTRIES);
        }
        return count;
    }

    private static CompletableFuture<?> nothing(RpcConnection calls) {
        return calls.call(new RpcCall(NFS_PROGRAM, NFS_VERSION, 0, Credential.none()), results -> Boolean.TRUE);
    }

    /** The same transfers, counted in operations. */
    static Case operations(NfsTransfer transfers, int octets) {
        return new Case() {
            @Override
            public String name() {
                return transfers.name();
            }

            @Override
            public double run(Duration time) throws Exception {
                return transfers.run(time) / octets;
            }

            @Override
            public boolean inOctets() {
                return false;
            }

            @Override
            public void close() throws IOException {
                transfers.close();
            }
        };
    }

    private void add(Case subject, Case baseline, String target) {
        if (only.matcher(subject.name()).find()) {
            measured.add(new Measured(subject, baseline, target, new ArrayList<>()));
        }
    }

    private Sample sample(Case subject, Duration time) throws Exception {
        long client = ProcessorTime.own();
        long server = export.processorTime();
        long start = System.nanoTime();
        double rate = subject.run(time);
        double seconds = (System.nanoTime() - start) / 1e9;
        double count = rate * seconds / (subject.inOctets() ? MIB : 1);
        return new Sample(
                rate, (ProcessorTime.own() - client) / 1e3 / count, (export.processorTime() - server) / 1e3 / count);
    }

    private void print(String baselineFile) throws IOException {
        JsonObject earlier = null;
        if (baselineFile != null) {
            try (JsonReader reader = Json.createReader(Files.newInputStream(Path.of(baselineFile)))) {
                earlier = reader.readObject();
            }
        }
        System.out.println(
                "| what | median | us of client + server | against | ratio: median (least to most) | target |"
                        + (earlier == null ? "" : " ratio before |"));
        System.out.println("|---|---|---|---|---|---|" + (earlier == null ? "" : "---|"));
        for (Measured each : measured) {
            boolean isBaseline = each.subject == each.baseline;
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %s | %s | %s | %s | %s |%s%n",
                    each.subject.name(),
                    Table.value(each.subject, median(rates(each))),
                    isBaseline ? "" : cost(each),
                    isBaseline ? "" : each.baseline.name(),
                    isBaseline ? "" : Table.spread(ratios(each)),
                    each.target,
                    earlier == null ? "" : before(earlier, each.subject.name()));
        }
    }

    private static String before(JsonObject earlier, String name) {
        JsonObject row = earlier.getJsonObject(name);
        return row == null
                ? " |"
                : String.format(
                        Locale.ROOT, " %.2f |", row.getJsonNumber("ratio").doubleValue());
    }

    private static String cost(Measured each) {
        double client = median(each.samples.stream().mapToDouble(Sample::client).toArray());
        double server = median(each.samples.stream().mapToDouble(Sample::server).toArray());
        return String.format(Locale.ROOT, "%.1f + %.1f", client, server);
    }

    private static double[] rates(Measured each) {
        return each.samples.stream().mapToDouble(Sample::rate).toArray();
    }

    /** The ratios to the baseline of the same round. */
    private double[] ratios(Measured each) {
        double[] rates = rates(each);
        double[] baseline = measured.stream()
                .filter(other -> other.subject == each.baseline)
                .findFirst()
                .map(TwoProcesses::rates)
                .orElseThrow();
        for (int round = 0; round < rates.length; round++) {
            rates[round] /= baseline[round];
        }
        return rates;
    }

    private static double median(double[] values) {
        return Table.median(values);
    }

    private void write(Path file) throws IOException {
        JsonObjectBuilder all = Json.createObjectBuilder();
        for (Measured each : measured) {
            all.add(
                    each.subject.name(),
                    Json.createObjectBuilder()
                            .add("rate", median(rates(each)))
                            .add("unit", each.subject.inOctets() ? "octets/s" : "operations/s")
                            .add(
                                    "client_us",
                                    median(each.samples.stream()
                                            .mapToDouble(Sample::client)
                                            .toArray()))
                            .add(
                                    "server_us",
                                    median(each.samples.stream()
                                            .mapToDouble(Sample::server)
                                            .toArray()))
                            .add("against", each.baseline.name())
                            .add("ratio", median(ratios(each))));
        }
        try (JsonWriter writer = Json.createWriter(Files.newOutputStream(file))) {
            writer.writeObject(all.build());
        }
    }
}
