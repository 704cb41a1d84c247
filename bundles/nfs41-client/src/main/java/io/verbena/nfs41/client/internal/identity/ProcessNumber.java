package io.verbena.nfs41.client.internal.identity;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A number that distinguishes this process from others with the same state directory: the lowest free one, reserved by
 * a file lock. The kernel releases the lock when the process dies. All mounts of this bundle share one slot; the last
 * one releases it. Thread safe.
 */
final class ProcessNumber implements AutoCloseable {
    private static final int MOST = 1024;

    /**
     * Marks the slot as taken for other class loaders of this JVM. They must not even open the file: POSIX releases all
     * locks of a file when the process closes any descriptor of it.
     */
    private static final String HELD_PREFIX = "verbena.client.slot.";

    /** The slots of this class loader. */
    @GuardedBy("itself")
    private static final Map<Path, Held> HELD = new HashMap<>();

    private static final class Held {
        private final int number;
        private final String host;
        private final String property;
        private final FileChannel channel;

        @GuardedBy("HELD")
        private int users;

        Held(int number, String host, String property, FileChannel channel) {
            this.number = number;
            this.host = host;
            this.property = property;
            this.channel = channel;
        }
    }

    private final Path file;
    private final Held held;

    private ProcessNumber(Path file, Held held) {
        this.file = file;
        this.held = held;
        held.users++;
    }

    /**
     * Takes the slot; several mounts may.
     *
     * @param wanted the slot of the mount before, which is taken if it is free
     * @param random draws the random number of a directory that has none
     * @throws IOException where the directory cannot be used, or others could change it
     */
    static ProcessNumber take(Path stateDirectory, OptionalInt wanted, RandomGenerator random) throws IOException {
        synchronized (HELD) {
            Path directory = StrictModes.directory(stateDirectory.resolve("clients"));
            if (wanted.isPresent()) {
                Optional<ProcessNumber> same = take(directory, wanted.getAsInt(), random);
                if (same.isPresent()) {
                    return same.get();
                }
            }
            for (Map.Entry<Path, Held> present : HELD.entrySet()) {
                if (present.getKey().startsWith(directory)) {
                    return new ProcessNumber(present.getKey(), present.getValue());
                }
            }
            for (int number = 0; number < MOST; number++) {
                Optional<ProcessNumber> taken = take(directory, number, random);
                if (taken.isPresent()) {
                    return taken.get();
                }
            }
            throw new IOException("all of " + MOST + " slots are in use");
        }
    }

    /** The slot of that number; empty where another process or class loader has it. */
    @GuardedBy("HELD")
    private static Optional<ProcessNumber> take(Path directory, int number, RandomGenerator random) throws IOException {
        Path file = directory.resolve("slot-" + number);
        Held present = HELD.get(file);
        if (present == null) {
            present = lock(directory, file, number, random);
        }
        return Optional.ofNullable(present).map(held -> new ProcessNumber(file, held));
    }

    @GuardedBy("HELD")
    private static Held lock(Path directory, Path file, int number, RandomGenerator random) throws IOException {
        Properties inJvm = System.getProperties();
        String property = HELD_PREFIX + file;
        if (inJvm.putIfAbsent(property, "held") != null) {
            return null;
        }
        FileChannel channel = null;
        Held held = null;
        try {
            channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                    StrictModes.file(directory));
            FileLock lock = channel.tryLock();
            if (lock != null) {
                held = new Held(number, HostIdentity.of(directory, random), property, channel);
                HELD.put(file, held);
            }
            return held;
        } catch (OverlappingFileLockException e) {
            return null;
        } finally {
            if (held == null) {
                inJvm.remove(property);
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    int number() {
        return held.number;
    }

    /** The host and the state directory, for others to tell them apart. */
    String host() {
        return held.host;
    }

    /** Releases the slot, if no other mount of this bundle uses it. */
    @Override
    public void close() {
        synchronized (HELD) {
            held.users--;
            if (held.users > 0) {
                return;
            }
            HELD.remove(file);
            try {
                held.channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(file.toString(), e);
            } finally {
                System.getProperties().remove(held.property);
            }
        }
    }
}
