package io.verbena.nfs41.client.internal.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.StateId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The ended delegations that the reply to an earlier OPEN may still grant, and the last ended ones, for which a recall
 * may be under way. OPENs are numbered in the order in which they begin. Thread safe.
 */
final class EndedDelegations {
    private final int remembered;

    @GuardedBy("this")
    private final TreeSet<Long> underWay = new TreeSet<>();

    /** The number of the last OPEN before the end, by stateid without seqid, in the order of the ends. */
    @GuardedBy("this")
    private final Map<StateId, Long> ended = new LinkedHashMap<>();

    @GuardedBy("this")
    private long last;

    /** @param remembered how many are kept that no OPEN can grant any more */
    EndedDelegations(int remembered) {
        this.remembered = remembered;
    }

    /**
     * An OPEN goes out.
     *
     * @return its number, for {@link #answered}
     */
    synchronized long begin() {
        last++;
        underWay.add(last);
        return last;
    }

    synchronized void answered(long open) {
        underWay.remove(open);
        forget();
    }

    /** Whether an OPEN under way may grant a delegation that is not known yet. */
    synchronized boolean isOpening() {
        return !underWay.isEmpty();
    }

    synchronized void add(StateId delegation) {
        StateId key = delegation.withoutSeqid();
        ended.remove(key);
        ended.put(key, last);
        forget();
    }

    @GuardedBy("this")
    private void forget() {
        long oldest = underWay.isEmpty() ? Long.MAX_VALUE : underWay.first();
        Iterator<Long> eldest = ended.values().iterator();
        while (ended.size() > remembered && eldest.next() < oldest) {
            eldest.remove();
        }
    }

    synchronized boolean contains(StateId delegation) {
        return ended.containsKey(delegation.withoutSeqid());
    }

    /** Whether the delegation ended after that OPEN began, so that the grant is out of date. */
    synchronized boolean hasEndedSince(long open, StateId delegation) {
        Long number = ended.get(delegation.withoutSeqid());
        return number != null && number >= open;
    }
}
