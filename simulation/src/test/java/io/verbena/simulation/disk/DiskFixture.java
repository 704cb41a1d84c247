package io.verbena.simulation.disk;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** A disk whose clock goes on by a microsecond with each look at it, and shorthands for its use. */
final class DiskFixture {
    /** What {@link RandomGenerator}s choose: no change survives that was not synced. */
    static final RandomGenerator WORST = new Choice(0);

    /** All changes survive. */
    static final RandomGenerator BEST = new Choice(1);

    final DiskFaults faults = new DiskFaults(new SplittableRandom(1));
    final SimulatedDisk disk;
    Directory root;
    LatencyHook hook = LatencyHook.NONE;
    private long micros;

    DiskFixture() {
        disk = new SimulatedDisk(this::now, faults, (operation, octets) -> hook.before(operation, octets));
        root = disk.root();
    }

    private static final class Choice extends Random {
        private static final long serialVersionUID = 1L;

        private final int choice;

        Choice(int choice) {
            super(choice);
            this.choice = choice;
        }

        @Override
        public boolean nextBoolean() {
            return true;
        }

        @Override
        public int nextInt(int bound) {
            return Math.min(choice, bound - 1);
        }
    }

    private Instant now() {
        return Instant.ofEpochSecond(1_000_000_000).plusNanos(1000 * micros++);
    }

    void crash(RandomGenerator random) {
        disk.powerLoss(random);
        root = disk.root();
    }

    static byte[] name(String ascii) {
        return ascii.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Makes a file with a content. */
    FileReference file(String name, String content) throws IOException {
        FileReference made = root.createFile(name(name), 0644);
        if (!content.isEmpty()) {
            write(made, 0, content);
        }
        return made;
    }

    Directory directory(String name) throws IOException {
        root.createDirectory(name(name), 0755);
        return root.openDirectory(name(name));
    }

    static void write(FileReference file, long position, String content) throws IOException {
        try (FileChannel channel = file.open(true)) {
            channel.write(ByteBuffer.wrap(name(content)), position);
        }
    }

    static void force(FileReference file) throws IOException {
        try (FileChannel channel = file.open(true)) {
            channel.force(true);
        }
    }

    static String read(FileReference file) throws IOException {
        try (FileChannel channel = file.open(false)) {
            ByteBuffer all = ByteBuffer.allocate((int) channel.size());
            while (all.hasRemaining() && channel.read(all) >= 0) {
                // not all is read yet
            }
            return new String(all.array(), StandardCharsets.ISO_8859_1);
        }
    }

    /** What programs see in a file. */
    String content(String path) throws IOException {
        return new String(disk.view().read(path), StandardCharsets.ISO_8859_1);
    }

    /** The paths of all objects but the root, ordered as texts. */
    List<String> paths() {
        return disk.view().list().stream()
                .map(DiskEntry::path)
                .filter(path -> !path.isEmpty())
                .sorted()
                .toList();
    }
}
