package io.verbena.benchmarks;

import io.verbena.nfs.RemoteFile;
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
 * The kinds of security in turn, in two processes: {@code benchmarks/run -main io.verbena.benchmarks.SecurityCost
 * [ROUNDS [MILLISECONDS]]}. The table has octets or operations a second with AUTH_SYS, and ratios to them in the same
 * round. The KDC is in this process; nobody asks it while a round runs.
 */
public final class SecurityCost {
    private static final String[] KINDS = {"sys", "krb5", "krb5i", "krb5p"};
    private static final String SERVE = "--serve";
    private static final int MEBI = 1 << 20;

    private SecurityCost() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 2 && arguments[0].equals(SERVE)) {
            serve(Path.of(arguments[1]), Path.of(arguments[2]));
            return;
        }
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
        Duration time = Duration.ofMillis(arguments.length > 1 ? Long.parseLong(arguments[1]) : 500);
        Path directory = Files.createTempDirectory(WholePath.fastDirectory(), "verbena-benchmark");
        Path folder = Files.createTempDirectory("verbena-benchmark-realm");
        Realm realm = Realm.make(folder);
        Process exports = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:MaxDirectMemorySize=2g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SecurityCost.class.getName(),
                        SERVE,
                        directory.toString(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader ports =
                new BufferedReader(new InputStreamReader(exports.getInputStream(), StandardCharsets.US_ASCII))) {
            measure(Integer.parseInt(ports.readLine()), realm, rounds, time);
        } finally {
            exports.getOutputStream().close();
            exports.waitFor();
            WholePath.deleteAll(directory);
            WholePath.deleteAll(folder);
        }
        System.exit(0); // the KDC's threads are no daemons
    }

    private static void serve(Path directory, Path folder) throws IOException {
        try (ServedDirectory served = new ServedDirectory(directory, true, new Realm(folder))) {
            System.out.println(served.address().getPort());
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static void measure(int port, Realm realm, int rounds, Duration time) throws Exception {
        InetAddress loopback = InetAddress.getByAddress(
                "localhost", InetAddress.getLoopbackAddress().getAddress());
        List<MountedExport> mounts = new ArrayList<>();
        List<List<Case>> cases = new ArrayList<>();
        for (String kind : KINDS) {
            String user = kind.equals("sys") ? "" : "," + realm.options();
            MountedExport mounted =
                    new MountedExport(new InetSocketAddress(loopback, port), "noac,sec=" + kind + user, realm.user());
            mounts.add(mounted);
            cases.add(cases(mounted));
        }
        int count = cases.get(0).size();
        double[][][] rates = new double[KINDS.length][count][rounds];
        for (int round = -Case.warmUpRounds(time) / 2; round < rounds; round++) {
            for (int at = 0; at < count; at++) {
                for (int kind = 0; kind < KINDS.length; kind++) {
                    double rate = cases.get(kind).get(at).run(time);
                    if (round >= 0) {
                        rates[kind][at][round] = rate;
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
        for (MountedExport each : mounts) {
            each.close();
        }
    }

    private static List<Case> cases(MountedExport mounted) throws IOException {
        RemoteFile file =
                mounted.mount().open("/attributes", Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), 0600);
        file.close();
        Outstanding.Operation get = (lane, number) -> mounted.mount().attributesAsync("/attributes");
        return List.of(
                new NfsTransfer(mounted.mount(), true, MEBI, 4),
                new NfsTransfer(mounted.mount(), false, MEBI, 4),
                TwoProcesses.operations(new NfsTransfer(mounted.mount(), true, 4 << 10, 16), 4 << 10),
                TwoProcesses.operations(new NfsTransfer(mounted.mount(), false, 4 << 10, 16), 4 << 10),
                new Calls("GETATTR", 16, get),
                new Calls("GETATTR", 1, get));
    }

    private static void print(List<Case> cases, double[][][] rates) {
        System.out.printf(
                "| what | %s | %s |%n",
                KINDS[0], String.join(" | ", List.of(KINDS).subList(1, KINDS.length)));
        System.out.println("|---|---" + "|---".repeat(KINDS.length - 1) + "|");
        for (int at = 0; at < cases.size(); at++) {
            StringBuilder row = new StringBuilder();
            for (int kind = 1; kind < KINDS.length; kind++) {
                double[] ratios = rates[kind][at].clone();
                for (int round = 0; round < ratios.length; round++) {
                    ratios[round] /= rates[0][at][round];
                }
                row.append(" | ").append(Table.spread(ratios));
            }
            String plain = Table.value(cases.get(at), Table.median(rates[0][at]));
            System.out.printf(Locale.ROOT, "| %s | %s%s |%n", cases.get(at).name(), plain, row);
        }
    }
}
