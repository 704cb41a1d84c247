package io.verbena.simulation.scale;

import io.verbena.simulation.network.SimulatedNetwork;
import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
import io.verbena.simulation.world.World;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/** The life of a fleet: it mounts, works, is quiet, loses its server, is quiet, loses the network, and unmounts. */
final class ScaleRun {
    private static final long SECOND = 1_000_000_000;
    private static final long MICRO = 1_000;
    private static final long MOST_STEPS = 1L << 40;
    private static final double DISORDER = 0.05;
    private static final long DELAY = 20 * MICRO;
    /** After so many seconds the pauses between attempts to connect have their full length. */
    private static final int SETTLED_SECONDS = 6;

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final ScaleOptions options;
    private final Consumer<String> progress;
    private final SplittableRandom random;
    private final Scheduler scheduler;
    private final SimulatedNetwork network;
    private final SimulatedProcess own;
    private final PerSecond attempts = new PerSecond();
    private final List<ClientProcess> processes = new ArrayList<>();
    private final List<FleetMember> members = new ArrayList<>();
    private final FleetWatch watch;
    private long rejected;
    private ScaleServer server;
    private List<Integer> quiet = List.of();
    private List<Integer> quietAfter = List.of();
    private Storm restart;
    private Storm cut;

    /** @param progress receives a line for each part of the fleet's life */
    ScaleRun(ScaleOptions options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
        random = new SplittableRandom(options.seed());
        scheduler = new Scheduler(random.split(), DISORDER, MOST_STEPS);
        network = new SimulatedNetwork(scheduler, random.split(), DELAY, DELAY);
        own = scheduler.process("fleet");
        watch = new FleetWatch(scheduler, options);
    }

