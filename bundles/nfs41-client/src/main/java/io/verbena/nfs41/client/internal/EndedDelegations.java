package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.StateId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The delegations that ended, as long as an OPEN that began before may still bring them; and some that ended last, of
 * which a recall may be under way. OPENs are numbered in the order in which they begin. Thread safe.
 */
final class EndedDelegations {
    private final int remembered;
    private final TreeSet<Long> underWay = new TreeSet<>();
    /** By stateid without seqid, in the order in which they ended: the number of the last OPEN that began before. */
    private final Map<StateId, Long> ended = new LinkedHashMap<>();

    private long last;

    /**
     * @param remembered how many are kept that no OPEN can bring any more
     */
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

    /** Whether some OPEN may bring a delegation that is not known yet. */
    synchronized boolean isOpening() {
        return !underWay.isEmpty();
    }

    synchronized void add(StateId delegation) {
        StateId key = delegation.withoutSeqid();
        ended.remove(key);
        ended.put(key, last);
        forget();
    }

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

    /** Whether it ended when that OPEN was under way, which brings it too late. */
    synchronized boolean hasEndedSince(long open, StateId delegation) {
        Long number = ended.get(delegation.withoutSeqid());
        return number != null && number >= open;
    }
}
