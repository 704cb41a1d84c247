package io.verbena.verbs;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Memory registered with one connection (its protection domain). Local offsets begin with 0; a peer addresses an octet
 * by {@link #steeringTag} and {@link #remoteOffset} plus the local offset.
 */
@ProviderType
public interface MemoryRegion {
    /** The unpredictable number by which the peer addresses the memory; 0 where the region grants no remote access. */
    int steeringTag();

    /** The address by which the peer reaches the first octet (the tagged offset in iWARP). */
    long remoteOffset();

    /** The length in octets; it may exceed 2 GiB where the region has several buffers. */
    long length();

    /** Whether remote access is still granted. */
    boolean isValid();

    /**
     * Ends remote access and deregisters the memory. When this method returns, the peer can no longer read or write the
     * memory, not even by operations under way; a peer that stalls in the middle of such an operation loses the
     * connection. Without effect on a region that is invalid already, by Send with Invalidate or because the connection
     * has ended.
     */
    void invalidate();
}
