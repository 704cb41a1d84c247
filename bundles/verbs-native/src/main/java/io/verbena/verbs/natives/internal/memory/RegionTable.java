package io.verbena.verbs.natives.internal.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.Access;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.device.RegistrationMethod;
import io.verbena.verbs.natives.internal.library.Failures;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.struct.Layout;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;

/**
 * The registered memory of one connection. There is no cache of registrations: a registration that outlives its
 * operation would leave memory open, and the JVM may meanwhile have used the address for another buffer. Any thread.
 */
public final class RegionTable {
    /** The memory that is registered for empty regions, which devices do not accept. It is never read or written. */
    private static final ByteBuffer SPARE = NativeMemory.allocate(1);

    /**
     * The offset mask of the largest page that Linux has on the architectures of {@link Layout}: 64 KiB, on aarch64.
     */
    private static final long PAGE_MASK = 0xffff;

    private final Ibverbs verbs;
    private final Device device;
    private final long pd;
    private final RegistrationQueue sends;
    private final MemoryWindows windows;
    private final RandomNumbers random;
    private final Consumer<RdmaException> breakOff;

    private final Set<NativeRegion> all = ConcurrentHashMap.newKeySet();
    private final Map<Integer, NativeRegion> remote = new ConcurrentHashMap<>();

    /** Regions that could not be freed. Freeing is tried again when the queue pair is destroyed. */
    private final Set<NativeRegion> left = ConcurrentHashMap.newKeySet();

    /** The read lock is held by calls that use the protection domain, the write lock to close. */
    private final ReentrantReadWriteLock domain = new ReentrantReadWriteLock();

    /** Error Prone does not check fields that a read-write lock guards. */
    @GuardedBy("domain")
    private boolean closed;

    /** @param breakOff ends the connection, so that the device carries out no more requests of the peer */
    public RegionTable(
            Ibverbs verbs,
            Device device,
            long pd,
            RegistrationQueue sends,
            RandomNumbers random,
            Consumer<RdmaException> breakOff) {
        this.verbs = verbs;
        this.device = device;
        this.pd = pd;
        this.sends = sends;
        this.random = random;
        this.breakOff = breakOff;
        windows = new MemoryWindows(verbs, pd, random);
    }

    /** @param more whether a post follows soon, before which no peer uses the memory */
    public NativeRegion add(List<ByteBuffer> memory, Access access, boolean more) throws RdmaException {
        if (memory.size() != 1 || !memory.get(0).isDirect()) {
            throw new IllegalArgumentException("the device takes one direct buffer a region");
        }
        ByteBuffer buffer = memory.get(0);
        boolean writable = !buffer.isReadOnly();
        if (access == Access.REMOTE_WRITE && !writable) {
            throw new RdmaException(Kind.LOCAL_PROTECTION, "a buffer that is read-only cannot be written by the peer");
        }
        long length = buffer.remaining();
        long address = length == 0 ? NativeMemory.addressOf(SPARE) : NativeMemory.addressOf(buffer) + buffer.position();
        NativeRegion region =
                new NativeRegion(this, buffer, access, address, baseFor(address, access), length, writable);
        domain.readLock().lock();
        try {
            checkNotClosed();
            register(region, more);
            all.add(region);
            return region;
        } catch (NativeException e) {
            throw Failures.resources(e);
        } finally {
            domain.readLock().unlock();
        }
    }

    @GuardedBy("domain")
    private void checkNotClosed() throws RdmaException {
        if (closed) {
            throw new RdmaException(Kind.DISCONNECTED, "the connection has ended");
        }
    }

    /** The address of the memory for the device: a random one, which reveals nothing, where the device allows that. */
    private long baseFor(long address, Access access) {
        if (access == Access.LOCAL || !device.choosesAddresses()) {
            return address;
        }
        return (random.nextLong() >>> 2 & ~PAGE_MASK) | (address & PAGE_MASK);
    }

    private void register(NativeRegion region, boolean more) throws NativeException, RdmaException {
        int local = region.isWritable() ? NativeConstants.IBV_ACCESS_LOCAL_WRITE : 0;
        if (region.access() == Access.LOCAL) {
            registerAs(region, local);
        } else if (device.registration() == RegistrationMethod.WINDOW) {
            registerAs(region, local | NativeConstants.IBV_ACCESS_MW_BIND);
            openWindow(region, more);
        } else {
            sends.checkOpen();
            registerAs(region, local | remoteRight(region));
            int tag = verbs.rkey(region.mr());
            region.opened(tag, null);
            remote.put(tag, region);
        }
    }

    private void registerAs(NativeRegion region, int access) throws NativeException {
        long mr = verbs.regMr(pd, region.address(), region.registeredLength(), region.base(), access);
        region.registered(mr, verbs.lkey(mr));
    }