    /** Runs the fleet to its end. */
    ScaleResult run() throws IOException, InterruptedException {
        long start = System.nanoTime();
        ManagementFactory.getThreadMXBean().resetPeakThreadCount();
        Path memory = Path.of("/dev/shm"); // a folder without a disk below it, where there is one
        Path folder = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "verbena-fleet")
                : Files.createTempDirectory("verbena-fleet");
        List<String> failures;
        try {
            failures = scheduler.run(own, "main", () -> live(folder));
        } finally {
            World.remove(folder);
        }
        Samples all = new Samples();
        members.forEach(each -> all.addAll(each.operations()));
        return new ScaleResult(
                options,
                failures,
                scheduler.hash().value(),
                scheduler.steps(),
                scheduler.now(),
                all,
                unfairness(),
                watch.serverPeak(),
                watch.clientPeak(),
                quiet,
                quietAfter,
                restart,
                cut,
                ManagementFactory.getThreadMXBean().getPeakThreadCount(),
                (System.nanoTime() - start) / 1e9);
    }

    private void live(Path folder) {
        try {
            Files.createDirectory(folder.resolve("exported"));
            server = new ScaleServer(
                    scheduler,
                    network,
                    InetAddress.getByAddress(new byte[] {10, 1, 0, 1}),
                    folder,
                    options,
                    () -> rejected++,
                    random.split());
            server.start();
            sleep(SECOND);
            arrive();
            work();
            quiet = beQuiet("quiet");
            restart = restart();
            quietAfter = beQuiet("quiet after the restart");
            cut = cut();
            judgeLocks();
            leave();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void tell(String what) {
        progress.accept(String.format("%9.3f s  %s", scheduler.now() / 1e9, what));
    }

    private void sleep(long nanos) throws InterruptedException {
        own.runtime().sleep(nanos);
    }

    private static InetAddress address(int index) {
        try {
            return InetAddress.getByAddress(
                    new byte[] {10, (byte) (2 + (index >> 16)), (byte) (index >> 8), (byte) index});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Makes the mounts, one after the other. */
    private void arrive() throws InterruptedException {
        for (int i = 0; i < options.processes(); i++) {
            SimulatedProcess process = scheduler.process("client-" + i);
            ClientProcess client = new ClientProcess(
                    network, process, address(i), options.clientMemory(), () -> attempts.add(scheduler.now()));
            processes.add(client);
            for (int j = 0; j < options.mounts(); j++) {
                members.add(new FleetMember(scheduler, client, "m" + i + "-" + j, random.split()));
            }
        }
        watch.begin(server, processes);
        all("mounting", options.arrival(), member -> member.begin(server.host()));
        watch.expectClients(options.all());
        tell(members.size() + " mounts, each with an open file and a lock");
    }

    /**
     * Has each mount do something, spread over a time.
     *
     * @return when each was done, since its begin
     */
    private Samples all(String what, Duration spread, Function<FleetMember, CompletableFuture<Void>> action)
            throws InterruptedException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Samples times = new Samples();
        long between = spread.toNanos() / members.size();
        for (int i = 0; i < members.size(); i++) {
            FleetMember member = members.get(i);
            scheduler.after(i * between, () -> {
                long start = scheduler.now();
                CompletableFuture<Void> unused = action.apply(member).whenComplete((nothing, thrown) -> {
                    times.add(scheduler.now() - start);
                    if (times.count() == members.size()) {
                        done.complete(null);
                    }
                });
            });
        }
        await(what, done, spread.plus(PATIENCE), times);
        return times;
    }

    private void await(String what, CompletableFuture<Void> done, Duration most, Samples times)
            throws InterruptedException {
        try {
            own.runtime().await(done, most.toNanos());
        } catch (TimeoutException e) {
            scheduler.fail(what + ": " + times.count() + " of " + members.size() + " mounts are done after "
                    + most.toSeconds() + " s");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void work() throws InterruptedException {
        long until = scheduler.now() + options.work().toNanos();
        members.forEach(each -> each.work(options.pause().toNanos(), until));
        sleep(options.work().toNanos() + options.pause().toNanos());
        tell("worked");
    }

    /** Does nothing for a while: leases are renewed. Returns the requests of each second. */
    private List<Integer> beQuiet(String what) throws InterruptedException {
        sleep(2 * SECOND);
        long from = scheduler.now();
        sleep(options.quiet().toNanos());
        List<Integer> renewals = watch.requests().between(from + SECOND, scheduler.now());
        tell(what + ": " + PerSecond.peak(renewals) + " renewals a second at most");
        return renewals;
    }

    /** The server's process is killed and comes back after a while. */
    private Storm restart() throws InterruptedException {
        long lost = scheduler.now();
        long before = rejected;
        watch.expectClients(0);
        server.kill();
        scheduler.after(options.down().toNanos(), server::start);
        Samples since = all("coming back after the restart", Duration.ZERO, FleetMember::probe);
        watch.expectClients(options.all());
        Storm storm = storm(lost, before, since, options.down());
        if (storm.back().at(1) > ScaleOptions.LEASE.toNanos()) {
            scheduler.fail("the last mount was back " + storm.back().seconds(1) + " s after the restart of the server,"
                    + " and the grace period is " + ScaleOptions.LEASE.toSeconds() + " s");
        }
        tell("back after the restart: the last one after " + storm.back().seconds(1) + " s");
        return storm;
    }

    /** All connections are cut at once; the server goes on. */
    private Storm cut() throws InterruptedException {
        long lost = scheduler.now();
        long before = rejected;
        server.cutAll();
        Samples since = all("coming back after the loss of all connections", Duration.ZERO, FleetMember::probe);
        Storm storm = storm(lost, before, since, Duration.ZERO);
        tell("back after the loss of all connections: the last one after "
                + storm.back().seconds(1) + " s");
        return storm;
    }

    private Storm storm(long lost, long rejectedBefore, Samples since, Duration down) throws InterruptedException {
        sleep(SECOND);
        return new Storm(
                since.count(),
                since.minus(down.toNanos()),
                attempts.since(lost, scheduler.now()),
                rejected - rejectedBefore,
                SETTLED_SECONDS,
                (int) down.toSeconds());
    }

    private void judgeLocks() {
        long lostLocks = members.stream().filter(each -> !each.holdsLock()).count();
        if (lostLocks > 0) {
            scheduler.fail(lostLocks + " of " + members.size() + " mounts have lost their locks");
        }
    }

    /** Unmounts everything, and looks whether all memory was given back. */
    private void leave() throws InterruptedException {
        watch.expectClients(0);
        all("unmounting", options.arrival(), FleetMember::end);
        for (ClientProcess each : processes) {
            end("closing " + each.process().name(), each.process(), each::close);
            if (each.memory().leasedBytes() > 0) {
                scheduler.fail(each.process().name() + " has not given back "
                        + each.memory().holdings());
            }
        }
        end("closing the server", server.process(), server::close);
        if (server.leasedBytes() > 0) {
            scheduler.fail("the server has not given back " + server.holdings());
        }
        watch.end();
        tell("unmounted");
    }

    private void end(String what, SimulatedProcess process, Runnable close) throws InterruptedException {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        scheduler.start(process, "close", () -> {
            close.run();
            closed.complete(null);
        });
        await(what, closed, PATIENCE, new Samples());
    }

    /** How much longer the median operation of the slowest mount took than that of the median mount. */
    private double unfairness() {
        Samples medians = new Samples();
        members.stream()
                .filter(each -> each.operations().count() > 0)
                .forEach(each -> medians.add(each.operations().at(0.5)));
        return medians.count() == 0 ? 0 : (double) medians.at(1) / medians.at(0.5);
    }
}
