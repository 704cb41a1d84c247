package io.verbena.swap.probe.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads a file block by block, as a transfer does, and records the durations of slow blocks. */
final class PauseLoad extends Load {
    private static final int BLOCK = 64 << 10;
    private static final int BLOCKS = 64;
    private static final long SHORT_NANOS = 1_000_000;

    private record Slow(long from, long to) {}

    private final CurrentMounts mounts;
    private final String path;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BLOCK);

    @GuardedBy("slow")
    private final List<Slow> slow = new ArrayList<>();

    private Mount mount;
    private RemoteFile file;
    private long next;

    PauseLoad(CurrentMounts mounts, String mountName, String path) throws IOException, InterruptedException {
        super("pause");
        this.mounts = mounts;
        mount = mounts.await(mountName, null);
        this.path = path;
        try (RemoteFile made = mount.open(path, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE), 0644)) {
            for (int i = 0; i < BLOCKS; i++) {
                ByteBuffer block = ByteBuffer.allocate(BLOCK);
                block.putInt(0, i);
                made.write(block, (long) i * BLOCK);
            }
        }
        file = mount.open(path, Set.of(StandardOpenOption.READ), 0);
    }

    @Override
    void step() throws Exception {
        long began = System.nanoTime();
        buffer.clear();
        while (true) {
            try {
                if (file == null) {
                    file = mount.open(path, Set.of(StandardOpenOption.READ), 0);
                }
                int count = file.read(buffer, next % BLOCKS * BLOCK);
                if (count != BLOCK || buffer.getInt(0) != next % BLOCKS) {
                    throw new IllegalStateException(
                            "block " + next + " came with " + count + " octets and " + buffer.getInt(0));
                }
                break;
            } catch (MountReplacedException e) {
                mount = mounts.await(mount.name(), mount);
                file = null;
                buffer.clear();
            }
        }
        next++;
        long now = System.nanoTime();
        if (now - began > SHORT_NANOS) {
            synchronized (slow) {
                slow.add(new Slow(began, now));
            }
        }
    }

    /** The longest duration of a block that was read between these times. */
    long longestNanos(long from, long to) {
        long longest = 0;
        synchronized (slow) {
            for (Slow each : slow) {
                if (each.to - from > 0 && to - each.from > 0) {
                    longest = Math.max(longest, each.to - each.from);
                }
            }
        }
        return longest;
    }

    void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
