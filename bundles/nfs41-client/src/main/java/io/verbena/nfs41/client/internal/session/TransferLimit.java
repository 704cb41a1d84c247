package io.verbena.nfs41.client.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The most octets of one READ or WRITE, where the path to the server cannot carry large ones: the connection is lost
 * with each of them, again and again, while small requests are answered. The limit is halved then, down to
 * {@link #LEAST}. After a while without another such loss it is doubled; a size that fails once more has to wait twice
 * as long for the next try. Thread safe.
 */
public final class TransferLimit {
    /** The least limit, which one page fits. */
    static final int LEAST = 4096;

    /** How many connections are lost with a request before its size counts as the reason. */
    static final int LOSSES = 3;

    private static final Logger LOG = LoggerFactory.getLogger(TransferLimit.class);
    private static final long NONE = Long.MIN_VALUE;
    private static final Duration FIRST_WAIT = Duration.ofMinutes(1);
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final String mount;
    private final Runtime runtime;
    private final AtomicLong losses = new AtomicLong();
    /** When a transfer was answered last, by the power of two of its octets. */
    private final AtomicLongArray answered = new AtomicLongArray(Integer.SIZE);

    private final Set<TransferAttempts> underWay = ConcurrentHashMap.newKeySet();

    private volatile int limit = UNLIMITED;

    @GuardedBy("this")
    private long changedNanos;

    @GuardedBy("this")
    private long waitNanos = FIRST_WAIT.toNanos();

    /** Whether the limit was doubled last, and not halved. */
    @GuardedBy("this")
    private boolean isTrial;

    @GuardedBy("this")
    private boolean isTold;

    public TransferLimit(String mount, Runtime runtime) {
        this.mount = mount;
        this.runtime = runtime;
        for (int power = 0; power < answered.length(); power++) {
            answered.set(power, NONE);
        }
    }

    /** The most octets of the next READ or WRITE, where a size was negotiated. */
    public int of(int negotiated) {
        return limit == UNLIMITED ? negotiated : Math.min(negotiated, present(negotiated));
    }

    /** The limit; empty where there is none. */
    public Optional<Integer> shown() {
        int present = limit;
        return present == UNLIMITED ? Optional.empty() : Optional.of(present);
    }

    /** The limit, doubled if it is time to try that. */
    private synchronized int present(int negotiated) {
        long now = runtime.nanoTime();
        if (limit != UNLIMITED && now - changedNanos >= waitNanos) {
            waitNanos = isTrial ? FIRST_WAIT.toNanos() : waitNanos; // the last trial went well
            isTrial = true;
            changedNanos = now;
            limit = limit >= negotiated / 2 ? UNLIMITED : 2 * limit;
        }
        return limit;
    }

    /** A connection was lost. The transport sends its calls again by the next one, as long as that takes. */
    public void lost() {
        losses.incrementAndGet();
        underWay.forEach(TransferAttempts::lost);
    }

    /** The transfers that were sent and have no reply. */
    Set<TransferAttempts> underWay() {
        return underWay;
    }

    /** How many connections were lost. */
    long losses() {
        return losses.get();
    }

    /** A transfer of that many octets was answered. */
    void answered(int octets) {
        answered.set(power(octets), runtime.nanoTime());
    }

    private static int power(int octets) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(Math.max(1, octets));
    }

    /**
     * A transfer has no answer, and connections were lost with it. Where this is true, and the server answers a small
     * request then, the path does not carry the transfer: see {@link #shrink}.
     *
     * @param octets of the transfer
     * @param lost how many connections
     * @param sinceNanos when it was sent first
     */
    boolean isSuspect(int octets, long lost, long sinceNanos) {
        if (octets <= LEAST || lost == 0) {
            return false;
        }
        if (octets > limit) {
            return true;
        }
        for (int power = power(octets); power < answered.length(); power++) {
            long last = answered.get(power);
            if (last != NONE && last - sinceNanos >= 0) {
                return false; // the size is not the reason
            }
        }
        return lost >= LOSSES;
    }

    /** The path does not carry transfers of that many octets: the next ones are at most half as large. */
    synchronized void shrink(int octets) {
        if (octets > limit) {
            return; // another transfer was faster
        }
        if (!isTold) {
            isTold = true;
            LOG.warn(
                    "mount {}: the connection is lost whenever {} octets are moved by one request, and small requests"
                            + " are answered: READ and WRITE are made smaller, until the path carries them. See"
                            + " transferLimit in nfs:mounts; a firewall, or a wrong MTU, may be the reason",
                    mount,
                    octets);
        }
        waitNanos = isTrial ? Math.min(2 * waitNanos, LONGEST_WAIT.toNanos()) : waitNanos;
        isTrial = false;
        changedNanos = runtime.nanoTime();
        limit = Math.max(LEAST, Integer.highestOneBit(octets - 1));
    }
}
