package io.verbena.simulation.network;

import io.verbena.simulation.scheduler.Scheduler;
import java.util.ArrayDeque;

/** One direction of a connection: what is under way arrives in its order, or not any more. */
final class Wire {
    private final SimulatedNetwork network;
    private final Path path;
    private final ArrayDeque<Item> underWay = new ArrayDeque<>();
    private long lastArrival;
    private boolean isCut;

    /** Something that travels. */
    interface Item {
        /** It has arrived. */
        void arrive();

        /** A part of it has arrived, and the rest never will. */
        void arriveInPart();
    }

    Wire(SimulatedNetwork network, Path path) {
        this.network = network;
        this.path = path;
    }

    boolean carries(long octets) {
        return path.carries(octets);
    }

    void send(long octets, Item item) {
        if (isCut) {
            return;
        }
        Scheduler scheduler = network.scheduler();
        long spread = path.spread();
        long delay = path.leastDelay()
                + path.transferNanos(octets)
                + (spread == 0 ? 0 : network.random().nextLong(spread));
        lastArrival = Math.max(lastArrival + 1, scheduler.now() + delay);
        underWay.add(item);
        scheduler.at(lastArrival, this::arrived);
    }

    private void arrived() {
        if (isCut) {
            return;
        }
        long hole = path.holeUntil();
        Scheduler scheduler = network.scheduler();
        if (hole > scheduler.now()) { // the sender sends again until it gets through
            lastArrival = Math.max(lastArrival + 1, hole);
            scheduler.at(hole, this::arrived);
            return;
        }
        Item next = underWay.poll();
        if (next != null) {
            next.arrive();
        }
    }

    /** Nothing gets through any more; of what is under way some items do, and the next one in part. */
    void cut() {
        if (isCut) {
            return;
        }
        isCut = true;
        int whole = underWay.isEmpty() ? 0 : network.random().nextInt(underWay.size() + 1);
        if (path.holeUntil() > network.scheduler().now()) {
            whole = 0;
        }
        for (int i = 0; i < whole; i++) {
            underWay.poll().arrive();
        }
        Item part = underWay.poll();
        if (part != null) {
            part.arriveInPart();
        }
        underWay.clear();
    }
}
