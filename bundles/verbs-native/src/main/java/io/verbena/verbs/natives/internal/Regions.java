package io.verbena.verbs.natives.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The memory of one connection. There is no cache of registrations: one that outlived its operation would leave memory
 * open, and the JVM may have given the address to another buffer meanwhile.
 */
final class Regions {
    /** What stands for the memory of regions without an octet, which devices do not take; nothing is ever moved. */
    private static final ByteBuffer SPARE = NativeMemory.allocate(1);

    /** Of the largest pages that Linux has on the architectures of {@link Layout}: 64 KiB, on aarch64. */
    private static final long PAGE_MASK = 0xffff;

    private final Ibverbs verbs;
    private final Device device;
    private final long pd;
    private final SendQueue sends;
    private final Windows windows;
    private final RandomNumbers random;

    private final Set<NativeRegion> all = ConcurrentHashMap.newKeySet();
    private final Map<Integer, NativeRegion> remote = new ConcurrentHashMap<>();

    /** Held shared by calls that need the protection domain, and alone to close. */
    private final ReentrantReadWriteLock domain = new ReentrantReadWriteLock();

    private boolean closed;

    Regions(Ibverbs verbs, Device device, long pd, SendQueue sends, RandomNumbers random) {
        this.verbs = verbs;
        this.device = device;
        this.pd = pd;
        this.sends = sends;
        this.random = random;
        windows = new Windows(verbs, pd, random);
    }

    NativeRegion add(List<ByteBuffer> memory, Access access) throws RdmaException {
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
            if (closed) {
                throw new RdmaException(Kind.DISCONNECTED, "the connection has ended");
            }
            register(region);
            all.add(region);
            return region;
        } catch (NativeException e) {
            throw Failures.resources(e);
        } finally {
            domain.readLock().unlock();
        }
    }

    /** An address that tells nothing about ours, where the device has it. */
    private long baseFor(long address, Access access) {
        if (access == Access.LOCAL || !device.choosesAddresses()) {
            return address;
        }
        return (random.nextLong() >>> 2 & ~PAGE_MASK) | (address & PAGE_MASK);
    }

    private void register(NativeRegion region) throws NativeException, RdmaException {
        int local = region.isWritable() ? Layout.IBV_ACCESS_LOCAL_WRITE : 0;
        if (region.access() == Access.LOCAL) {
            registerAs(region, local);
        } else if (device.registration() == Registration.WINDOW) {
            registerAs(region, local | Layout.IBV_ACCESS_MW_BIND);
            openWindow(region);
        } else {
            sends.checkOpen();
            registerAs(region, remoteRight(region) | (region.access() == Access.REMOTE_WRITE ? local : 0));
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
        return region.access() == Access.REMOTE_READ ? Layout.IBV_ACCESS_REMOTE_READ : Layout.IBV_ACCESS_REMOTE_WRITE;
    }

    private void openWindow(NativeRegion region) throws NativeException, RdmaException {
        Windows.Window window = null;
        boolean bound = false;
        try {
            window = windows.take();
            int tag = windows.nextKey(window);
            region.opened(tag, window);
            remote.put(tag, region);
            sends.bind(window, tag, region.mr(), region.base(), region.registeredLength(), remoteRight(region));
            windows.bound(window, tag);
            bound = true;
        } finally {
            if (!bound) {
                remote.remove(region.steeringTag(), region);
                region.end();
                if (window != null) {
                    windows.destroy(window); // it may be bound by now
                }
                verbs.deregMr(region.mr());
            }
        }
    }

    /** A registration of a region's part that only one read of ours writes to; see {@link Device#iwarp}. */
    long addSink(NativeRegion region, long offset, int length) throws RdmaException {
        domain.readLock().lock();
        try {
            if (closed) {
                throw new RdmaException(Kind.DISCONNECTED, "the connection has ended");
            }
            long address = region.address() + offset;
            return verbs.regMr(
                    pd, address, length, address, Layout.IBV_ACCESS_LOCAL_WRITE | Layout.IBV_ACCESS_REMOTE_WRITE);
        } catch (NativeException e) {
            throw Failures.resources(e);
        } finally {
            domain.readLock().unlock();
        }
    }

    void removeSink(long mr) {
        try {
            verbs.deregMr(mr);
        } catch (NativeException e) {
            Log.LOGGER.warn("deregistering the memory of a read failed", e);
        }
    }

    /** The peer has invalidated a tag by its Send with Invalidate. The receive thread. */
    void invalidatedByPeer(int tag) {
        NativeRegion region = remote.get(tag);
        if (region != null && region.end()) {
            remote.remove(tag, region);
            all.remove(region);
            if (region.window() != null) {
                windows.give(region.window());
            }
            deregister(region);
        }
    }

    void invalidate(NativeRegion region) {
        if (!region.end()) {
            return;
        }
        domain.readLock().lock();
        try {
            free(region);
        } finally {
            domain.readLock().unlock();
        }
    }

    private void free(NativeRegion region) {
        if (region.steeringTag() != 0) {
            remote.remove(region.steeringTag(), region);
        }
        if (all.remove(region)) {
            if (region.window() != null) {
                free(region.window());
            }
            deregister(region);
        }
    }

    private void free(Windows.Window window) {
        try {
            sends.awaitBind(window);
        } catch (RdmaException e) {
            Log.LOGGER.debug("a window is taken back as its connection ends", e);
        }
        try {
            windows.destroy(window);
        } catch (NativeException e) {
            Log.LOGGER.warn("taking back a window failed", e);
        }
    }

    private void deregister(NativeRegion region) {
        try {
            verbs.deregMr(region.mr());
        } catch (NativeException e) {
            Log.LOGGER.warn("deregistering memory failed", e);
        }
    }

    /** The tags that are valid now. */
    int size() {
        return remote.size();
    }

    /**
     * Takes back all windows and takes no more memory. Comes before the queue pair goes, which waits for its windows:
     * on rxe without end.
     */
    void closeWindows() {
        domain.writeLock().lock();
        try {
            closed = true;
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

    /** Deregisters the rest; the queue pair is gone already, so nobody reaches any of it. */
    void close() {
        domain.writeLock().lock();
        try {
            for (NativeRegion region : all) {
                region.end();
                free(region);
            }
        } finally {
            domain.writeLock().unlock();
        }
    }
}
