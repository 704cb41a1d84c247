package io.verbena.simulation.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random operations, also while others are under way, with losses of power between them, against {@link CrashModel}.
 */
class CrashPropertyTest {
    private static final int SEEDS = Integer.getInteger("verbena.disk.seeds", 3000);
    private static final int CRASHES = 3;
    private static final int OPERATIONS = 25;
    private static final int MAX_OFFSET = 12_000;
    private static final int MAX_LENGTH = 6_000;

    /** One run. */
    private static final class Run {
        private final DiskFixture fixture = new DiskFixture();
        private final CrashModel model = new CrashModel(fixture.disk);
        private final SplittableRandom random;

        private int depth;

        Run(long seed) {
            random = new SplittableRandom(seed);
            fixture.hook = this::suspend;
        }

        /** Lets other threads run before an operation that may block. */
        private void suspend(DiskOperation operation, long octets) {
            boolean isOfModel = operation == DiskOperation.READ;
            if (!operation.maySuspend() || isOfModel || depth > 2 || random.nextInt(3) > 0) {
                return;
            }
            depth++;
            try {
                for (int each = random.nextInt(4); each > 0; each--) {
                    step();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                depth--;
            }
        }

        void execute() throws IOException {
            for (int crash = 0; crash < CRASHES; crash++) {
                model.begin();
                int count = random.nextInt(OPERATIONS);
                for (int each = 0; each < count; each++) {
                    step();
                }
                fixture.crash(random);
                model.judge();
            }
        }

        private void step() throws IOException {
            try (Directory one = directory();
                    Directory two = directory()) {
                byte[] name = name();
                try {
                    switch (random.nextInt(12)) {
                        case 0, 1 -> model.touched(one.createFile(name, 0600), one);
                        case 2 -> {
                            one.createDirectory(name, 0700);
                            model.touched(one.refer(name), one);
                        }
                        case 3 -> rename(one, name, two, name());
                        case 4 -> remove(one, name);
                        case 5 -> {
                            FileReference file = one.refer(name);
                            two.link(name(), file);
                            model.touched(file, two);
                        }
                        case 6, 7, 8 -> write(one.refer(name));
                        case 9 -> truncate(one.refer(name));
                        case 10 -> force(one.refer(name));
                        default -> sync(one);
                    }
                } catch (IOException e) {
                    assertThat(e.getMessage()).doesNotContain("Input/output");
                }
                model.stepped();
            }
        }

        private Directory directory() throws IOException {
            if (random.nextBoolean()) {
                try {
                    return fixture.root.openDirectory(name());
                } catch (IOException e) {
                    // there is no such directory
                }
            }
            return fixture.disk.root();
        }

        private byte[] name() {
            return new byte[] {(byte) ('a' + random.nextInt(4))};
        }

        private void rename(Directory one, byte[] name, Directory two, byte[] newName) throws IOException {
            FileReference moved = one.refer(name);
            FileReference replaced = two.status(newName) == null ? null : two.refer(newName);
            if (replaced != null && replaced.status().isSameObject(moved.status())) {
                return;
            }
            one.rename(name, two, newName);
            model.touched(moved, one, two);
            if (replaced != null) {
                model.touched(replaced);
            }
        }

        private void remove(Directory one, byte[] name) throws IOException {
            FileReference removed = one.refer(name);
            one.remove(name, removed.status().isDirectory());
            model.touched(removed, one);
        }

        private void write(FileReference file) throws IOException {
            try (FileChannel channel = file.open(true)) {
                byte[] data = new byte[1 + random.nextInt(MAX_LENGTH)];
                random.nextBytes(data);
                channel.write(ByteBuffer.wrap(data), random.nextInt(MAX_OFFSET));
                model.changed(file, Long.MAX_VALUE);
            }
        }

        private void truncate(FileReference file) throws IOException {
            try (FileChannel channel = file.open(true)) {
                long size = random.nextInt(MAX_OFFSET);
                boolean isSmaller = size < channel.size();
                channel.truncate(size);
                if (isSmaller) {
                    model.changed(file, size);
                }
            }
        }

        private void force(FileReference file) throws IOException {
            try (FileChannel channel = file.open(random.nextBoolean())) {
                CrashModel.Promise promise = model.force(file);
                channel.force(true);
                model.kept(promise);
            }
        }

        private void sync(Directory directory) throws IOException {
            switch (random.nextInt(6)) {
                case 0 -> {
                    CrashModel.Promise promise = model.forceAll();
                    directory.syncFileSystem();
                    model.kept(promise);
                }
                case 1 -> fixture.disk.writeBack(random);
                default -> {
                    CrashModel.Promise promise = model.sync(directory);
                    directory.sync();
                    model.kept(promise);
                }
            }
        }
    }

    @Test
    void shouldLeaveWhatACrashMayLeave() throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                new Run(seed).execute();
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void shouldDoTheSameWithTheSameSeed() throws Exception {
        List<Long> hashes = new ArrayList<>();
        for (int seed = 0; seed < 50; seed++) {
            Run one = new Run(seed);
            Run two = new Run(seed);
            one.execute();
            two.execute();
            assertThat(one.fixture.disk.hash()).isEqualTo(two.fixture.disk.hash());
            hashes.add(one.fixture.disk.hash());
        }
        assertThat(hashes).doesNotHaveDuplicates();
    }
}
