package io.verbena.swap.probe.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The current mounts. Thread safe. */
final class CurrentMounts {
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(60);

    @GuardedBy("this")
    private final List<Mount> present = new ArrayList<>();

    synchronized void add(Mount mount) {
        present.add(mount);
        notifyAll();
    }

    synchronized void remove(Mount mount) {
        present.remove(mount);
    }

    /** Waits for the mount of a name, other than the one that has gone. */
    synchronized Mount await(String name, Mount gone) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + BOUND_NANOS;
        while (true) {
            for (Mount mount : present) {
                if (mount != gone && mount.name().equals(name)) {
                    return mount;
                }
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new IOException("no mount " + name + " came");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
