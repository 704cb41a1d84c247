package io.verbena.simulation.world;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.MemoryShare;
import io.verbena.simulation.disk.DiskFault;
import io.verbena.simulation.disk.SimulatedDisk;
import io.verbena.simulation.network.SimulatedNetwork;
import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Does what goes wrong in a world, at times that the seed decides. */
final class FaultMaker {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final long CAPACITY = 1L << 50;
    private static final int MOST_KILLS = 2;
    private static final int MOST_LONG_PAUSES = 3;
    private static final int MOST_TAKERS = 6;
    private static final int MOST_TAKEN = 1 << 20;
    private static final int LEAST_TAKEN = 1 << 14;

    private final Scheduler scheduler;
    private final SimulatedNetwork network;
    private final ServerHost server;
    private final SimulatedDisk disk;
    private final List<ClientHost> clients;
    private final WorldOptions options;
    private final SplittableRandom random;
    private final Map<String, Long> counts = new TreeMap<>();
    private final FaultChoice choice;
    private final ClientKiller killer;
    private int number;
    private int kills;
    private int longPauses;
    /** The memory that others hold, of each time that they took some. */
    private final List<List<AutoCloseable>> takers = new ArrayList<>();

    private boolean over;
    private long last = Long.MIN_VALUE;

    /** Kills a client's process, and has another one take its place; false where it is dead already. */
    interface ClientKiller {
        boolean kill(int client, boolean silent, SplittableRandom random);
    }

    FaultMaker(
            Scheduler scheduler,
            SimulatedNetwork network,
            ServerHost server,
            SimulatedDisk disk,
            List<ClientHost> clients,
            WorldOptions options,
            FaultChoice choice,
            ClientKiller killer,
            SplittableRandom random) {
        this.killer = killer;
        this.choice = choice;
        this.disk = disk;
        this.scheduler = scheduler;
        this.network = network;
        this.server = server;
        this.clients = clients;
        this.options = options;
        this.random = random;
    }

    /** From now on faults happen. */
    void begin() {
        if (options.faults() > 0) {
            next();
        }
    }

    /** Each fault has random numbers of its own, so that a fault is the same whether others happen or not. */
    private void next() {
        SplittableRandom own = random.split();
        scheduler.after(1 + own.nextLong(2 * options.faults()), () -> {
            if (!over) {
                if (choice.has(number++)) {
                    last = scheduler.now();
                    scheduler.tell("fault " + (number - 1));
                    happen(own);
                }
                next();
            }
        });
    }

    /** How many faults there could have been. */
    int number() {
        return number;
    }

    /** Whether a fault has begun in the last so many nanoseconds. No fault lasts longer than 50 s. */
    boolean hasBeen(long nanos) {
        return last != Long.MIN_VALUE && scheduler.now() - last <= nanos;
    }

    /** Nothing goes wrong any more, and what has is mended. */
    void end() {
        over = true;
        disk.faults().endFaults();
        disk.faults().setCapacity(CAPACITY);
        network.healAll();
        List.copyOf(takers).forEach(this::giveBack);
    }

    Map<String, Long> counts() {
        return counts;
    }

    private void count(String kind) {
        counts.merge(kind, 1L, Long::sum);
    }

    private void countIf(boolean isDone, String kind) {
        if (isDone) {
            count(kind);
        }
    }

    private void happen(SplittableRandom random) {
        ClientHost client = clients.get(random.nextInt(clients.size()));
        if (options.sharing() && random.nextInt(12) == 0) {
            happenWhereShared(client, random);
            return;
        }
        InetAddress from = client.address();
        InetAddress to = server.address();
        if (random.nextBoolean()) {
            InetAddress swapped = from;
            from = to;
            to = swapped;
        }
        switch (random.nextInt(options.diskErrors() ? 27 : 22)) {
            case 0, 1, 2, 3, 4 -> network.cutOne(client.address());
            case 5 -> narrow(from, to, random);
            case 6, 7 -> network.hole(from, to, 10 * MILLI + random.nextLong(SECOND));
            case 8 -> network.hole(from, to, SECOND + random.nextLong(10 * SECOND));
            case 9, 10 -> network.refuse(client.address(), server.address(), 10 * MILLI + random.nextLong(2 * SECOND));
            case 11 -> slow(from, to, random);
            case 12, 13 -> pause(client.process(), client.services(), client.isBeingReplaced(), random);
            case 14 -> pause(server.process(), server.services(), false, random);
            case 15 -> swap(client);
            case 16 -> replace(client);
            case 17 -> jump(random.nextInt(3) == 0 ? server.process() : client.process(), random);
            case 18, 19 -> swapService(client, random);
            case 20 -> kill(random);
            case 22, 23, 24 -> failDisk(random);
            case 25, 26 -> fillDisk(random);
            default -> restart(random);
        }
    }

