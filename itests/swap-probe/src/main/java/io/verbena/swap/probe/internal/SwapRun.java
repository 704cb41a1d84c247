package io.verbena.swap.probe.internal;

import io.verbena.nfs.Mount;
import io.verbena.swap.probe.internal.BundleReplacer.Kind;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.spi.FileSystemProvider;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.console.SessionFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

/** One run: loads on a mount while bundles are replaced. */
final class SwapRun {
    private static final String REMOTE = "/swap";
    private static final long PROGRESS_SECONDS = 90;
    private static final int MEBIBYTES_A_SECOND_AT_LEAST = 1;
    private static final List<Kind> KINDS = List.of(Kind.RESTART, Kind.UPDATE, Kind.REFRESH);
    private static final long LOOK_MILLIS = 100;
    private static final double NANOS_PER_MILLI = 1e6;

    private final BundleContext context;
    private final SessionFactory sessions;
    private final FileSystemProvider files;
    private final CurrentMounts mounts;
    private final PrintStream out;
    private final String mountName;
    private final Path folder;
    private final String sourceDigest;
    private final Path source;
    private final String remote;
    private final int mebibytes;
    private final int count;
    private final int blocksBetween;
    private final long seed;
    private final List<String> any;
    private final List<String> refreshed;
    private final Map<String, List<Long>> pauses = new TreeMap<>();

    SwapRun(
            BundleContext context,
            SessionFactory sessions,
            FileSystemProvider files,
            CurrentMounts mounts,
            Map<String, String> settings,
            PrintStream out) {
        this.context = context;
        this.sessions = sessions;
        this.files = files;
        this.mounts = mounts;
        this.out = out;
        mountName = settings.get("mount");
        remote = mountName + ":" + REMOTE;
        folder = Path.of(settings.get("folder"));
        source = folder.resolve("source");
        sourceDigest = settings.get("sourceDigest");
        mebibytes = Integer.parseInt(settings.getOrDefault("size", "64"));
        count = Integer.parseInt(settings.getOrDefault("swaps", "10"));
        blocksBetween = Integer.parseInt(settings.getOrDefault("blocks", "20"));
        long given = Long.parseLong(settings.getOrDefault("seed", "0"));
        seed = given == 0 ? (System.nanoTime() & 0xffffff) | 1 : given;
        any = names(settings.get("bundles"));
        refreshed = names(settings.get("refreshed"));
    }

    private static List<String> names(String list) {
        return list == null || list.isEmpty() ? List.of() : List.of(list.split(",", -1));
    }

    void run() throws Exception {
        out.println("seed=" + seed);
        String digest = make(source);
        prepare();
        Map<String, Long> threads = threads();
        int services = services();
        NamesLoad names = new NamesLoad(mounts, mountName, REMOTE + "/names");
        NioLoad nio = new NioLoad(files, mountName, REMOTE + "/nio");
        PauseLoad pause = new PauseLoad(mounts, mountName, REMOTE + "/blocks");
        ShellLoad put = put(digest);
        ShellLoad get = get(sourceDigest == null ? digest : sourceDigest);
        List<Load> loads = List.of(names, nio, pause, put, get);
        loads.forEach(Load::start);
        ClassLoaderWatch loaders = new ClassLoaderWatch(context);
        swapAll(loads, names, pause, loaders);
        // the file is put or got, and read again
        long copySeconds = PROGRESS_SECONDS + 2L * mebibytes / MEBIBYTES_A_SECOND_AT_LEAST;
        put.awaitSteps(1, copySeconds);
        get.awaitSteps(1, copySeconds);
        for (Load load : loads) {
            load.stop(copySeconds);
        }
        pause.close();
        nio.close();
        out.println("names: " + names.verdict());
        out.println("java.nio: " + nio.steps() + " rounds");
        out.println("transfers: " + put.steps() + " puts and " + get.steps() + " gets of " + mebibytes + " MiB");
        ShellLoad.run(sessions, "nfs:rm -r " + remote);
        leftBehind(threads, services);
        out.println("class loaders gone: " + loaders.awaitGone());
        tellPauses();
    }

    /** Prepares the run, in a method of its own: a variable with a mount would keep its class loader reachable. */
    private void prepare() throws Exception {
        Mount mount = mounts.await(mountName, null);
        if (sourceDigest == null) {
            mount.createDirectory(REMOTE, 0755);
            ShellLoad.run(sessions, "nfs:put -q " + source + " " + remote + "/source");
        }
        mount.createDirectory(REMOTE + "/names", 0755);
    }

    /** Puts a file repeatedly, and reads it back each time. */
    private ShellLoad put(String digest) {
        String target = remote + "/put";
        return new ShellLoad(
                "put",
                sessions,
                "nfs:put -q -f " + source + " " + target,
                () -> equal(
                        "what was put",
                        ShellLoad.run(sessions, "nfs:sha256 " + target).substring(0, digest.length()),
                        digest));
    }

