package io.verbena.itests.badpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.model.Side;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Counts up a number in a file under a lock, and appends each number to a journal under the lock. One thread of each
 * mount counts, by mounts and by java.nio: no step is lost, and none is done twice.
 */
final class LockedCounter {
    private static final String NUMBER = "number";
    private static final String JOURNAL = "journal";
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Set<StandardOpenOption> OPTIONS =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<OpenOption> APPEND = Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);

    private final Side side;
    private final Random random;
    private long steps;

    LockedCounter(Side side, long seed) {
        this.side = side;
        this.random = new Random(seed);
    }

    /** Counts one up, if the lock is granted in time. */
    void step() throws IOException {
        if (random.nextBoolean()) {
            stepByMount();
        } else {
            stepByNio();
        }
    }

    private void stepByMount() throws IOException {
        try (RemoteFile file = side.mount().open(side.remote(NUMBER), OPTIONS, 0644)) {
            Optional<RemoteLock> lock = file.tryLock(0, Long.MAX_VALUE, false, WAIT);
            if (lock.isEmpty()) {
                return;
            }
            try (RemoteLock held = lock.get()) {
                ByteBuffer octets = ByteBuffer.allocate(Long.BYTES);
                file.read(octets, 0);
                long next = next(octets);
                file.write(ByteBuffer.allocate(Long.BYTES).putLong(0, next), 0);
                appendByMount(next);
                if (random.nextBoolean()) {
                    file.sync();
                }
                assertThat(held.isValid())
                        .as("the lock is held until it is released")
                        .isTrue();
            } // which brings what was written to the server
            steps++;
        }
    }

    private void stepByNio() throws IOException {
        try (FileChannel channel = FileChannel.open(side.path(NUMBER), OPTIONS);
                FileLock held = channel.lock()) {
            ByteBuffer octets = ByteBuffer.allocate(Long.BYTES);
            channel.read(octets, 0);
            long next = next(octets);
            channel.write(ByteBuffer.allocate(Long.BYTES).putLong(0, next), 0);
            Files.write(side.path(JOURNAL), record(next), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            if (random.nextBoolean()) {
                channel.force(true);
            }
            assertThat(held.isValid())
                    .as("the lock is held until it is released")
                    .isTrue();
        }
        steps++;
    }

    private static long next(ByteBuffer octets) {
        return octets.position() < Long.BYTES ? 1 : octets.getLong(0) + 1;
    }

    private void appendByMount(long number) throws IOException {
        try (RemoteFile journal = side.mount().open(side.remote(JOURNAL), APPEND, 0644);
                SeekableByteChannel channel = journal.channel()) {
            channel.write(ByteBuffer.wrap(record(number)));
        }
    }

    private static byte[] record(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, number).array();
    }

    /**
     * Checks the number and the journal.
     *
     * @param directory the run's directory, accessed without the mounts
     */
    static void check(Path directory, List<LockedCounter> counters) throws IOException {
        long steps = counters.stream().mapToLong(counter -> counter.steps).sum();
        assertThat(steps).as("steps of the counter").isPositive();
        ByteBuffer number = ByteBuffer.wrap(Files.readAllBytes(directory.resolve(NUMBER)));
        assertThat(number.getLong()).as("the counter").isEqualTo(steps);
        ByteBuffer journal = ByteBuffer.wrap(Files.readAllBytes(directory.resolve(JOURNAL)));
        for (long expected = 1; expected <= steps; expected++) {
            assertThat(journal.getLong()).as("the next number of the journal").isEqualTo(expected);
        }
        assertThat(journal.remaining()).as("octets behind the last number").isZero();
    }
}
