package io.verbena.nfs41.client.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;

/**
 * A number that this process has and no other one with the same state directory: the lowest that is free, by the lock of a
 * file. The kernel gives the lock back when the process dies. All mounts of this bundle share one; with the last of them
 * the slot is given back. Thread safe.
 */
final class ProcessSlot implements AutoCloseable {
    private static final int MOST = 1024;

    /**
     * Tells other class loaders of this JVM that it has a slot. The file of such a slot must not even be opened: POSIX
     * gives all locks of a file back when the process closes any descriptor of it.
     */
    private static final String HELD_PREFIX = "verbena.client.slot.";

    /** Those of this class loader; guarded by itself. */
    private static final Map<Path, Held> HELD = new HashMap<>();

    private static final class Held {
        private final int number;
        private final String host;
        private final String property;
        private final FileChannel channel;
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

    private ProcessSlot(Path file, Held held) {
        this.file = file;
        this.held = held;
        held.users++;
    }

    /**
     * Takes a slot, which several mounts may.
     *
     * @param wanted the slot of the mount before, which is taken if it is free
     * @throws IOException where the directory cannot be used
     */
    static ProcessSlot take(Path stateDirectory, OptionalInt wanted) throws IOException {
        synchronized (HELD) {
            Path directory =
                    Files.createDirectories(stateDirectory.resolve("clients")).toRealPath();
            if (wanted.isPresent()) {
                Optional<ProcessSlot> same = take(directory, wanted.getAsInt());
                if (same.isPresent()) {
                    return same.get();
                }
            }
            for (Map.Entry<Path, Held> present : HELD.entrySet()) {
                if (present.getKey().startsWith(directory)) {
                    return new ProcessSlot(present.getKey(), present.getValue());
                }
            }
            for (int number = 0; number < MOST; number++) {
                Optional<ProcessSlot> taken = take(directory, number);
                if (taken.isPresent()) {
                    return taken.get();
                }
            }
            throw new IOException("all of " + MOST + " slots are in use");
        }
    }

    /** That slot, unless another process or class loader has it. */
    private static Optional<ProcessSlot> take(Path directory, int number) throws IOException {
        Path file = directory.resolve("slot-" + number);
        Held present = HELD.get(file);
        if (present == null) {
            present = lock(directory, file, number);
        }
        return Optional.ofNullable(present).map(held -> new ProcessSlot(file, held));
    }

    private static Held lock(Path directory, Path file, int number) throws IOException {
        Properties inJvm = System.getProperties();
        String property = HELD_PREFIX + file;
        if (inJvm.putIfAbsent(property, "held") != null) {
            return null;
        }
        FileChannel channel = null;
        Held held = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock != null) {
                held = new Held(number, HostIdentity.of(directory), property, channel);
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

    /** Gives it back, if nobody else of this bundle has it. */
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
