package io.verbena.nfs41.server.internal.session;

import static io.verbena.nfs41.Status.NFS4ERR_BADSLOT;
import static io.verbena.nfs41.Status.NFS4ERR_BAD_HIGH_SLOT;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.server.internal.budget.ClientAccount;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.util.NfsError;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The slots of a session and the replies in them, as far as the client's account goes (RFC 8881 sections 2.10.6.1 and
 * 18.46.3). The lowest slot, which clients use first, always has room for a reply of the greatest length, so that the
 * session goes on whatever other clients hold. Other slots are charged the greatest length when a request is to be
 * cached, and the length of the reply when it is answered.
 *
 * <p>If the account runs short, the client is asked to use fewer slots ({@code sr_target_highest_slotid}), half as many
 * each time. Slots above the target are retired after a request that proves that the client knows the target: the last
 * reply in its slot told the target, and its {@code sa_highest_slotid} names no higher slot. By then the client has all
 * replies of the higher slots. Only then {@code sr_highest_slotid} is lowered, too. When there is room again, both
 * rise. A request in a retired slot is accepted all the same: replies overtake each other, so a client may take an
 * older target for the newest. Such a request may overtake the one that proves what the client knows: a slot that has
 * been used since the target was lowered is retired after the next proof. Thread safe.
 */
public final class SessionSlots {
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    /** Octets by which an error may be longer than the result that it replaces. */
    private static final int ERROR = 64;

    private final ClientAccount account;
    private final long longestReply;
    private final Slot[] slots;
    private final long fixed;
    /** How many requests are being executed. */
    private final AtomicInteger executing = new AtomicInteger();

    @GuardedBy("this")
    private int highest;

    @GuardedBy("this")
    private int target;

    @GuardedBy("this")
    private int generation;

    @GuardedBy("this")
    private boolean hasLooked;

    @GuardedBy("this")
    private long lookedNanos;

    @GuardedBy("this")
    private long replies;

    @GuardedBy("this")
    private boolean ended;

    private SessionSlots(ClientAccount account, ChannelAttributes fore) {
        this.account = account;
        longestReply = longest(fore.maxResponseSizeCached());
        slots = new Slot[fore.maxRequests()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot(this, i == 0);
        }
        highest = slots.length - 1;
        target = highest;
        fixed = slots.length * StateKind.SLOTS.octets();
    }

    /** A slot has entered a new request. */
    void begun() {
        executing.incrementAndGet();
    }

    /** The request of a slot has ended. */
    void answered() {
        executing.decrementAndGet();
    }

    boolean isExecuting() {
        return executing.get() > 0;
    }

    private static long longest(int cached) {
        return (long) cached + ERROR + StateKind.REPLIES.octets();
    }

    /** The octets of a session with one reply, and with a reply of the greatest length in each slot. */
    private static long least(int slots, int cached) {
        return StateKind.SESSIONS.octets() + slots * StateKind.SLOTS.octets() + longest(cached);
    }

    private static long most(int slots, int cached) {
        return least(slots, cached) + (slots - 1L) * longest(cached);
    }

    /**
     * Lowers the attributes of a session to what the account allows: with full replies in all slots, at most half of
     * the octets that the client can still take.
     */
    static ChannelAttributes fit(ClientAccount account, ChannelAttributes wanted, int leastCached) {
        long room = account.spare() / 2;
        int slots = wanted.maxRequests();
        int cached = wanted.maxResponseSizeCached();
        while (slots > 1 && most(slots, cached) > room) {
            slots = (slots + 1) / 2;
        }
        while (cached > leastCached && most(slots, cached) > room) {
            cached = Math.max(leastCached, cached / 2);
        }
        return new ChannelAttributes(
                wanted.headerPadSize(),
                wanted.maxRequestSize(),
                wanted.maxResponseSize(),
                cached,
                wanted.maxOperations(),
                slots,
                wanted.rdmaIrd());
    }