    private static int remoteRight(NativeRegion region) {
        return region.access() == Access.REMOTE_READ
                ? NativeConstants.IBV_ACCESS_REMOTE_READ
                : NativeConstants.IBV_ACCESS_REMOTE_WRITE;
    }

    private void openWindow(NativeRegion region, boolean more) throws NativeException, RdmaException {
        boolean bound = false;
        try {
            MemoryWindows.Window window = windows.take();
            int tag = windows.nextKey(window);
            region.opened(tag, window);
            remote.put(tag, region);
            sends.bind(window, tag, region.mr(), region.base(), region.registeredLength(), remoteRight(region), more);
            bound = true;
        } finally {
            if (!bound) {
                region.end();
                free(region); // the window may be bound by now
            }
        }
    }

    /**
     * Posts an RDMA Read into a part of a region, through a registration for this read only. On iWARP the peer answers
     * by a tagged message into memory that is open to it (RFC 5040 section 5.2), so that memory is opened for this read
     * only.
     *
     * @param data where observers find what was read; null where nobody observes
     */
    public void read(
            long id,
            NativeRegion region,
            long offset,
            int length,
            int remoteTag,
            long remoteOffset,
            int flags,
            ByteBuffer data)
            throws RdmaException {
        // held until the send queue owns the registration: one made after the end would never be freed
        domain.readLock().lock();
        try {
            checkNotClosed();
            sends.checkOpen();
            long address = region.address() + offset;
            int access = NativeConstants.IBV_ACCESS_LOCAL_WRITE | NativeConstants.IBV_ACCESS_REMOTE_WRITE;
            long sink = verbs.regMr(pd, address, length, address, access);
            boolean posted = false;
            try {
                sends.read(id, address, length, verbs.lkey(sink), remoteTag, remoteOffset, flags, sink, data);
                posted = true;
            } finally {
                if (!posted) {
                    removeSink(sink);
                }
            }
        } catch (NativeException e) {
            sends.handOver();
            throw Failures.resources(e);
        } finally {
            domain.readLock().unlock();
        }
    }

    private void removeSink(long mr) {
        try {
            verbs.deregMr(mr);
        } catch (NativeException e) {
            Log.LOGGER.warn("deregistering the memory of a read failed", e);
        }
    }

    /** Frees the region whose tag the peer has invalidated by a Send with Invalidate. */
    public void invalidatedByPeer(int tag) {
        NativeRegion region = remote.get(tag);
        if (region != null && region.end()) {
            MemoryWindows.Window window = region.window();
            if (window != null) {
                region.opened(tag, null);
                windows.give(window);
            }
            free(region);
        }
    }

    /**
     * Invalidates a region. When this returns the peer cannot reach the memory, whichever thread has ended the region.
     */
    void invalidate(NativeRegion region) {
        domain.readLock().lock();
        try {
            if (region.end()) {
                free(region);
            }
        } finally {
            domain.readLock().unlock();
        }
        region.awaitEnded();
    }

    private void free(NativeRegion region) {
        try {
            remote.remove(region.steeringTag(), region);
            all.remove(region);
            release(region);
        } catch (NativeException e) {
            Log.LOGGER.warn("taking back memory failed", e);
            left.add(region);
            if (region.steeringTag() != 0) {
                breakOff.accept(new RdmaException(
                        Kind.RESOURCES,
                        "memory could not be invalidated, so the connection ends: " + e.getMessage(),
                        e));
            }
        } finally {
            region.ended();
        }
    }

    private void release(NativeRegion region) throws NativeException {
        MemoryWindows.Window window = region.window();
        if (window != null) {
            try {
                sends.awaitBind(window);
            } catch (RdmaException e) {
                Log.LOGGER.debug("a window is taken back as its connection ends", e);
            }
            windows.destroy(window);
            region.opened(region.steeringTag(), null);
        }
        verbs.deregMr(region.mr());
    }

    private boolean isReleased(NativeRegion region) {
        try {
            release(region);
            return true;
        } catch (NativeException e) {
            Log.LOGGER.warn("taking back memory failed again", e);
            return false;
        }
    }

    /** The number of tags that are valid now. */
    public int size() {
        return remote.size();
    }

    /**
     * Frees all windows and refuses new regions. Called before the queue pair is destroyed, since that waits for its
     * windows: on rxe without end.
     */
    public void closeWindows() {
        domain.writeLock().lock();
        try {
            closed = true;
            left.removeIf(this::isReleased);
            for (NativeRegion region : remote.values()) {
                if (region.window() != null && region.end()) {
                    free(region);
                }
            }
            windows.close();
        } finally {
            domain.writeLock().unlock();
        }
    }

    /** Deregisters all other regions. Called after the queue pair was destroyed, so the peer cannot reach them. */
    public void close() {
        domain.writeLock().lock();
        try {
            for (NativeRegion region : all) {
                if (region.end()) {
                    free(region);
                }
            }
            left.removeIf(this::isReleased);
        } finally {
            domain.writeLock().unlock();
        }
    }
}
