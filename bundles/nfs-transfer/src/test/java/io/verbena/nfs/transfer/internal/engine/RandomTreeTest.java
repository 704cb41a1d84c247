package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.internal.block.BlockPump;
import io.verbena.nfs.transfer.internal.failure.FailureKind;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Copies random trees to a mount and back, with random interruptions. No file may be lost, and no temporary file may
 * remain.
 */
class RandomTreeTest extends TransferCase {
    private static final int BLOCK = BlockPump.BLOCK_SIZE;

    /** The size of a range, which is small so that many files have several ranges. */
    private static final long STRETCH = 2 * BLOCK;

    private static final List<Long> SIZES = List.of(
            0L,
            1L,
            4095L,
            BLOCK - 1L,
            (long) BLOCK,
            BLOCK + 1L,
            STRETCH - 1,
            STRETCH,
            STRETCH + 1,
            2 * STRETCH + 1,
            3 * STRETCH,
            4 * STRETCH - BLOCK + 7);

    private static final int DIRECTORIES = 6;
    private static final int FILES = 24;
    private static final int LINKS = 3;

    /** The number of operations of the mount per file, which is about the number that a whole copy needs. */
    private static final int OPERATIONS = 14;

    private static final int INTERRUPTIONS = 4;

    private final long seed = Long.getLong("verbena.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @RepeatedTest(5)
    void shouldLoseNothingAndLeaveNothing() throws Exception {
        System.out.println("RandomTreeTest: -Dverbena.seed=" + seed);
        Path tree = local.resolve("tree");
        makeTree(tree);
        Files.createDirectory(local.resolve("back"));

        copy(here("tree"), there("/"));
        copy(there("/tree"), here("back"));

        for (Path directory : List.of(served, local.resolve("back"))) {
            assertThat(names(directory)).as("seed %d", seed).containsExactly("tree");
            assertSame(tree, directory.resolve("tree"));
        }
        assertNoThreadIsLeft();
    }

    private void copy(Location from, Location to) throws Exception {
        for (int i = 0; i < INTERRUPTIONS; i++) {
            copyUntil(random.nextInt(OPERATIONS * FILES), from, to);
        }
        assertThat(resumed(from, to).run().failed()).as("seed %d", seed).isEmpty();
    }

    private Copy resumed(Location from, Location to) {
        CopyOptions options = CopyOptions.of(Flag.RECURSIVE, Flag.RESUME)
                .with(Flag.VERIFY, random.nextBoolean())
                .withJobs(1 + random.nextInt(4));
        return host.engine(STRETCH).copy(List.of(from), to, options);
    }

    /** Interrupts a copy at the given operation of the mount, if the copy needs that many operations. */
    private void copyUntil(long operation, Location from, Location to) throws Exception {
        Thread caller = Thread.currentThread();
        AtomicLong left = new AtomicLong(operation);
        mount.hook((which, path, position) -> {
            if (left.getAndDecrement() == 0) {
                caller.interrupt();
            }
        });
        try {
            resumed(from, to).run();
        } catch (IOException | InterruptedException e) {
            assertThat(FailureKind.of(e)).as("seed %d: %s", seed, e).isEqualTo(FailureKind.INTERRUPTED);
        } finally {
            mount.hook((which, path, position) -> {});
            Thread.interrupted();
        }
    }

    private void makeTree(Path top) throws IOException {
        List<Path> directories = new ArrayList<>(List.of(Files.createDirectory(top)));
        for (int i = 0; i < DIRECTORIES; i++) {
            directories.add(Files.createDirectory(anyOf(directories).resolve("d" + i)));
        }
        for (int i = 0; i < LINKS; i++) {
            Files.createSymbolicLink(anyOf(directories).resolve("l" + i), Path.of("f" + i));
        }
        for (int i = 0; i < FILES; i++) {
            Path file = anyOf(directories).resolve("f" + i);
            fill(file, anyOf(SIZES));
            setAttributes(file, 0_400);
        }
        Collections.reverse(directories); // creating an entry changes the time of its directory
        for (Path directory : directories) {
            setAttributes(directory, 0_700);
        }
    }

    private <T> T anyOf(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Fills the whole file, or ranges with holes between them. The whole file may be a hole. */
    private void fill(Path file, long size) throws IOException {
        try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
            content.setLength(size);
            int count = size == 0 ? 0 : random.nextInt(4);
            for (int i = 0; i < count; i++) {
                long start = i == 0 && random.nextBoolean() ? 0 : (long) (random.nextDouble() * size);
                byte[] octets = new byte[(int) Math.min(size - start, anyOf(SIZES))];
                random.nextBytes(octets);
                content.seek(start);
                content.write(octets);
            }
        }
    }

    private void setAttributes(Path file, int least) throws IOException {
        Files.setAttribute(file, "unix:mode", least | random.nextInt(0_1000));
        long micros = TimeUnit.SECONDS.toMicros(MODIFIED.getEpochSecond()) + random.nextInt();
        Files.setLastModifiedTime(file, FileTime.from(micros, TimeUnit.MICROSECONDS));
    }

    private void assertSame(Path expected, Path found) throws IOException {
        SortedMap<String, Map<String, Object>> files = attributes(expected);
        SortedMap<String, Map<String, Object>> copies = attributes(found);
        assertThat(copies.keySet()).as("seed %d", seed).isEqualTo(files.keySet());
        for (String name : files.keySet()) {
            assertThat(copies.get(name)).as("seed %d: %s", seed, name).isEqualTo(files.get(name));
            if (Files.isRegularFile(expected.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
                assertThat(Files.mismatch(expected.resolve(name), found.resolve(name)))
                        .as("seed %d: content of %s", seed, name)
                        .isEqualTo(-1);
            }
        }
    }

    /** Returns the attributes of every object in a tree, by path. */
    private static SortedMap<String, Map<String, Object>> attributes(Path top) throws IOException {
        SortedMap<String, Map<String, Object>> all = new TreeMap<>();
        try (Stream<Path> files = Files.walk(top)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                all.put(top.relativize(file).toString(), attributesOf(file));
            }
        }
        return all;
    }

    private static Map<String, Object> attributesOf(Path file) throws IOException {
        if (Files.isSymbolicLink(file)) {
            return Map.of("link", Files.readSymbolicLink(file).toString());
        }
        Map<String, Object> attributes = new TreeMap<>(Files.readAttributes(file, "unix:mode,lastModifiedTime"));
        if (Files.isRegularFile(file)) {
            attributes.put("size", Files.size(file));
        }
        return attributes;
    }
}
