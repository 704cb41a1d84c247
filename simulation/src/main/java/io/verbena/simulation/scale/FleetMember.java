package io.verbena.simulation.scale;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.simulation.scheduler.Scheduler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * One mount of the fleet. It holds a file of its own open, and a lock in it, from its first moment to its last: that is
 * what it reclaims after a restart of the server. No thread is kept while it has nothing to do.
 */
final class FleetMember {
    private static final String MOUNT_OPTIONS = "hard,noac,slots=2,rsize=65536,wsize=65536";
    private static final Set<StandardOpenOption> CREATE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int OCTETS = 1024;

    private final Scheduler scheduler;
    private final ClientProcess client;
    private final String name;
    private final SplittableRandom random;
    private final Samples operations = new Samples();
    private NfsMount mount;
    private RemoteFile file;
    private RemoteLock lock;
    private byte stamp;

    FleetMember(Scheduler scheduler, ClientProcess client, String name, SplittableRandom random) {
        this.scheduler = scheduler;
        this.client = client;
        this.name = name;
        this.random = random;
    }

    /** What a strand of the member does. */
    private interface Step {
        void run() throws IOException;
    }

    /** Runs a step on a strand of the process; the result completes when it ends, and its failure is the world's. */
    private CompletableFuture<Void> run(String what, Step step) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        scheduler.start(client.process(), name, () -> {
            try {
                step.run();
            } catch (IOException | RuntimeException e) {
                scheduler.fail(name + ": " + what + ": " + Scheduler.text(e));
            }
            done.complete(null);
        });
        return done;
    }

    /** Mounts, opens the file and takes the lock. */
    CompletableFuture<Void> begin(String server) {
        return run("mount", () -> {
            mount = NfsMount.createAs(
                    Opaque.of("fleet/" + name),
                    Map.of(),
                    name,
                    server,
                    "/",
                    MOUNT_OPTIONS,
                    client.transport(),
                    client.memory(),
                    client.process().runtime());
            mount.connect(PATIENCE);
            file = mount.open("/" + name, CREATE, 0644);
            Optional<RemoteLock> taken = file.tryLock(0, OCTETS, false);
            if (taken.isEmpty()) {
                throw new IOException("somebody else has the lock");
            }
            lock = taken.get();
            write();
        });
    }

    /** Works now and then, with pauses of at most that length, until a time. */
    void work(long pauseNanos, long untilNanos) {
        scheduler.after(random.nextLong(pauseNanos), () -> {
            if (scheduler.now() < untilNanos) {
                CompletableFuture<Void> unused =
                        run("work", this::operate).whenComplete((done, thrown) -> work(pauseNanos, untilNanos));
            }
        });
    }

    private void operate() throws IOException {
        long start = scheduler.now();
        switch (random.nextInt(3)) {
            case 0 -> write();
            case 1 -> read();
            default -> visit();
        }
        operations.add(scheduler.now() - start);
    }

    private void write() throws IOException {
        ByteBuffer octets = ByteBuffer.allocate(OCTETS);
        octets.put(0, ++stamp);
        file.write(octets, 0);
        file.sync();
    }

    private void read() throws IOException {
        ByteBuffer octets = ByteBuffer.allocate(OCTETS);
        int count = file.read(octets, 0);
        if (count != OCTETS || octets.get(0) != stamp) {
            throw new IOException(count + " octets that begin with " + octets.get(0) + ", and not with " + stamp);
        }
    }

    /** Another file for a moment: open, lock, write, read, unlock, close. */
    private void visit() throws IOException {
        try (RemoteFile other = mount.open("/" + name + "-2", CREATE, 0644)) {
            Optional<RemoteLock> taken = other.tryLock(0, OCTETS, false);
            if (taken.isEmpty()) {
                throw new IOException("somebody else has the lock");
            }
            try (RemoteLock held = taken.get()) {
                other.write(ByteBuffer.allocate(OCTETS), 0);
                int count = other.read(ByteBuffer.allocate(OCTETS), 0);
                if (count != OCTETS || !held.isValid()) {
                    throw new IOException(count + " octets, " + (held.isValid() ? "" : "not ") + "under the lock");
                }
            }
        }
    }

    /** Writes to the file that the member holds, and keeps no thread for it. Completes when the server has answered. */
    CompletableFuture<Void> probe() {
        CompletableFuture<Void> answered = new CompletableFuture<>();
        scheduler.start(client.process(), name, () -> {
            ByteBuffer octets = ByteBuffer.allocateDirect(OCTETS);
            octets.put(0, ++stamp);
            CompletableFuture<Void> unused = file.writeAsync(octets, 0).whenComplete((done, thrown) -> {
                if (thrown != null) {
                    scheduler.fail(name + ": a write over the loss: " + Scheduler.text(thrown));
                }
                answered.complete(null);
            });
        });
        return answered;
    }

    boolean holdsLock() {
        return lock != null && lock.isValid();
    }

    /** How long each operation took. */
    Samples operations() {
        return operations;
    }

    /** Gives the lock up, closes the file and unmounts. */
    CompletableFuture<Void> end() {
        return run("unmount", () -> {
            if (lock != null) {
                lock.close();
                file.close();
            }
            mount.close();
        });
    }

    String name() {
        return name;
    }
}
