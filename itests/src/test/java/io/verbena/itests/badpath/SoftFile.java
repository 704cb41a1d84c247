package io.verbena.itests.badpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.model.Side;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Writes and reads the blocks of a file of its own on a soft mount, where any call may fail. Each octet of a block is
 * that of the last write which a sync has confirmed, or of a write since then. One thread uses an object.
 */
final class SoftFile {
    private static final int BLOCKS = 24;
    private static final int SIZE = 3000;
    private static final int MOST_CALLS = 6;
    private static final int TRIES = 1000;
    private static final Set<StandardOpenOption> OPTIONS = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final Side side;
    private final String name;
    private final SoftCalls calls;
    private final long seed;
    private final Random random;
    /** For each block the versions that its octets may be of. */
    private final List<Set<Integer>> candidates = new ArrayList<>();

    private int versions;

    /**
     * Creates the file.
     *
     * @param directory the run's directory, accessed without the mount
     */
    SoftFile(Side side, Path directory, String name, SoftCalls calls, long seed) throws IOException {
        this.side = side;
        this.name = name;
        this.calls = calls;
        this.seed = seed;
        random = new Random(seed);
        ByteBuffer all = ByteBuffer.allocate(BLOCKS * SIZE);
        for (int block = 0; block < BLOCKS; block++) {
            candidates.add(new TreeSet<>(Set.of(0)));
            all.put(content(block, 0));
        }
        Files.write(directory.resolve(name), all.array());
    }

    private byte[] content(int block, int version) {
        byte[] octets = new byte[SIZE];
        new Random(seed * 31 + block * 1_000_003L + version).nextBytes(octets);
        return octets;
    }

    /** An open of the file. */
    private interface Open {
        void write(ByteBuffer octets, long at) throws IOException;

        int read(ByteBuffer octets, long at) throws IOException;

        void sync() throws IOException;

        void close() throws IOException;
    }

    private Open openByMount() throws IOException {
        RemoteFile file = side.mount().open(side.remote(name), OPTIONS, 0);
        return new Open() {
            @Override
            public void write(ByteBuffer octets, long at) throws IOException {
                file.write(octets, at);
            }

            @Override
            public int read(ByteBuffer octets, long at) throws IOException {
                return file.read(octets, at);
            }

            @Override
            public void sync() throws IOException {
                file.sync();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    private Open openByNio() throws IOException {
        FileChannel channel = FileChannel.open(side.path(name), OPTIONS);
        return new Open() {
            @Override
            public void write(ByteBuffer octets, long at) throws IOException {
                channel.write(octets, at);
            }

            @Override
            public int read(ByteBuffer octets, long at) throws IOException {
                return channel.read(octets, at);
            }

            @Override
            public void sync() throws IOException {
                channel.force(true);
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    /** Opens the file, writes and reads some blocks, syncs and closes. */
    void step() {
        List<Open> opened = new ArrayList<>();
        boolean nio = random.nextBoolean();
        if (!calls.make("open", () -> opened.add(nio ? openByNio() : openByMount()))) {
            return;
        }
        Open open = opened.get(0);
        Map<Integer, Integer> written = new TreeMap<>();
        boolean all = true;
        for (int i = random.nextInt(MOST_CALLS); i >= 0; i--) {
            int block = random.nextInt(BLOCKS);
            if (random.nextInt(3) == 0) {
                read(open, block);
            } else {
                written.put(block, ++versions);
                all &= write(open, block, versions);
            }
        }
        boolean synced = calls.make("sync", open::sync);
        if (all && synced) {
            written.forEach((block, version) -> candidates.set(block, new TreeSet<>(Set.of(version))));
        }
        boolean unused = calls.make("close", open::close);
    }

    private boolean write(Open open, int block, int version) {
        candidates.get(block).add(version);
        ByteBuffer octets = ByteBuffer.wrap(content(block, version));
        return calls.make("write", () -> open.write(octets, (long) block * SIZE));
    }

    private void read(Open open, int block) {
        ByteBuffer found = ByteBuffer.allocate(SIZE);
        if (calls.make("read", () -> readAll(open, found, (long) block * SIZE))) {
            compare(block, found.array(), 0);
        }
    }

    private static void readAll(Open open, ByteBuffer octets, long at) throws IOException {
        int start = octets.position();
        while (octets.hasRemaining()) {
            if (open.read(octets, at + octets.position() - start) < 0) {
                throw new AssertionError("the file ends at " + (at + octets.position() - start));
            }
        }
    }

    private void compare(int block, byte[] found, int offset) {
        List<byte[]> possible = new ArrayList<>();
        candidates.get(block).forEach(version -> possible.add(content(block, version)));
        for (int i = 0; i < SIZE; i++) {
            byte octet = found[offset + i];
            int at = i;
            if (possible.stream().noneMatch(content -> content[at] == octet)) {
                throw new AssertionError(
                        "octet " + i + " of block " + block + " of " + name + " is of none of versions "
                                + candidates.get(block) + ", but of " + versionsOf(block, found, offset));
            }
        }
    }

    private List<Integer> versionsOf(int block, byte[] found, int offset) {
        List<Integer> same = new ArrayList<>();
        for (int version = 0; version <= versions; version++) {
            byte[] content = content(block, version);
            if (ByteBuffer.wrap(content).equals(ByteBuffer.wrap(found, offset, SIZE))) {
                same.add(version);
            }
        }
        return same;
    }

    /** Works until all blocks are confirmed, which must be possible once the path has no faults. */
    void settle() {
        for (int tries = 0; tries < TRIES && candidates.stream().anyMatch(each -> each.size() > 1); tries++) {
            List<Open> opened = new ArrayList<>();
            if (calls.make("open", () -> opened.add(openByMount()))) {
                rewrite(opened.get(0));
            }
        }
        assertThat(candidates).as("the versions of each block").allMatch(each -> each.size() == 1);
    }

    private void rewrite(Open open) {
        boolean all = true;
        int version = ++versions;
        for (int block = 0; block < BLOCKS; block++) {
            all &= write(open, block, version);
        }
        boolean synced = calls.make("sync", open::sync);
        boolean closed = calls.make("close", open::close);
        if (all && synced && closed) {
            candidates.replaceAll(old -> new TreeSet<>(Set.of(version)));
        }
    }

    /**
     * Checks the file.
     *
     * @param directory the run's directory, accessed without the mount
     */
    void check(Path directory) throws IOException {
        byte[] found = Files.readAllBytes(directory.resolve(name));
        assertThat(found).hasSize(BLOCKS * SIZE);
        for (int block = 0; block < BLOCKS; block++) {
            compare(block, found, block * SIZE);
        }
    }
}
