package io.verbena.simulation.workload;

import io.verbena.nfs.Mount;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.runtime.Runtime;
import io.verbena.simulation.world.ClientHost;
import io.verbena.simulation.world.Judge;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** A number in a file, which all workers count up under a lock: no step of it may be lost. */
final class Counter {
    private static final String PATH = "/counter";
    private static final long MOST_REST = 1_000_000_000;
    /**
     * The lock is granted in time where the last fault is longer ago, and the server could grant it for longer. Each
     * restart of the server begins another grace period of a lease, so restarts can take up all the time that a client
     * waits. The request that has waited out the last grace period may find the lock held by another client, and so may
     * the one request more that the client makes.
     */
    private static final long SETTLED_NANOS = 60_000_000_000L;
    /** Longer than the longest lease and what follows it: whoever begins to wait after the last fault is judged. */
    private static final Duration PATIENCE = Duration.ofSeconds(200);

    private static final Set<StandardOpenOption> OPTIONS =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private long least;
    private long most;
    private ClientHost holder;
    private long since;
    /** The holder's lock: a mount that goes gives its locks back, and they are not valid any more. */
    private RemoteLock held;
    /** The mounts on which a worker counts now: one process cannot lock the same range twice. */
    private final Set<String> counting = new HashSet<>();

    /** Counts one up, where the lock can be had in a while. */
    void increment(ClientHost client, String who, Judge judge) throws IOException {
        Mount mount = client.mount();
        if (!counting.add(mount.name())) {
            return;
        }
        long start = judge.now();
        try {
            locked(client, who, judge);
        } catch (NfsException e) {
            if (!e.getMessage().contains("a lock on it was lost") || !judge.mayBeForgotten(client, start)) {
                throw e;
            }
            judge.tell(who + " has lost the lock, since it was silent");
        } finally {
            counting.remove(mount.name());
        }
    }

    private void locked(ClientHost client, String who, Judge judge) throws IOException {
        try (RemoteFile file = client.mount().open(PATH, OPTIONS, 0666);
                SeekableByteChannel channel = file.channel()) {
            ByteBuffer half = ByteBuffer.allocate(Integer.BYTES);
            channel.read(half); // which reads the other half ahead
            Optional<RemoteLock> lock = file.tryLock(0, Long.MAX_VALUE, false, PATIENCE);
            if (lock.isEmpty()) {
                judge.tell(who + " does not get the lock");
                if (!judge.hasBeenFault(SETTLED_NANOS) && !judge.hasKeptLocks(SETTLED_NANOS)) {
                    judge.fail(who + " does not get the lock of the counter in " + PATIENCE);
                }
                return;
            }
            try (RemoteLock held = lock.get()) {
                if (half.position() == Integer.BYTES) {
                    readOn(file, channel, held, who, judge);
                }
                step(file, held, client, who, judge);
            }
        }
    }

    /** Reads the half of the number that was read ahead before the lock was granted. */
    private static void readOn(RemoteFile file, SeekableByteChannel channel, RemoteLock lock, String who, Judge judge)
            throws IOException {
        int powerLosses = judge.powerLosses();
        ByteBuffer half = ByteBuffer.allocate(Integer.BYTES);
        channel.read(half);
        ByteBuffer octets = ByteBuffer.allocate(Long.BYTES);
        file.read(octets, 0);
        boolean isWhole = half.position() == Integer.BYTES && octets.position() == Long.BYTES;
        if (isWhole
                && half.getInt(0) != octets.getInt(Integer.BYTES)
                && lock.isValid()
                && judge.powerLosses() == powerLosses) {
            judge.fail(who + " reads on under the lock: " + half.getInt(0) + " in place of " + octets.getLong(0));
        }
    }

    private void step(RemoteFile file, RemoteLock lock, ClientHost client, String who, Judge judge) throws IOException {
        boolean isHeld = holder != null && !holder.process().isDead() && held.isValid();
        if (isHeld && lock.isValid() && !judge.mayBeForgotten(holder, since)) {
            judge.fail(who + " has the lock of the counter, and so has "
                    + holder.process().name());
        }
        holder = client;
        held = lock;
        since = judge.now();
        try {
            rest(client.process().runtime());
            countUp(file, lock, who, judge);
        } finally {
            if (holder == client) {
                holder = null;
            }
        }
    }

    private void countUp(RemoteFile file, RemoteLock lock, String who, Judge judge) throws IOException {
        ByteBuffer octets = ByteBuffer.allocate(Long.BYTES);
        file.read(octets, 0);
        long value = octets.position() < Long.BYTES ? 0 : octets.getLong(0);
        judge.tell(who + " reads " + value + " under the lock");
        // whoever has the lock by now was judged when he got it
        if (lock.isValid() && held == lock && (value < least || value > most)) {
            judge.fail(who + " reads " + value + " under the lock, and not " + least + " to " + most);
        }
        boolean done = false;
        most = Math.max(most, value + 1);
        try {
            file.write(ByteBuffer.allocate(Long.BYTES).putLong(0, value + 1), 0);
            file.sync();
            done = true;
            judge.counted();
        } finally {
            if (done) {
                least = Math.max(least, value + 1);
                most = Math.max(most, value + 1);
            }
        }
    }

    /** Leaves time for a fault at times, while the lock is held. */
    private static void rest(Runtime runtime) throws IOException {
        if (runtime.random().nextInt(3) == 0) {
            try {
                runtime.sleep(runtime.random().nextLong(MOST_REST));
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    /** What it has to be in the end; a client that has not seen it yet gets the lock, and counts once. */
    void judge(ClientHost fresh, Judge judge) throws IOException {
        locked(fresh, "the judge", judge);
        try (RemoteFile file = fresh.mount().open(PATH, Set.of(StandardOpenOption.READ), 0)) {
            ByteBuffer octets = ByteBuffer.allocate(Long.BYTES);
            file.read(octets, 0);
            long value = octets.position() < Long.BYTES ? 0 : octets.getLong(0);
            if (value < least || value > most) {
                judge.fail("the counter is " + value + ", and not " + least + " to " + most);
            }
        }
    }
}
