package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.verbena.conformance.HandOvers;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.nfs.Mount;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyListener;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * An Error at any one hand-over between a copy and its mount, the files of that, the clock, the workers and the
 * listener: the copy ends, with all files or with a failure, no thread, lease or open file is left, what is left of a
 * part is told, and the next copy is whole.
 */
class EveryHandOverTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final long STEP_SECONDS = 30;
    private static final int LARGE = 2_500_000;
    private static final CopyOptions TREE = CopyOptions.of(Flag.RECURSIVE, Flag.VERIFY);

    @TempDir
    Path temporary;

    @TestFactory
    Stream<DynamicTest> shouldEndExactlyWhatAnErrorConcerns() {
        int handOvers = assertTimeoutPreemptively(BOUND, () -> run(0));
        assertThat(handOvers).isGreaterThan(60);
        return IntStream.rangeClosed(1, handOvers)
                .mapToObj(number -> DynamicTest.dynamicTest(
                        "hand-over " + number,
                        () -> assertTimeoutPreemptively(BOUND, () -> run(number), () -> "hand-over " + number)));
    }

    /** Returns the number of hand-overs. */
    private int run(int number) throws Exception {
        Path folder = Files.createDirectory(temporary.resolve("run " + number));
        Path source = Files.createDirectory(folder.resolve("source"));
        TransferCase.write(source.resolve("small"), 10);
        TransferCase.write(source.resolve("large"), LARGE);
        TransferCase.write(source.resolve("folder/other"), 5000);
        Path served = Files.createDirectory(folder.resolve("served"));
        HandOvers handOvers = new HandOvers()
                .including(ExecutorService.class, ThreadFactory.class)
                .leaving(BufferLease.class, MemoryShare.class)
                .closing(BufferLease.class);
        int passed;
        try (DirectoryMount real = new DirectoryMount("a", served);
                TransferEngine engine = new TransferEngine(handOvers.through(Runtime.class, new SystemRuntime()))) {
            Mount mount = handOvers.through(Mount.class, real);
            copy(number, handOvers, engine, source, Location.of(mount, "/put"), served.resolve("put"));
            passed = handOvers.passed();
            handOvers.failAt(0);
            TransferCase.assertNoThreadIsLeft();
            assertThat(openBelow(folder)).as("after %s", handOvers.failed()).isEmpty();
            assertThat(leasedAtLast(real)).as("after %s", handOvers.failed()).isZero();

            engine.copy(List.of(Location.of(source)), Location.of(mount, "/next"), TREE)
                    .run()
                    .orThrow();
            requireSame(source, served.resolve("next"));
        }
        return passed;
    }

    /** The leased octets at last: a write may end behind the copy that failed. Waits ten seconds at most. */
    private static long leasedAtLast(Mount mount) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (mount.memory().leasedBytes() > 0 && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return mount.memory().leasedBytes();
    }

    private static void copy(
            int number, HandOvers handOvers, TransferEngine engine, Path source, Location to, Path target)
            throws Exception {
        Copy copy = engine.copy(List.of(Location.of(source)), to, TREE);
        copy.addListener(handOvers.through(CopyListener.class, new CopyListener() {}));
        handOvers.failAt(number);
        try {
            CompletableFuture<CopySummary> summary = copy.start();
            summary.get(STEP_SECONDS, TimeUnit.SECONDS).orThrow();
            requireSame(source, target);
        } catch (ExecutionException | IOException | OutOfMemoryError e) {
            assertThat(number).as("%s", e).isPositive();
            if (Files.exists(target)) {
                assertThat(parts(target))
                        .as("parts left after %s, told are %s", handOvers.failed(), copy.leftovers())
                        .hasSizeLessThanOrEqualTo(copy.leftovers().size());
            }
        }
    }

    private static List<Path> parts(Path below) throws IOException {
        try (Stream<Path> all = Files.walk(below)) {
            return all.filter(file -> file.getFileName().toString().endsWith(".part"))
                    .toList();
        }
    }

    private static void requireSame(Path source, Path target) throws IOException {
        for (String name : List.of("small", "large", "folder/other")) {
            assertThat(Files.mismatch(source.resolve(name), target.resolve(name)))
                    .as(name)
                    .isEqualTo(-1);
        }
    }

    /** The open files of this process there; none where the system does not tell. */
    private static List<Path> openBelow(Path folder) throws IOException {
        Path open = Path.of("/proc/self/fd");
        if (!Files.isDirectory(open)) {
            return List.of();
        }
        try (Stream<Path> descriptors = Files.list(open)) {
            return descriptors
                    .map(EveryHandOverTest::targetOf)
                    .filter(file -> file.startsWith(folder) && !Files.isDirectory(file))
                    .toList();
        }
    }

    private static Path targetOf(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (NoSuchFileException e) {
            return Path.of("/"); // closed after it was listed
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
