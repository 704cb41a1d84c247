package io.verbena.memory;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The memory that one owner holds of a {@link MemoryBudget}. A share has parts: the connections of a peer are parts of
 * the share of the peer, and the memory of a part counts for the share too. Thread safe. Only {@link #await} and {@link
 * #awaitAhead} block.
 */
@ProviderType
public interface MemoryShare extends AutoCloseable {
    /** The owner, after the owners of the shares that this one is a part of: "peer 10.0.0.1, connection 7". */
    String owner();

    /** The octets that the leases of this share and of its parts hold now, in whole pages. */
    long leasedBytes();

    /**
     * A part of this share, made where there is none of that name yet; see {@link MemoryBudget#share}.
     *
     * @param owner the owner of the part, for people to read: "connection 7"
     */
    MemoryShare part(String owner);

    /**
     * A lease, where there is room for it now and no request waits before it. Where there is no room, the owners are
     * asked to give back memory: see {@link #onPressure}.
     *
     * @param bytes at least one
     * @return null where there is no room
     */
    BufferLease tryLease(int bytes);

    /**
     * A lease, or the reason why there is none now.
     *
     * @param bytes at least one
     * @throws MemoryRefusedException which names the share and the budget
     */
    BufferLease lease(int bytes) throws MemoryRefusedException;

    /**
     * A lease, as soon as there is room for it. Requests are served in their order, except small ones, and those whose
     * share holds too much. The future completes on a thread of the budget, which must not be blocked.
     *
     * @param bytes at least one
     * @param timeout how long the request waits
     * @return fails with {@link MemoryRefusedException} when the time is over, the share is closed, or the request is
     *     larger than the budget; cancelling it removes it from the queue
     */
    CompletableFuture<BufferLease> request(int bytes, Duration timeout);

    /**
     * A lease that the calling thread waits for: as {@link #request}.
     *
     * @throws MemoryRefusedException when the time is over, or no wait would help
     * @throws InterruptedException when the thread was interrupted; the request leaves the queue
     */
    BufferLease await(int bytes, Duration timeout) throws MemoryRefusedException, InterruptedException;

    /**
     * As {@link #lease}, for memory that a connection cannot do without: the request goes before others that wait, and
     * may use the memory reserved for small leases, since the others may need a connection to give back theirs.
     */
    BufferLease leaseAhead(int bytes) throws MemoryRefusedException;

    /** As {@link #await}, for memory that a connection cannot do without: see {@link #leaseAhead}. */
    BufferLease awaitAhead(int bytes, Duration timeout) throws MemoryRefusedException, InterruptedException;

    /**
     * Adds a listener that is called when memory of this share, or of the whole budget, is short: it gives back leases,
     * or starts work that does. A thread of the budget calls it repeatedly while memory is short.
     *
     * @param giveBack must not block
     * @return removes the listener
     */
    Runnable onPressure(Runnable giveBack);

    /**
     * Ends one use of the share. When the last user has ended it, requests that wait are refused, and no more leases
     * are given; present leases hold their memory until they are closed.
     */
    @Override
    void close();
}
