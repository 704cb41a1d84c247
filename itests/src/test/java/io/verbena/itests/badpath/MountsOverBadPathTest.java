package io.verbena.itests.badpath;

import io.verbena.itests.Holdings;
import io.verbena.itests.model.SharedRanges;
import io.verbena.itests.model.Side;
import io.verbena.itests.model.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three mounts of our own server over a path that does every {@link Fault}, and cuts and joins segments. Threads of
 * each mount work by all ways to use it; what they do is complete, and done once. A hard mount fails nothing. A soft
 * mount fails in time, and never has wrong data.
 *
 * <p>{@code -Dverbena.badpath.minutes=30} repeats each test with other seeds for so long, and
 * {@code -Dverbena.badpath.seed} begins with a seed. docs/fuzzing.md tells more.
 */
class MountsOverBadPathTest {
    private static final String NAMES = "names";
    private static final int MOUNTS = 3;
    private static final int RANGES_OF_A_MOUNT = 2;
    private static final int FAULTS = 30;
    private static final long BOUND_SECONDS = 400;
    private static final int FILES_OF_A_SOFT_MOUNT = 2;

    /**
     * A request ends after 3 s (one {@code timeo} after the patience of 2 s), those that follow a time-out after 5 s in
     * all; a call makes several requests, and the host is loaded.
     */
    private static final Duration MOST_OF_A_SOFT_CALL = Duration.ofSeconds(40);

    private static final String[] OPTIONS = {
        "",
        ",rsize=4096,wsize=4096",
        ",slots=2",
        ",nconnect=2",
        ",noac",
        ",noinvalidate",
        ",inline=1024",
        ",wsize=32768"
    };
    private static final int[] MOST_OCTETS = {20_000, 100_000, 500_000};

    private final long firstSeed = Long.getLong("verbena.badpath.seed", System.nanoTime());
    private final Duration length = Duration.ofMinutes(Integer.getInteger("verbena.badpath.minutes", 0));

    @TempDir
    private Path folder;

    @BeforeEach
    void tellSeed() {
        System.out.println("MountsOverBadPathTest: -Dverbena.badpath.seed=" + firstSeed);
    }

    /** A round of a test. */
    @FunctionalInterface
    private interface Round {
        void run(Path folder, long seed) throws Exception;
    }

    /** Runs a round, and more of them with the next seeds in a long run; nothing may be left then. */
    private void rounds(Round round) throws Exception {
        long end = System.nanoTime() + length.toNanos();
        long seed = firstSeed;
        try (ServedPath first = new ServedPath(Files.createDirectory(folder.resolve("first")), seed)) {
            Side unused = first.mount("hard"); // what is made once and kept is made here
            first.end();
        }
        Holdings before = Holdings.now();
        do {
            Path own = Files.createDirectory(folder.resolve(Long.toString(seed)));
            try {
                round.run(own, seed);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("repeat it with -Dverbena.badpath.seed=" + seed + ": " + e.getMessage(), e);
            }
            seed++;
        } while (System.nanoTime() < end);
        ServedPath.checkLeft(before);
    }

    private static String options(Random random) {
        return OPTIONS[random.nextInt(OPTIONS.length)];
    }

    private static void orderFaults(BadPath path, Random random) {
        path.cutUp();
        path.orderFaults(FAULTS, 0, MOST_OCTETS[random.nextInt(MOST_OCTETS.length)], Fault.values());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldDoAllOnceOnHardMounts(int version) throws Exception {
        rounds((own, seed) -> workHard(own, seed, "hard,timeo=10,rpcrdma=" + version));
    }

    private static void workHard(Path own, long seed, String options) throws Exception {
        Random random = new Random(seed);
        try (ServedPath served = new ServedPath(own, seed)) {
            List<Worker> ranges = new ArrayList<>();
            List<LockedCounter> counters = new ArrayList<>();
            List<RandomWork> names = new ArrayList<>();
            Workload load = new Workload(served.path());
            for (int mount = 0; mount < MOUNTS; mount++) {
                Side side = served.mount(options + options(random));
                for (int i = 0; i < RANGES_OF_A_MOUNT; i++) {
                    ranges.add(new Worker(side, ranges.size(), load::goesOn, random.nextLong()));
                }
                counters.add(new LockedCounter(side, random.nextLong()));
                names.add(new RandomWork(side, names(served, side), random.nextLong()));
            }
            SharedRanges.make(ranges.get(0).side(), ranges.size());
            ranges.forEach(load::add);
            counters.forEach(counter -> load.repeat(counter::step));
            names.forEach(work -> load.repeat(work::step));

            orderFaults(served.path(), random);
            load.run(BOUND_SECONDS);

            System.out.println("seed " + seed + ": " + load.steps() + " steps, " + served.path());
            SharedRanges.check(
                    ranges, name -> Files.readAllBytes(served.directory().resolve(name)));
            LockedCounter.check(served.directory(), counters);
            for (int mount = 0; mount < MOUNTS; mount++) {
                Map<String, byte[]> unused = names.get(mount).check();
                names.get(mount).check(served.directory().resolve(NAMES + mount));
            }
            served.end();
        }
    }

    /** Makes a directory for a mount, without the mount. */
    private static String names(ServedPath served, Side side) throws IOException {
        Files.createDirectory(served.directory().resolve(NAMES + side.number()));
        return side.remote(NAMES + side.number());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldHaveNoWrongDataOnSoftMounts(int version) throws Exception {
        rounds((own, seed) -> workSoft(own, seed, "soft,timeo=10,retrans=1,rpcrdma=" + version));
    }

    private static void workSoft(Path own, long seed, String options) throws Exception {
        Random random = new Random(seed);
        try (ServedPath served = new ServedPath(own, seed)) {
            SoftCalls calls = new SoftCalls(served.path(), MOST_OF_A_SOFT_CALL);
            List<SoftFile> files = new ArrayList<>();
            List<RandomWork> names = new ArrayList<>();
            Workload load = new Workload(served.path());
            for (int mount = 0; mount < MOUNTS; mount++) {
                Side side = served.mount(options + options(random));
                for (int i = 0; i < FILES_OF_A_SOFT_MOUNT; i++) {
                    files.add(new SoftFile(side, served.directory(), "soft" + files.size(), calls, random.nextLong()));
                }
                names.add(new RandomWork(side, names(served, side), random.nextLong()));
            }
            files.forEach(file -> load.repeat(file::step));
            names.forEach(work -> load.repeat(() -> work.softStep(calls)));

            orderFaults(served.path(), random);
            load.run(BOUND_SECONDS);
            System.out.println("seed " + seed + ": " + calls + ", " + served.path());

            files.forEach(SoftFile::settle);
            served.endSoft();
            for (int mount = 0; mount < MOUNTS; mount++) {
                names.get(mount).check(served.directory().resolve(NAMES + mount));
            }
            for (SoftFile file : files) {
                file.check(served.directory());
            }
        }
    }
}
