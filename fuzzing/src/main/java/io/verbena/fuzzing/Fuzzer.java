package io.verbena.fuzzing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Decodes millions of mutated messages, and fails at the first violation of a {@link FuzzTarget}'s promises: an
 * exception other than its refusals, a result that changes between decodings or with the octets around the message, a
 * changed octet, more allocation than allowed, an encoding that does not decode to the same result, or a decoding
 * without end. docs/fuzzing.md lists the properties for longer runs and for repeating an input.
 */
public final class Fuzzer {
    static final String INPUTS = "fuzz.inputs";
    static final String SEED = "fuzz.seed";
    private static final String INPUT = "fuzz.input";

    private static final int DEFAULT_INPUTS = 50_000;
    private static final int POOL = 256;
    /** One in this many inputs puts a new sample into the pool. */
    private static final int RENEWAL = 64;
    /**
     * How often an input has to exceed its allowance to count as a failure, since linking and compiling also allocate,
     * but only once.
     */
    private static final int MEASUREMENTS = 5;

    private static final long POLL_MILLIS = 100;
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final String name;
    private final FuzzTarget target;
    private final long seed;
    private final long hangNanos;
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Placement[] placements;
    private final Mutator mutator;
    private final ByteBuffer encoded;
    private final Map<String, long[]> counts = new TreeMap<>();

    private volatile long number;
    private FuzzFailure failure;

    // the result of the last decoding
    private String kind;
    private long digest;
    private boolean accepted;
    private long allocated;

    Fuzzer(String name, FuzzTarget target, long seed, long hangNanos) {
        this.name = name;
        this.target = target;
        this.seed = seed;
        this.hangNanos = hangNanos;
        int max = target.maxLength();
        // words around the message: zero, the mark of a present item, the largest number
        placements = new Placement[] {
            new Placement(false, max, 0, false), new Placement(true, max, 1, false),
            new Placement(false, max, -1, true), new Placement(true, max, -1, true)
        };
        mutator = new Mutator(max);
        encoded = ByteBuffer.allocate(2 * max + 1024);
    }

    /** Fuzzes as the system properties say; by default for about a second. */
    public static void run(String name, FuzzTarget target) {
        long seed = Long.getLong(SEED, System.nanoTime());
        Fuzzer fuzzer = new Fuzzer(name, target, seed, TimeUnit.SECONDS.toNanos(10));
        String input = System.getProperty(INPUT);
        System.out.println(input == null ? fuzzer.run(Long.getLong(INPUTS, DEFAULT_INPUTS)) : fuzzer.replay(input));
    }

    /** Decodes one input. Returns the result as text. */
    String replay(String hex) {
        runWatched(() -> {
            mutator.set(HexFormat.of().parseHex(hex));
            check();
        });
        return "fuzzing " + name + ": " + kind;
    }