    private void slow(InetAddress from, InetAddress to, SplittableRandom random) {
        long least = MILLI * (1 + random.nextInt(50));
        network.slow(from, to, least, least);
        scheduler.after(random.nextLong(5 * SECOND), () -> network.healSpeed(from, to));
    }

    /** Connections break for a while where a long message travels. */
    private void narrow(InetAddress from, InetAddress to, SplittableRandom random) {
        network.largest(from, to, 1L << (13 + random.nextInt(7)));
        scheduler.after(random.nextLong(5 * SECOND), () -> network.healLargest(from, to));
    }

    /** Kills a client, a few times in a world: what it has open ends by its lease. */
    private void kill(SplittableRandom random) {
        if (!options.clientKills() || kills == MOST_KILLS) {
            restart(random);
            return;
        }
        if (killer.kill(random.nextInt(options.clients()), random.nextInt(4) == 0, random.split())) {
            kills++;
            count("kill of a client");
        }
    }

    /**
     * Lets a process pause; shortly if a service or the mount is being replaced, which is not to be missing for half a
     * minute: pauses may follow each other.
     */
    private void pause(
            SimulatedProcess process, TransportServices services, boolean isMountMissing, SplittableRandom random) {
        if (process.isDead()) {
            return;
        }
        count("pause");
        long nanos = MILLI + random.nextLong(random.nextInt(5) == 0 ? 4 * SECOND : 100 * MILLI);
        if (services != null && services.isBusy()) {
            nanos = Math.min(nanos, 100 * MILLI);
        } else if (isMountMissing) {
            nanos = Math.min(nanos, SECOND);
        }
        scheduler.happened(process.name() + " pauses for " + nanos / 1e9 + " s");
        process.pause(nanos);
    }

    /** What only worlds have that share. */
    private void happenWhereShared(ClientHost client, SplittableRandom random) {
        switch (random.nextInt(3)) {
            case 0 -> stop(random);
            case 1 -> pauseForLong(client, random);
            default -> dry(client, random);
        }
    }

    /** Others take nearly all direct memory of a process for a while, as mounts and peers of its host may. */
    private void dry(ClientHost client, SplittableRandom random) {
        boolean isServer = random.nextInt(3) == 0;
        SimulatedProcess process = isServer ? server.process() : client.process();
        long nanos = MILLI + random.nextLong(3 * SECOND);
        if (process.isDead() || (isServer && !server.isServing())) {
            return;
        }
        if (!isServer && options.isSoft()) { // whose transfers wait for memory for a major time-out only
            return;
        }
        count("memory");
        scheduler.happened(process.name() + " has hardly any direct memory for " + nanos / 1e9 + " s");
        List<AutoCloseable> taken = takeAll(isServer ? server.memory() : client.memory());
        takers.add(taken);
        scheduler.after(nanos, () -> giveBack(taken));
    }

    /** A share may hold half of what is free. */
    private static List<AutoCloseable> takeAll(MemoryBudget memory) {
        List<AutoCloseable> taken = new ArrayList<>();
        for (int i = 0; i < MOST_TAKERS; i++) {
            MemoryShare share = memory.share("taker " + i);
            for (int octets = MOST_TAKEN; octets >= LEAST_TAKEN; octets /= 2) {
                for (BufferLease lease = share.tryLease(octets); lease != null; lease = share.tryLease(octets)) {
                    taken.add(lease);
                }
            }
            taken.add(share);
        }
        return taken;
    }

