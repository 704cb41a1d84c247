package io.verbena.verbs;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Memory registered with one connection (its protection domain). Its octets are numbered from 0; a peer names them by
 * {@link #steeringTag} and {@link #remoteOffset} plus that number.
 */
@ProviderType
public interface MemoryRegion {
    /** The number by which the peer names the memory, unpredictable; 0 where it grants no remote access. */
    int steeringTag();

    /** The address that the peer gives to the first octet (the tagged offset in iWARP). */
    long remoteOffset();

    /** In octets; may be over 2 GiB where registered from several buffers. */
    long length();

    /** Whether remote access is still granted. */
    boolean isValid();

    /**
     * Ends remote access and deregisters the memory. When it returns the peer can no longer read or write any of it,
     * not even by what is under way; a peer that stalls in the middle of an operation on it loses the connection.
     * Without effect on a region that is invalid already (by Send with Invalidate, or at the connection's end).
     */
    void invalidate();
}
