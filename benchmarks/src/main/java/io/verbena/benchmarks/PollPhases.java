package io.verbena.benchmarks;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Polling phases of several lengths on both ends, in turn, in two processes: {@code benchmarks/run -main
 * io.verbena.benchmarks.PollPhases [ROUNDS [MILLISECONDS]]}. The table has operations a second without a phase, and
 * ratios to them in the same round.
 */
public final class PollPhases {
    private static final String[] MICROS = {"0", "20", "50", "100"};
    private static final String SERVE = "--serve";

    private PollPhases() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 1 && arguments[0].equals(SERVE)) {
            serve(Path.of(arguments[1]));
            return;
        }
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10;
        Duration time = Duration.ofMillis(arguments.length > 1 ? Long.parseLong(arguments[1]) : 150);
        Path directory = Files.createTempDirectory(WholePath.fastDirectory(), "verbena-benchmark");
        Process exports = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:MaxDirectMemorySize=2g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PollPhases.class.getName(),
                        SERVE,
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader ports =
                new BufferedReader(new InputStreamReader(exports.getInputStream(), StandardCharsets.US_ASCII))) {
            measure(ports, rounds, time);
        } finally {
            exports.getOutputStream().close();
            exports.waitFor();
            WholePath.deleteAll(directory);
        }
    }

    /** An export for each length. */
    private static void serve(Path directory) throws IOException {
        List<ServedDirectory> all = new ArrayList<>();
        for (String micros : MICROS) {
            System.setProperty(PollOption.PROPERTY, micros);
            ServedDirectory served = new ServedDirectory(directory, true);
            all.add(served);
            System.out.println(served.address().getPort());
        }
        System.in.transferTo(OutputStream.nullOutputStream());
        for (ServedDirectory served : all) {
            served.close();
        }
    }

    private static void measure(BufferedReader ports, int rounds, Duration time) throws Exception {
        List<List<Case>> cases = new ArrayList<>();
        List<AutoCloseable> opened = new ArrayList<>();
        for (String micros : MICROS) {
            System.setProperty(PollOption.PROPERTY, micros);
            int port = Integer.parseInt(ports.readLine());
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            MountedExport mounted = new MountedExport(address, "noac");
            RpcConnection calls = mounted.transport().connect(ConnectOptions.to(address));
            opened.add(0, mounted);
            opened.add(0, calls);
            cases.add(cases(mounted, calls));
        }
        int count = cases.get(0).size();
        double[][][] rates = new double[MICROS.length][count][rounds];
        for (int round = -Case.warmUpRounds(time) / MICROS.length; round < rounds; round++) {
            for (int at = 0; at < count; at++) {
                for (int length = 0; length < MICROS.length; length++) {
                    double rate = cases.get(length).get(at).run(time);
                    if (round >= 0) {
                        rates[length][at][round] = rate;
                    }
                }
            }
        }
        print(cases.get(0), rates);
        for (List<Case> each : cases) {
            for (Case one : each) {
                one.close();
            }
        }
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    /** A GETATTR of a thread that waits for it; one operation. */
    static long attributes(Mount mount) throws IOException {
        FileAttributes unused = mount.attributes("/attributes", true);
        return 1;
    }

    private static List<Case> cases(MountedExport mounted, RpcConnection calls) throws IOException {
        RemoteFile file =
                mounted.mount().open("/attributes", Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), 0600);
        file.close();
        RpcCall nothing = new RpcCall(100_003, 4, 0, Credential.none());
        Outstanding.Operation get = (lane, number) -> mounted.mount().attributesAsync("/attributes");
        List<Case> all = new ArrayList<>();
        all.add(new Calls("NULL", 1, (lane, number) -> calls.call(nothing, results -> Boolean.TRUE)));
        all.add(new Calls("GETATTR", 1, get));
        all.add(new Repeated("GETATTR x1, waiting", () -> attributes(mounted.mount())));
        for (int outstanding : new int[] {1, 4, 16}) {
            NfsTransfer read = new NfsTransfer(mounted.mount(), true, 4 << 10, outstanding);
            all.add(TwoProcesses.operations(read, 4 << 10));
        }
        all.add(new Calls("GETATTR", 16, get));
        return all;
    }

    private static void print(List<Case> cases, double[][][] rates) {
        System.out.printf(
                "| what | poll=0 | %s |%n", String.join(" | ", List.of(MICROS).subList(1, MICROS.length)));
        System.out.println("|---|---" + "|---".repeat(MICROS.length - 1) + "|");
        for (int at = 0; at < cases.size(); at++) {
            StringBuilder row = new StringBuilder();
            for (int length = 1; length < MICROS.length; length++) {
                double[] ratios = rates[length][at].clone();
                for (int round = 0; round < ratios.length; round++) {
                    ratios[round] /= rates[0][at][round];
                }
                row.append(" | ").append(Table.spread(ratios));
            }
            System.out.printf(
                    Locale.ROOT, "| %s | %.0f/s%s |%n", cases.get(at).name(), Table.median(rates[0][at]), row);
        }
    }
}