    /** Decodes {@code inputs} inputs. Returns the results as text. */
    String run(long inputs) {
        long start = System.nanoTime();
        runWatched(() -> mutateAndCheck(inputs));
        double seconds = (System.nanoTime() - start) / 1e9;
        String outcomes = counts.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue()[0])
                .collect(Collectors.joining(", "));
        String report = String.format(
                "fuzzing %s: %d inputs in %.1f s, -D%s=%d: %s", name, inputs, seconds, SEED, seed, outcomes);
        long most = counts.values().stream().mapToLong(count -> count[0]).max().orElseThrow();
        if (inputs >= DEFAULT_INPUTS && most > inputs / 20 * 19) {
            throw new FuzzFailure("nearly all inputs have the same outcome, which proves little: " + report, null);
        }
        return report;
    }

    /**
     * Runs the work on a thread of its own, so that exceptions hold few stack frames and a hanging decoder can be
     * reported.
     */
    private void runWatched(Runnable work) {
        Thread worker = new Thread(() -> work(work), "fuzzing-" + name);
        worker.setDaemon(true);
        worker.start();
        try {
            watch(worker);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("interrupted", e);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void work(Runnable work) {
        try {
            work.run();
        } catch (FuzzFailure e) {
            failure = e;
        } catch (RuntimeException | Error e) {
            failure = failure("the target or the fuzzer itself failed", e);
        }
    }

    private void watch(Thread worker) throws InterruptedException {
        long watched = -1;
        long cpuStart = 0;
        long start = 0;
        while (worker.isAlive()) {
            if (number != watched) {
                watched = number;
                cpuStart = threads.getThreadCpuTime(worker.getId());
                start = System.nanoTime();
            }
            worker.join(POLL_MILLIS);
            boolean busy = threads.getThreadCpuTime(worker.getId()) - cpuStart > hangNanos;
            boolean stuck = System.nanoTime() - start > STUCK_NANOS;
            if (worker.isAlive() && number == watched && (busy || stuck)) {
                AssertionError where = new AssertionError("where it hangs");
                where.setStackTrace(worker.getStackTrace());
                throw failure("it does not end", where);
            }
        }
    }

    private void mutateAndCheck(long inputs) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[][] pool = new byte[POOL][];
        Arrays.setAll(pool, i -> target.sample(random));
        for (long i = 0; i < inputs; i++) {
            number = i;
            if (random.nextInt(RENEWAL) == 0) {
                pool[random.nextInt(POOL)] = target.sample(random);
            }
            mutator.mutate(pool[random.nextInt(POOL)], pool[random.nextInt(POOL)], random);
            check();
            counts.computeIfAbsent(kind, any -> new long[1])[0]++;
        }
    }

    private void check() {
        decode(placements[0], 0);
        String firstKind = kind;
        long firstDigest = digest;
        decode(placements[1], 1);
        requireSame(firstKind, firstDigest, "outside the heap, among other octets");
        decode(placements[2 + (int) (number & 1)], 2);
        requireSame(firstKind, firstDigest, "at the limit of its buffer");
        if (accepted) {
            checkEncoded();
        }
    }

    private void checkEncoded() {
        int length;
        try {
            length = target.encode(encoded.clear());
        } catch (RuntimeException e) {
            throw failure("it decodes to " + kind + ", which cannot be encoded", e);
        }
        if (length >= 0) {
            String firstKind = kind;
            long firstDigest = digest;
            target.prepare(0);
            decodeOnce(encoded, 0, length);
            requireSame(firstKind, firstDigest, "encoded again");
        }
    }

    private void requireSame(String firstKind, long firstDigest, String how) {
        if (!kind.equals(firstKind) || digest != firstDigest) {
            throw failure(
                    String.format("%s (%x) at first, but %s (%x) %s", firstKind, firstDigest, kind, digest, how), null);
        }
    }

    private void decode(Placement placement, int run) {
        int length = mutator.length();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < MEASUREMENTS; i++) {
            ByteBuffer in = placement.put(mutator.octets(), length, (int) number);
            target.prepare(run);
            decodeOnce(in, placement.offset(), length);
            if (!placement.isUntouched(ByteBuffer.wrap(mutator.octets()))) {
                throw failure("the decoder has written into the buffer", null);
            }
            long allowed = run == 0 ? target.allowance(length) : target.settledAllowance(length, accepted);
            least = Math.min(least, allocated);
            if (least <= allowed) {
                return;
            }
        }
        throw failure(String.format("%s allocated %d octets in decoding %d of it", kind, least, run + 1), null);
    }

    private void decodeOnce(ByteBuffer in, int offset, int length) {
        long before = threads.getCurrentThreadAllocatedBytes();
        try {
            kind = target.decode(in, offset, length);
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
            accepted = true;
            digest = target.digest();
        } catch (Exception e) {
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
            accepted = false;
            kind = target.refusal(e);
            if (kind == null) {
                throw failure("an exception that is no refusal", e);
            }
            digest = String.valueOf(e.getMessage()).hashCode();
        } catch (StackOverflowError | OutOfMemoryError e) {
            throw failure("an error", e);
        }
    }

    private FuzzFailure failure(String what, Throwable cause) {
        String hex = HexFormat.of().formatHex(mutator.octets(), 0, mutator.length());
        return new FuzzFailure(
                String.format(
                        "fuzzing %s, input %d of -D%s=%d: %s. To try it again: -D%s=%s",
                        name, number, SEED, seed, what, INPUT, hex),
                cause);
    }
}