    /** The slots of a new session, with which the account is charged; null if the account does not allow it. */
    static SessionSlots open(ClientAccount account, ChannelAttributes fore) {
        long slots = fore.maxRequests() * StateKind.SLOTS.octets();
        if (!account.take(StateKind.SESSIONS, StateKind.SESSIONS.octets())) {
            return null;
        }
        if (!account.take(StateKind.SLOTS, slots)) {
            account.give(StateKind.SESSIONS, StateKind.SESSIONS.octets());
            return null;
        }
        if (!account.take(StateKind.REPLIES, longest(fore.maxResponseSizeCached()))) {
            account.give(StateKind.SLOTS, slots);
            account.give(StateKind.SESSIONS, StateKind.SESSIONS.octets());
            return null;
        }
        return new SessionSlots(account, fore);
    }

    /** Ends the cache with its session, and returns its charge. Requests in progress are not cached any more. */
    synchronized void end() {
        if (!ended) {
            ended = true;
            account.give(StateKind.REPLIES, longestReply + replies);
            account.give(StateKind.SLOTS, fixed);
            account.give(StateKind.SESSIONS, StateKind.SESSIONS.octets());
        }
    }

    long longestReply() {
        return longestReply;
    }

    /** Changes a slot's charge. Returns whether the account allows it; it always allows the same or less. */
    synchronized boolean recharge(long before, long now) {
        if (ended) {
            return now == 0;
        }
        long more = now - before;
        if (more > 0 && !account.take(StateKind.REPLIES, more)) {
            hasLooked = false; // the next request checks at once whether the client should use fewer slots
            return false;
        }
        if (more < 0) {
            account.give(StateKind.REPLIES, -more);
        }
        replies += more;
        return true;
    }

    /** The slot of a SEQUENCE. */
    Slot slot(int slotId, int highestSlotId) throws NfsError {
        if (slotId < 0 || slotId >= slots.length) {
            throw new NfsError(NFS4ERR_BADSLOT);
        }
        if (highestSlotId < 0 || highestSlotId >= slots.length) {
            throw new NfsError(NFS4ERR_BAD_HIGH_SLOT);
        }
        return slots[slotId];
    }

    /**
     * The slot numbers in a reply of SEQUENCE.
     *
     * @param highest {@code sr_highest_slotid}
     * @param target {@code sr_target_highest_slotid}
     */
    public record SlotNumbers(int highest, int target) {}

    synchronized SlotNumbers told() {
        return new SlotNumbers(highest, target);
    }

    /**
     * Enters a new request. Returns the slot numbers of its reply.
     *
     * @param highestSlotId {@code sa_highest_slotid}
     */
    SlotNumbers entered(Slot slot, int slotId, int highestSlotId, long nowNanos) {
        int last = slot.toldGeneration();
        int used = slotId;
        int first;
        int end;
        synchronized (this) {
            boolean isProof = last == generation && highestSlotId <= target && target < highest;
            first = target + 1;
            end = isProof ? highest + 1 : first;
            if (isProof) {
                highest = target;
                generation++; // requests in these slots get the new limits in their replies
            }
        }
        for (int i = first; i < end; i++) {
            if (!slots[i].retire(last)) {
                used = Math.max(used, i);
            }
        }
        SlotNumbers told;
        int current;
        synchronized (this) {
            highest = Math.max(highest, used);
            look(nowNanos);
            told = new SlotNumbers(highest, target);
            current = generation;
        }
        slot.tell(current);
        return told;
    }

    @GuardedBy("this")
    private void look(long nowNanos) {
        if (ended || (hasLooked && nowNanos - lookedNanos < PAUSE_NANOS)) {
            return;
        }
        hasLooked = true;
        lookedNanos = nowNanos;
        long spare = account.spare();
        long used = account.held();
        if (spare < used / 4 && target > 0 && target == highest) {
            target = (target + 1) / 2 - 1;
            generation++;
        } else if (spare > used && target < slots.length - 1) {
            target = Math.min(slots.length - 1, 2 * target + 1);
            highest = Math.max(highest, target);
            generation++;
        }
    }
}
