package io.verbena.simulation.world;

import io.verbena.simulation.disk.DiskFaults;
import io.verbena.simulation.disk.DiskView;
import io.verbena.simulation.disk.SimulatedDisk;
import io.verbena.simulation.network.SimulatedNetwork;
import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The world of one seed: makes it, lets it run, and judges it. */
public final class World {
    private static final long SECOND = 1_000_000_000;
    private static final long MOST_STEPS = 4_000_000;
    /** How long faults go on, and how long all work takes at most after the last one. */
    private static final long FAULT_NANOS = 240 * SECOND;

    private static final long LIVENESS_NANOS = 900 * SECOND;
    private static final int QUIET_TRIES = 100;
    /** Longer than the last fault: a process may stand still with a call, or a hole hold its reply. */
    private static final int CLOSED_TRIES = 600;

    private static final byte[] SERVER_ADDRESS = {10, 0, 1, 1};

    private final long seed;
    private final SplittableRandom random;
    private final WorldOptions options;
    private final FaultChoice choice;
    private final Scheduler scheduler;
    private final SimulatedNetwork network;
    private final SimulatedProcess own;
    private final SimulatedDisk disk;
    private final Path folder;
    private final List<ClientHost> clients = new ArrayList<>();
    private final List<Working> working = new ArrayList<>();
    private ServerHost server;
    private Judge judge;
    private FaultMaker faults;
    private int processes;

    /** A worker that has begun. */
    private record Working(ClientHost client, CompletableFuture<Void> done) {}

    /** The work that a world is made for. */
    public interface Work {
        /** Works on the mounts. A strand of each client's process calls this, for each of its workers. */
        void run(ClientHost client, int worker, int operations, SplittableRandom random, Judge judge);

        /**
         * Looks at what is left, by a client that has not seen it yet and on the disk.
         *
         * @param disk what programs see
         * @param stable what a loss of power leaves
         */
        void judge(ClientHost fresh, DiskView disk, DiskView stable, Judge judge);
    }

    /**
     * @param choice which of the seed's faults happen
     * @param folder an empty folder of the real host, for what the server keeps over its restarts
     * @param story receives what happens; null for nobody
     */
    public World(long seed, FaultChoice choice, Path folder, Consumer<String> story) {
        this.seed = seed;
        this.choice = choice;
        this.folder = folder;
        random = new SplittableRandom(seed);
        options = WorldOptions.of(seed, random);
        scheduler = new Scheduler(random.split(), options.disorder(), MOST_STEPS);
        if (story != null) {
            scheduler.tellTo(story);
        }
        network = new SimulatedNetwork(scheduler, random.split(), options.leastDelay(), options.spread());
        if (options.sharing()) {
            network.letHostsBeSilent();
        }
        network.watch(new CreditWatcher(scheduler));
        network.watch(new SlotWatcher(scheduler));
        network.watch(new TagWatcher(scheduler));
        own = scheduler.process("world");
        disk = new SimulatedDisk(
                own.runtime()::now,
                new DiskFaults(random.split()),
                new DiskLatency(scheduler, () -> server.process(), random.split(), options.slowestSync()));
    }

    /** Runs the world to its end. */
    public Outcome run(Work work) throws InterruptedException {
        scheduler.tell("seed " + seed + ": " + options);
        List<String> failures = scheduler.run(own, "main", () -> live(work));
        Map<String, Long> counts = new TreeMap<>(network.faults().counts());
        Map<String, Long> consequences = new TreeMap<>(network.faults().consequences());
        if (faults != null) {
            faults.counts().forEach((kind, count) -> counts.merge(kind, count, Long::sum));
        }
        if (disk.faults().failures() > 0) {
            consequences.put("failure of the disk", disk.faults().failures());
        }
        return new Outcome(
                seed,
                failures,
                scheduler.hash().value(),
                scheduler.steps(),
                scheduler.now(),
                counts,
                consequences,
                faults == null ? 0 : faults.number(),
                judge == null ? 0 : judge.operations(),
                judge == null ? 0 : judge.counts(),
                scheduler.lost());
    }

