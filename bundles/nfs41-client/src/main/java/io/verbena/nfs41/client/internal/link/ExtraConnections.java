package io.verbena.nfs41.client.internal.link;

import io.verbena.nfs41.client.internal.util.Worker;
import io.verbena.rpc.RpcTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The connections of a mount beside its first one, which share its session (mount option {@code nconnect}). Requests
 * that need no particular connection go by the one with the fewest calls under way. A connection that is lost leaves at
 * once: its calls go by the others. Thread safe.
 */
public final class ExtraConnections {
    private final Worker worker;
    private final Executor ends;
    private final CopyOnWriteArrayList<LinkConnection> all = new CopyOnWriteArrayList<>();
    /** The connections that have left, and that another thread is to close. */
    private final Set<LinkConnection> closing = ConcurrentHashMap.newKeySet();

    private volatile Consumer<Departure> onGone = why -> {};

    /** Why a connection has left. */
    public enum Departure {
        /** It was lost, or has brought no answer in time. */
        LOST,
        /** Another one takes its place: {@link RpcLink#reconnect}. */
        REPLACED
    }

    /** @param ends has a thread for each connection that it ends, as the end of one may take long */
    ExtraConnections(Worker worker, Executor ends) {
        this.worker = worker;
        this.ends = ends;
    }

    /** Sets what is told when a connection has left. Any thread; must not block. */
    public void whenGone(Consumer<Departure> listener) {
        onGone = listener;
    }

    /** Takes a connection that is bound to the session. */
    public void add(LinkConnection bound) {
        all.add(bound);
    }

    /** How many there are. */
    public int size() {
        return all.size();
    }

    /** The least number that none of these has; the first connection of the mount is number 1. */
    public int freeNumber() {
        Set<Integer> taken = all.stream().map(LinkConnection::number).collect(Collectors.toSet());
        int number = 2;
        while (taken.contains(number)) {
            number++;
        }
        return number;
    }

    /** The connection with the fewest calls under way; the first one of the mount where it has no more than others. */
    LinkConnection leastBusy(LinkConnection first) {
        LinkConnection best = first;
        int least = first == null || first.isAway() ? Integer.MAX_VALUE : first.underWay();
        for (LinkConnection each : all) {
            int calls = each.underWay();
            if (calls < least && each.isOpen()) {
                best = each;
                least = calls;
            }
        }
        return best;
    }

    /**
     * Ends one of these connections, on a worker thread: its calls fail and are sent again by others.
     *
     * @return whether it is one of these
     */
    public boolean drop(LinkConnection gone) {
        if (!all.remove(gone)) {
            return false;
        }
        closeLater(gone);
        onGone.accept(Departure.LOST);
        return true;
    }

    /**
     * Has others take the place of these, one after the other: the calls under way of each are awaited within the
     * bound. Blocks, but not until the others stand.
     *
     * @param deadline of all of these together, on the clock
     */
    void replace(long deadline, LongSupplier nanoTime) {
        for (LinkConnection each : List.copyOf(all)) {
            if (all.remove(each)) {
                int unused = each.leave(deadline - nanoTime.getAsLong());
                each.close();
                onGone.accept(Departure.REPLACED);
            }
        }
    }

    /** Ends all of these, on worker threads. Another session comes. */
    public void dropAll() {
        for (LinkConnection each : all) {
            if (all.remove(each)) {
                closeLater(each);
            }
        }
    }

    private void closeLater(LinkConnection gone) {
        closing.add(gone);
        try {
            worker.execute(() -> close(gone)); // closing may take a while
        } catch (Throwable e) { // for example the worker has ended
            close(gone);
        }
    }

    private void close(LinkConnection gone) {
        if (closing.remove(gone)) {
            gone.close();
        }
    }

    /** Ends one of these, if it is one. Blocks. */
    public void closeNow(LinkConnection gone) {
        if (all.remove(gone)) {
            gone.close();
        }
    }

    /** Ends all, also those that a worker thread has not come to, each on a thread of its own. Does not block. */
    public void closeAll() {
        for (LinkConnection each : all) {
            if (all.remove(each)) {
                closing.add(each);
            }
        }
        closing.forEach(each -> ends.execute(() -> close(each)));
    }

    /**
     * Leaves a transport that will be stopped, as {@link RpcLink#leave}. Blocks.
     *
     * @param deadline of all of these together, on the clock
     */
    void leave(RpcTransport transport, long deadline, LongSupplier nanoTime) {
        List<LinkConnection> left = new ArrayList<>(all);
        left.removeIf(each -> !each.isBy(transport));
        all.removeAll(left);
        for (LinkConnection each : left) {
            int unused = each.leave(deadline - nanoTime.getAsLong());
            each.close();
        }
    }
}
