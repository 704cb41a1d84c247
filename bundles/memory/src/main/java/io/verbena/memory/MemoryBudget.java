package io.verbena.memory;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The limit of direct memory of the process. The process has one service of it. Memory is given out as {@linkplain
 * BufferLease leases} of {@linkplain MemoryShare shares}: a mount, a peer and a connection each have a share, and no
 * share can take all memory.
 *
 * <p>A share may hold at most as much as is free after its lease. So one share alone gets half of the budget, two get a
 * third each, and memory is always left for another share. A share that holds nothing gets a lease whenever there is
 * memory for it. Small leases ({@value #SMALL} octets and fewer) may also use a sixteenth of the budget that larger
 * leases must leave free.
 *
 * <p>Thread safe.
 */
@ProviderType
public interface MemoryBudget {
    /** The most octets of a small lease. */
    int SMALL = 1 << 16;

    /** The most octets that leases may hold in sum. */
    long limitBytes();

    /** The octets that leases hold now, in whole pages. */
    long leasedBytes();

    /** The octets that the budget has allocated: those leased, and those kept for the next leases. */
    long allocatedBytes();

    /**
     * The share of an owner, made where there is none yet. The caller {@linkplain MemoryShare#close closes} the share
     * at the end; the last user who closes it ends it.
     *
     * @param owner the owner of the memory, for people to read: "mount w", "peer 10.0.0.1"
     */
    MemoryShare share(String owner);

    /** The memory that each share holds now; a share stands before its parts. */
    List<ShareUsage> holdings();

    /**
     * Adds a listener that is called when the whole budget is short: it holds no memory of its own, but can have others
     * give back, as those of {@link MemoryShare#onPressure}.
     *
     * @param giveBack must not block
     * @return removes the listener
     */
    Runnable onPressure(Runnable giveBack);
}
