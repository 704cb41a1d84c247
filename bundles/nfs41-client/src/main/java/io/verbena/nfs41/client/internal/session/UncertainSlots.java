package io.verbena.nfs41.client.internal.session;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The slots with an uncertain sequence number: a request was given up without a reply, and the server may or may not
 * have seen it. A SEQUENCE alone with the same number settles the number, whether the server takes it for a repetition
 * or not. Until then no request gets the slot. While a service of this host is missing, no probe can be sent: the slots
 * are parked, and one of them at a time finds out whether the service is back. Thread safe.
 */
final class UncertainSlots {
    private final CompoundCaller caller;
    private final Set<SlotProbe> all = ConcurrentHashMap.newKeySet();
    /** The probes that wait for a missing service. */
    private final Queue<SlotProbe> parked = new ConcurrentLinkedQueue<>();

    UncertainSlots(CompoundCaller caller) {
        this.caller = caller;
    }

    /**
     * Takes a slot on which a request was given up without a reply.
     *
     * @return completes once the server will not execute the request any more; fails while a service is missing
     */
    CompletableFuture<Void> add(Session session, Slot slot, ProbedRequest request) {
        SlotProbe probe = new SlotProbe(caller, this, session, slot, request);
        all.add(probe);
        probe.start();
        return probe.ended();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** The slot is free again, or its session has ended. */
    void settled(SlotProbe probe) {
        all.remove(probe);
    }

    /**
     * A service was missing for longer than the swap timeout. The requests that wait for a slot of the session fail.
     *
     * @param triedNanos when the probe began: requests that began to wait later go on waiting, for the next probe
     */
    void park(SlotProbe probe, Throwable missing, long triedNanos) {
        parked.add(probe);
        probe.session().slots().dismiss(waiter -> waiter.sinceNanos() - triedNanos < 0 ? missing : null);
        caller.sessions().unreachable(missing);
    }

    /**
     * Sends one parked probe, to find out whether the missing service is back. The lease keeper calls this
     * periodically.
     */
    void probeParked() {
        SlotProbe first = parked.poll();
        if (first != null) {
            first.resume();
        }
    }

    /** A connection was made: all parked probes go on. */
    void connected() {
        for (SlotProbe next = parked.poll(); next != null; next = parked.poll()) {
            next.resume();
        }
    }
}
