package io.verbena.simulation.network;

import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
import io.verbena.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** The network of a world: hosts, the paths between them, and the connections on these. */
public final class SimulatedNetwork {
    private static final double OCTETS_PER_NANO = 2;
    private static final int FIRST_PORT = 40_000;
    private static final int LAST_PORT = 65_535;

    private final Scheduler scheduler;
    private final SplittableRandom random;
    private final Map<InetSocketAddress, Listening> listeners = new LinkedHashMap<>();
    private final Map<String, Path> paths = new LinkedHashMap<>();
    private final Set<SimulatedConnection> open = new LinkedHashSet<>();
    private final NetworkFaults faults = new NetworkFaults();
    private final List<WireWatcher> watchers = new ArrayList<>();
    private final long leastDelay;
    private final long spread;
    private final Map<String, Silences> silences = new LinkedHashMap<>();
    /** The hosts that answer nothing, since they have no power. */
    private final Set<InetAddress> down = new LinkedHashSet<>();

    private boolean isDownSilent;
    private int nextPort = FIRST_PORT;

    /**
     * @param leastDelay of a message, in nanoseconds
     * @param spread what is added to that at most
     */
    public SimulatedNetwork(Scheduler scheduler, SplittableRandom random, long leastDelay, long spread) {
        this.scheduler = scheduler;
        this.random = random;
        this.leastDelay = leastDelay;
        this.spread = spread;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    SplittableRandom random() {
        return random;
    }

    public NetworkFaults faults() {
        return faults;
    }

    /** Adds somebody who sees each message that is sent. */
    public void watch(WireWatcher watcher) {
        watchers.add(watcher);
    }

    /** Hosts without power answer nothing, until somebody connects or listens there again; else they refuse. */
    public void letHostsBeSilent() {
        isDownSilent = true;
    }

    boolean isDown(InetAddress host) {
        return down.contains(host);
    }

    void up(InetAddress host) {
        down.remove(host);
    }

    List<WireWatcher> watchers() {
        return watchers;
    }

    /** The path from one host to another. */
    Path path(InetAddress from, InetAddress to) {
        return paths.computeIfAbsent(
                from.getHostAddress() + '>' + to.getHostAddress(),
                key -> new Path(leastDelay, spread, OCTETS_PER_NANO));
    }

    /** A process has taken a message of another host that it can read, and that may renew a lease. */
    void heard(InetAddress from, InetAddress to) {
        silences(from, to).heard(scheduler.now());
    }

    /** The times in which no process of one host has heard of another one. */
    public Silences silences(InetAddress from, InetAddress to) {
        return silences.computeIfAbsent(
                from.getHostAddress() + '>' + to.getHostAddress(), key -> new Silences(scheduler.now()));
    }

    InetSocketAddress anyPort(InetAddress host) {
        int port = nextPort;
        nextPort = port == LAST_PORT ? FIRST_PORT : port + 1;
        return new InetSocketAddress(host, port);
    }

    void listen(InetSocketAddress address, Listening listening) throws RdmaException {
        Listening present = listeners.get(address);
        if (present != null && !present.provider().process().isDead()) {
            throw new RdmaException(RdmaException.Kind.ADDRESS_UNAVAILABLE, address + " is taken");
        }
        listeners.put(address, listening);
        up(address.getAddress());
    }

    void listenNoMore(InetSocketAddress address, Listening listening) {
        listeners.remove(address, listening);
    }

    Listening listening(InetSocketAddress address) {
        Listening present = listeners.get(address);
        return present == null || present.provider().process().isDead() ? null : present;
    }

    void add(SimulatedConnection end) {
        open.add(end);
    }

    void remove(SimulatedConnection end) {
        open.remove(end);
    }

    /** The ends that have not ended. */
    public int openEnds() {
        return open.size();
    }

    /** The memory that is open to peers by connections that have not ended. */
    public int openRegions() {
        return open.stream()
                .filter(SimulatedConnection::isConnected)
                .mapToInt(SimulatedConnection::remoteRegions)
                .sum();
    }

    // ---- faults ----

    /** Breaks a connection that a host has, if there is one, somewhere in what is under way. */
    public void cutOne(InetAddress host) {
        List<SimulatedConnection> there = new ArrayList<>();
        for (SimulatedConnection each : open) {
            if (each.isConnected() && each.host().equals(host)) {
                there.add(each);
            }
        }
        if (!there.isEmpty()) {
            faults.count("cut");
            SimulatedConnection chosen = there.get(random.nextInt(there.size()));
            scheduler.happened("the connection of " + chosen + " is cut");
            chosen.cut();
        }
    }

    /** Breaks all connections that a host has. */
    public void cutAll(InetAddress host) {
        for (SimulatedConnection each : List.copyOf(open)) {
            if (each.isConnected() && each.host().equals(host)) {
                faults.count("cut");
                each.cut();
            }
        }
    }

    /** Nothing gets from one host to the other one for a while. */
    public void hole(InetAddress from, InetAddress to, long nanos) {
        faults.count("hole");
        scheduler.happened("nothing gets from " + from + " to " + to + " for " + nanos / 1e9 + " s");
        path(from, to).holeUntil(scheduler.now() + nanos);
    }

    /** New connections are refused for a while. */
    public void refuse(InetAddress from, InetAddress to, long nanos) {
        faults.count("refusal");
        scheduler.happened("connections from " + from + " to " + to + " are refused for " + nanos / 1e9 + " s");
        Path path = path(from, to);
        path.refuse(true);
        scheduler.after(nanos, () -> path.refuse(false));
    }

    /** Messages take longer from now on. */
    public void slow(InetAddress from, InetAddress to, long least, long newSpread) {
        faults.count("slow");
        path(from, to).slow(least, newSpread);
    }

    /** Messages take as long as they did at first. */
    public void healSpeed(InetAddress from, InetAddress to) {
        path(from, to).slow(leastDelay, spread);
    }

    /** Connections break when a longer message travels on that path. */
    public void largest(InetAddress from, InetAddress to, long octets) {
        faults.count("largest");
        scheduler.happened("messages of more than " + octets + " octets break connections from " + from + " to " + to);
        path(from, to).largest(octets);
    }

    /** Long messages travel as others do. */
    public void healLargest(InetAddress from, InetAddress to) {
        path(from, to).largest(Long.MAX_VALUE);
    }

    /** From now on everything gets everywhere in time. */
    public void healAll() {
        for (Path each : paths.values()) {
            each.heal();
            each.slow(leastDelay, spread);
            each.largest(Long.MAX_VALUE);
        }
    }

    /**
     * The connections of a process that was killed.
     *
     * @param silent whether its host is gone too, so that nobody is told
     */
    public void processDied(SimulatedProcess process, boolean silent) {
        if (silent && isDownSilent) {
            open.stream().filter(each -> each.process() == process).forEach(each -> down.add(each.host()));
            listeners.forEach((address, each) -> {
                if (each.provider().process() == process) {
                    down.add(address.getAddress());
                }
            });
        }
        for (SimulatedConnection each : new ArrayList<>(open)) {
            if (each.process() == process) {
                each.processDied(silent);
            }
        }
        listeners.values().removeIf(each -> each.provider().process() == process);
    }
}
