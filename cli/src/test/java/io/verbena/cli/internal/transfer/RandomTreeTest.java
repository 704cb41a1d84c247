package io.verbena.cli.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.transfer.CopyOptions.Flag;
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

/** Trees made up at random that are put and got back, broken off at random: nothing is lost, and nothing left over. */
class RandomTreeTest extends TransferCase {
    private static final int BLOCK = BlockPump.BLOCK_SIZE;

    /** Short, so that many files have several. */
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

    /** Of the mount, for each file: about as many as a whole copy needs. */
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
        return new Copy(List.of(from), to, options, TransferClock.SYSTEM, STRETCH);
    }

    /** Interrupts a copy at an operation of the mount, if it does as many. */
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
            assertThat(ExitStatus.of(e)).as("seed %d: %s", seed, e).isEqualTo(ExitStatus.INTERRUPTED);
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
        Collections.reverse(directories); // what is made in one changes its time
        for (Path directory : directories) {
            setAttributes(directory, 0_700);
        }
    }

    private <T> T anyOf(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** All of it, or stretches with holes between them, which may be all. */
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

    /** Of all that is in a tree, by path. */
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