    private void giveBack(List<AutoCloseable> taken) {
        if (takers.remove(taken)) {
            for (AutoCloseable each : taken) {
                try {
                    each.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    /** Lets a client stand still for longer than a lease: the server may give to others what it holds. */
    private void pauseForLong(ClientHost client, SplittableRandom random) {
        boolean isReplacing = client.isBeingReplaced() || client.services().isBusy();
        if (options.isSoft() || isReplacing || client.process().isDead() || longPauses == MOST_LONG_PAUSES) {
            return;
        }
        longPauses++;
        count("long pause");
        long nanos = options.lease().toNanos() + random.nextLong(20 * SECOND);
        scheduler.happened(client.process().name() + " pauses for " + nanos / 1e9 + " s");
        client.process().pause(nanos);
    }

    private void stop(SplittableRandom random) {
        long down = MILLI + random.nextLong(3 * SECOND);
        if (!options.restarts() || !server.isServing() || !takers.isEmpty()) { // which hold memory of it
            return;
        }
        count("stop");
        scheduler.happened("the server is stopped, and starts again in " + down / 1e9 + " s");
        server.stopping(); // a server that stands still begins to stop later: nobody takes memory of it meanwhile
        scheduler.start(server.process(), "stop", () -> {
            try {
                server.stop(down);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void jump(SimulatedProcess process, SplittableRandom random) {
        if (process.isDead()) {
            return;
        }
        count("clock");
        long seconds = random.nextLong(-7200, 7200);
        scheduler.happened("the clock of " + process.name() + " jumps by " + seconds + " s");
        process.moveClock(seconds * SECOND);
    }

    private void swap(ClientHost client) {
        scheduler.start(client.process(), "swap", () -> {
            scheduler.happened("the transport of " + client.process().name() + " is replaced");
            countIf(client.swapTransport(), "swap");
        });
    }

    private void swapService(ClientHost client, SplittableRandom random) {
        boolean isServer = random.nextInt(3) == 0;
        SimulatedProcess process = isServer ? server.process() : client.process();
        TransportServices services = isServer ? server.services() : client.services();
        TransportServices.Kind[] kinds = TransportServices.Kind.values();
        TransportServices.Kind kind = kinds[random.nextInt(kinds.length)];
        long gap = MILLI + random.nextLong(random.nextInt(4) == 0 ? 3 * SECOND : 100 * MILLI);
        if (services == null || process.isDead()) {
            return;
        }
        scheduler.start(process, "swap", () -> {
            scheduler.happened(kind + " of " + process.name() + " is replaced in " + gap / 1e9 + " s");
            try {
                countIf(services.replace(kind, gap), "swap of a service");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void replace(ClientHost client) {
        if (!options.replacements()) {
            swap(client);
            return;
        }
        scheduler.start(client.process(), "replace", () -> {
            scheduler.happened("the mount of " + client.process().name() + " is replaced");
            countIf(client.replaceMount(), "replacement");
        });
    }

    private void failDisk(SplittableRandom random) {
        DiskFault[] kinds = {DiskFault.READ_ERROR, DiskFault.WRITE_ERROR, DiskFault.FORCE_ERROR, DiskFault.SYNC_ERROR};
        DiskFault kind = kinds[random.nextInt(kinds.length)];
        int times = 1 + random.nextInt(2);
        count("disk error");
        scheduler.happened("the disk meets " + times + " times " + kind);
        disk.faults().failNext(kind, times);
    }

    private void fillDisk(SplittableRandom random) {
        long free = disk.freeOctets();
        long room = random.nextInt(20) * 4096L;
        long nanos = MILLI + random.nextLong(3 * SECOND);
        count("disk full");
        scheduler.happened("the disk has room for " + room + " octets for " + nanos / 1e9 + " s");
        long whole = disk.faults().capacity();
        disk.faults().setCapacity(Math.max(0, Math.min(whole, whole - free + room)));
        scheduler.after(nanos, () -> disk.faults().setCapacity(CAPACITY));
    }

    private void restart(SplittableRandom random) {
        if (!options.restarts() || server.process().isDead()) {
            network.cutOne(server.address());
            return;
        }
        long down = MILLI + random.nextLong(3 * SECOND);
        if (random.nextInt(3) == 0) {
            count("power loss");
            scheduler.happened("the server's host loses its power for " + down / 1e9 + " s");
            server.losePower(random);
        } else {
            count("kill");
            scheduler.happened("the server's process is killed, and starts again in " + down / 1e9 + " s");
            server.kill(random.nextInt(4) == 0);
        }
        scheduler.after(down, server::start);
    }
}
