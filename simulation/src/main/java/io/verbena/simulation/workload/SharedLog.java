package io.verbena.simulation.workload;

import io.verbena.nfs.Mount;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.simulation.world.ClientHost;
import io.verbena.simulation.world.Judge;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * A file to which all workers append under its lock, by opens that they keep. Where an append is in doubt, another file
 * takes its place.
 */
final class SharedLog {
    private static final int MOST_OCTETS = 3000;
    private static final int MOST_APPENDS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Set<StandardOpenOption> OPTIONS =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private String path = "/log-0";
    private int number;
    private byte[] content = {};
    /** Who appends now; null for nobody. */
    private ClientHost writer;

    /** What a worker keeps open. */
    static final class Kept {
        private Mount mount;
        private RemoteFile file;
    }

    /** Waits for asynchronous calls. */
    interface Waiter {
        <T> T await(CompletableFuture<T> future) throws IOException;
    }

    void append(ClientHost client, Kept kept, Waiter waiter, Judge judge, SplittableRandom random, Attempts attempts) {
        if (writer != null && !writer.process().isDead()) {
            return;
        }
        if (writer != null) { // a request of the dead one may still be on its way
            another();
        }
        writer = client;
        boolean unused = attempts.run(
                "append to " + path,
                () -> {
                    long start = judge.now();
                    try {
                        locked(open(client, kept), waiter, judge, random);
                    } catch (NfsException e) {
                        if (!e.getMessage().contains("a lock on it was lost") || !judge.mayBeForgotten(client, start)) {
                            throw e;
                        }
                        kept.file = null;
                        another();
                    }
                },
                () -> {
                    kept.file = null;
                    another();
                });
        writer = null;
    }

    private void another() {
        path = "/log-" + ++number;
        content = new byte[0];
    }

    private RemoteFile open(ClientHost client, Kept kept) throws IOException {
        RemoteFile before = kept.file;
        if (before != null && kept.mount == client.mount() && before.path().endsWith(path)) {
            return before;
        }
        kept.file = null;
        if (before != null && kept.mount == client.mount()) {
            before.close();
        }
        kept.mount = client.mount();
        kept.file = kept.mount.open(path, OPTIONS, 0666);
        return kept.file;
    }

    private void locked(RemoteFile file, Waiter waiter, Judge judge, SplittableRandom random) throws IOException {
        Optional<RemoteLock> granted = file.tryLock(0, Long.MAX_VALUE, false, PATIENCE);
        if (granted.isEmpty()) {
            judge.tell("the lock of " + path + " is not to be had");
            return;
        }
        try (RemoteLock lock = granted.get()) {
            List<CompletableFuture<Long>> appends = new ArrayList<>();
            byte[] all = content;
            List<Integer> offsets = new ArrayList<>();
            for (int i = random.nextInt(MOST_APPENDS); i >= 0; i--) {
                byte[] more = new byte[1 + random.nextInt(MOST_OCTETS)];
                random.nextBytes(more);
                offsets.add(all.length);
                all = Arrays.copyOf(all, all.length + more.length);
                System.arraycopy(more, 0, all, all.length - more.length, more.length);
                appends.add(file.appendAsync(ByteBuffer.wrap(more), at -> {}));
            }
            for (int i = 0; i < appends.size(); i++) {
                long at = waiter.await(appends.get(i));
                if (at != offsets.get(i) && lock.isValid()) {
                    judge.fail("an append to " + path + " is at " + at + " in place of " + offsets.get(i));
                }
            }
            file.sync();
            content = all;
        }
    }

    /** What a client finds in the end that has not seen it yet. */
    void judge(ClientHost fresh, Judge judge) throws IOException {
        if (writer != null || content.length == 0) {
            return;
        }
        byte[] found = Worker.readWhole(fresh.mount(), path, content.length);
        if (!Arrays.equals(found, content)) {
            judge.fail("in the end " + path + " has " + found.length + " octets in place of " + content.length
                    + ", and differs from " + Arrays.mismatch(found, content) + " on");
        }
    }
}