    private ShellLoad get(String digest) {
        Path back = folder.resolve("back");
        return new ShellLoad(
                "get",
                sessions,
                "nfs:get -q -f " + remote + "/source " + back,
                () -> equal("what was got", digest(back), digest));
    }

    private void leftBehind(Map<String, Long> threads, int services) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PROGRESS_SECONDS);
        Map<String, Long> further = threads();
        while (!isWithin(threads, further) && deadline - System.nanoTime() > 0) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            further = threads();
        }
        if (!isWithin(threads, further)) {
            throw new IllegalStateException("threads: " + further + " after " + threads);
        }
        equal("services", Integer.toString(services()), Integer.toString(services));
    }

    /** Whether the numbers have not grown, except those of a mount's pools, which grow with its work. */
    private static boolean isWithin(Map<String, Long> before, Map<String, Long> after) {
        return after.entrySet().stream()
                .allMatch(kind -> before.containsKey(kind.getKey())
                        && (kind.getKey().startsWith("verbena-") || kind.getValue() <= before.get(kind.getKey())));
    }

    private void swapAll(List<Load> loads, NamesLoad names, PauseLoad pause, ClassLoaderWatch loaders)
            throws Exception {
        BundleReplacer swaps = new BundleReplacer(context, folder);
        Random random = new Random(seed);
        for (int i = 1; i <= count; i++) {
            names.awaitSteps(names.steps() + 1, PROGRESS_SECONDS);
            loaders.note();
            int pick = random.nextInt(any.size() + refreshed.size());
            boolean inAnyWay = pick < any.size();
            Bundle bundle = swaps.bundle(inAnyWay ? any.get(pick) : refreshed.get(pick - any.size()));
            Kind kind = inAnyWay ? KINDS.get(random.nextInt(KINDS.size())) : Kind.REFRESH;
            long from = System.nanoTime();
            swaps.swap(bundle, kind);
            long done = System.nanoTime();
            pause.awaitSteps(pause.steps() + blocksBetween, PROGRESS_SECONDS);
            long longest = pause.longestNanos(from, System.nanoTime());
            pauses.computeIfAbsent(bundle.getSymbolicName(), name -> new ArrayList<>())
                    .add(longest);
            out.printf(
                    Locale.ROOT,
                    "swap %d: %s %s took %.0f ms, pause %.0f ms%n",
                    i,
                    kind.toString().toLowerCase(Locale.ROOT),
                    bundle.getSymbolicName(),
                    (done - from) / NANOS_PER_MILLI,
                    longest / NANOS_PER_MILLI);
            loads.forEach(Load::check);
        }
        loaders.note();
    }

    private void tellPauses() {
        pauses.forEach((name, list) -> {
            list.sort(null);
            out.printf(
                    Locale.ROOT,
                    "pause of %s: median %.0f ms, worst %.0f ms, of %d%n",
                    name,
                    list.get(list.size() / 2) / NANOS_PER_MILLI,
                    list.get(list.size() - 1) / NANOS_PER_MILLI,
                    list.size());
        });
    }

    /** Creates a file without repeated blocks. */
    private String make(Path file) throws Exception {
        Random random = new Random(seed);
        byte[] block = new byte[1 << 20];
        try (OutputStream stream = Files.newOutputStream(file)) {
            for (int i = 0; i < mebibytes; i++) {
                random.nextBytes(block);
                stream.write(block);
            }
        }
        return digest(file);
    }

    private static String digest(Path file) throws Exception {
        try (InputStream stream = Files.newInputStream(file)) {
            return digest(stream);
        }
    }

    private static String digest(InputStream stream) throws Exception {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        byte[] block = new byte[1 << 20];
        for (int n = stream.read(block); n >= 0; n = stream.read(block)) {
            sha256.update(block, 0, n);
        }
        return HexFormat.of().formatHex(sha256.digest());
    }

    /** The number of Verbena's threads by kind. A thread that a replaced bundle leaves behind keeps its classes. */
    private static Map<String, Long> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(thread -> thread.getName().replaceAll("[0-9]+", "#"))
                .filter(name -> name.matches("(verbena|iwarp|native|rpcrdma)-.*"))
                .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()));
    }

    /** The number of services that Verbena's bundles have registered. */
    private int services() {
        int number = 0;
        for (Bundle bundle : context.getBundles()) {
            if (bundle.getSymbolicName().startsWith("io.verbena.") && bundle.getRegisteredServices() != null) {
                number += bundle.getRegisteredServices().length;
            }
        }
        return number;
    }

    private static void equal(String what, String found, String expected) {
        if (!found.equals(expected)) {
            throw new IllegalStateException(what + ": " + found + " instead of " + expected);
        }
    }
}