    private void live(Work work) {
        try {
            Path exported = Files.createDirectory(folder.resolve("exported"));
            server = new ServerHost(
                    scheduler,
                    network,
                    InetAddress.getByAddress(SERVER_ADDRESS),
                    exported,
                    folder.resolve("state"),
                    disk,
                    options);
            judge = new Judge(
                    scheduler,
                    server,
                    network,
                    disk.faults(),
                    nanos -> faults != null && faults.hasBeen(nanos),
                    options);
            server.start();
            for (int i = 0; i < options.clients(); i++) {
                clients.add(client(i, options));
            }
            for (ClientHost each : clients) {
                for (int worker = 0; worker < options.workers(); worker++) {
                    start(each, worker, work, random.split());
                }
            }
            faults = new FaultMaker(
                    scheduler,
                    network,
                    server,
                    disk,
                    clients,
                    options,
                    choice,
                    (index, silent, own) -> kill(index, silent, work, own),
                    random.split());
            faults.begin();
            finish();
            judgeAll(work);
            awaitClosedMemory();
            close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private ClientHost client(int index, WorldOptions options) throws InterruptedException {
        SimulatedProcess process = scheduler.process("client-" + processes++);
        CompletableFuture<ClientHost> made = new CompletableFuture<>();
        scheduler.start(
                process,
                "main",
                () -> made.complete(new ClientHost(network, process, address(index), server, options)));
        return await(made, SECOND);
    }

    private static InetAddress address(int index) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) (index + 1)});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private <T> T await(CompletableFuture<T> future, long nanos) throws InterruptedException {
        try {
            return own.runtime().await(future, nanos);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    private void start(ClientHost client, int worker, Work work, SplittableRandom own) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        working.add(new Working(client, done));
        scheduler.start(client.process(), "worker-" + worker, () -> {
            work.run(client, worker, options.operations(), own, judge);
            done.complete(null);
        });
    }

    /** Kills the process of a client, and starts another one on its host, whose workers begin anew. */
    private boolean kill(int index, boolean silent, Work work, SplittableRandom own) {
        ClientHost killed = clients.get(index);
        if (killed.process().isDead()) { // the next one has not begun
            return false;
        }
        SimulatedProcess process = scheduler.process("client-" + processes++);
        scheduler.happened(killed.process().name() + " is killed, and " + process.name() + " takes its place");
        killed.process().kill();
        judge.clientKilled();
        network.processDied(killed.process(), silent);
        CompletableFuture<Void> begun = new CompletableFuture<>();
        working.add(new Working(killed, begun)); // the work is not done before the new workers have begun
        working.stream()
                .filter(each -> each.client() == killed && each.done() != begun)
                .forEach(each -> each.done().complete(null));
        scheduler.start(process, "main", () -> {
            ClientHost fresh = new ClientHost(network, process, address(index), server, options);
            clients.set(index, fresh);
            for (int worker = 0; worker < options.workers(); worker++) {
                start(fresh, worker, work, own.split());
            }
            begun.complete(null);
        });
        return true;
    }

    /** Lets faults go on until the work is done, for some time at most; after that the work has to be done in time. */
    private void finish() throws InterruptedException {
        if (!isWorkDone(FAULT_NANOS)) {
            scheduler.tell("faults end; the work is not done");
        }
        faults.end();
        if (!isWorkDone(LIVENESS_NANOS)) {
            long left = working.stream().filter(each -> !each.done().isDone()).count();
            judge.fail(left + " workers are not done " + LIVENESS_NANOS / SECOND + " s after the last fault");
        }
    }

    /** Waits for all workers, those that begin meanwhile too. */
    private boolean isWorkDone(long nanos) throws InterruptedException {
        long end = scheduler.now() + nanos;
        for (int i = 0; i < working.size(); i++) {
            if (!isDone(working.get(i).done(), end - scheduler.now())) {
                return false;
            }
        }
        return true;
    }

    private boolean isDone(CompletableFuture<Void> future, long nanos) throws InterruptedException {
        try {
            own.runtime().await(future, nanos);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void judgeAll(Work work) throws InterruptedException {
        ClientHost fresh = client(options.clients(), options.hard());
        clients.add(fresh);
        CompletableFuture<Void> judged = new CompletableFuture<>();
        scheduler.start(fresh.process(), "judge", () -> {
            work.judge(fresh, disk.view(), disk.stableView(), judge);
            judged.complete(null);
        });
        if (!isDone(judged, LIVENESS_NANOS)) {
            judge.fail("the judge does not end");
        }
    }

    /** The clients do nothing now but renew their leases: no memory stays open to the peer. */
    private void awaitClosedMemory() throws InterruptedException {
        for (int tries = 0; network.openRegions() > 0; tries++) {
            if (tries == CLOSED_TRIES) {
                judge.fail(network.openRegions() + " regions of memory are open to peers, and no call is under way");
                return;
            }
            own.runtime().sleep(SECOND / 10);
        }
    }

    /** Ends everything in order, and looks for what is left. */
    private void close() throws InterruptedException {
        for (ClientHost each : clients) {
            CompletableFuture<Void> closed = new CompletableFuture<>();
            scheduler.start(each.process(), "close", () -> {
                try {
                    each.close();
                } catch (IOException | InterruptedException e) {
                    judge.fail("closing " + each.process().name() + ": " + Scheduler.text(e));
                }
                closed.complete(null);
            });
            if (!isDone(closed, LIVENESS_NANOS)) {
                judge.fail(each.process().name() + " cannot be closed");
            } else if (each.leasedBytes() > 0) {
                judge.fail(each.process().name() + " has not given back " + each.leasedBytes() + " octets: "
                        + each.holdings());
            } else {
                awaitNoRemains(each.process());
            }
        }
        awaitNoState();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        scheduler.start(server.process(), "close", () -> {
            try {
                server.close();
            } catch (InterruptedException e) {
                judge.fail("closing the server: " + Scheduler.text(e));
            }
            closed.complete(null);
        });
        if (!isDone(closed, LIVENESS_NANOS)) {
            judge.fail("the server cannot be closed");
        } else if (server.leasedBytes() > 0) {
            judge.fail("the server has not given back " + server.leasedBytes() + " octets: " + server.holdings());
        } else {
            awaitNoRemains(server.process());
            if (disk.opens() > 0) {
                judge.fail(disk.opens() + " objects of the disk are still open");
            }
        }
        if (network.openEnds() > 0) {
            judge.fail(network.openEnds() + " ends of connections are left");
        }
    }

    /** What runs as a process is closed ends soon. */
    private void awaitNoRemains(SimulatedProcess process) throws InterruptedException {
        for (int tries = 0; !scheduler.remains(process).isEmpty(); tries++) {
            if (tries == QUIET_TRIES) {
                judge.fail(process.name() + " is closed, and has still " + scheduler.remains(process));
                return;
            }
            own.runtime().sleep(SECOND / 10);
        }
    }

    /** The server keeps nothing of clients that are gone for longer than a lease. */
    private void awaitNoState() throws InterruptedException {
        long end = scheduler.now() + 2 * options.lease().toNanos();
        while (!server.state().isEmpty()) {
            if (scheduler.now() > end) {
                judge.fail("no client is left, and the server has still " + server.state());
                return;
            }
            own.runtime().sleep(SECOND);
        }
    }

    /** Removes a folder with all that is in it. */
    public static void remove(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
