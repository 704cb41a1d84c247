package io.verbena.nfs41.client.internal;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The slots whose number the server knows or does not, as a request on them was given up without a reply. An empty one
 * with the same number settles the matter, whether the server takes it for a repetition or not; until then nobody gets
 * the slot. While a service of this host's is missing nothing can be asked: all of them wait then, and one at a time is
 * used to look whether it is back. Thread safe.
 */
final class Doubts {
    private final Requester requester;
    private final Set<SlotProbe> all = ConcurrentHashMap.newKeySet();
    /** Of those, the ones that wait for a service. */
    private final Queue<SlotProbe> parked = new ConcurrentLinkedQueue<>();

    Doubts(Requester requester) {
        this.requester = requester;
    }

    /** A request on the slot was given up without a reply. */
    void add(Session session, Slot slot) {
        SlotProbe probe = new SlotProbe(requester, this, session, slot);
        all.add(probe);
        probe.start();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** The slot is somebody's again, or its session is gone. */
    void settled(SlotProbe probe) {
        all.remove(probe);
    }

    /**
     * A service is missing for longer than is waited for: who waits for that slot, or another, is told so.
     *
     * @param triedNanos when it was looked for: who came after that has the next look
     */
    void park(SlotProbe probe, Throwable missing, long triedNanos) {
        parked.add(probe);
        probe.session().slots().dismiss(waiter -> waiter.sinceNanos() - triedNanos < 0 ? missing : null);
        requester.sessions().unreachable(missing);
    }

    /** Looks whether what was missing is there again; called from time to time. */
    void look() {
        SlotProbe first = parked.poll();
        if (first != null) {
            first.resume();
        }
    }

    /** There is a connection. */
    void connected() {
        for (SlotProbe next = parked.poll(); next != null; next = parked.poll()) {
            next.resume();
        }
    }
}
