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
import java.util.function.Consumer;

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
    private final Consumer<RdmaException> breakOff;

    private final Set<NativeRegion> all = ConcurrentHashMap.newKeySet();
    private final Map<Integer, NativeRegion> remote = new ConcurrentHashMap<>();

    /** What could not be freed, and may be once the queue pair is gone. */
    private final Set<NativeRegion> left = ConcurrentHashMap.newKeySet();

    /** Held shared by calls that need the protection domain, and alone to close. */
    private final ReentrantReadWriteLock domain = new ReentrantReadWriteLock();

    private boolean closed;

    /** @param breakOff ends the connection so that nothing more of what its peer asks for is carried out */
    Regions(
            Ibverbs verbs,
            Device device,
            long pd,
            SendQueue sends,
            RandomNumbers random,
            Consumer<RdmaException> breakOff) {
        this.verbs = verbs;
        this.device = device;
        this.pd = pd;
        this.sends = sends;
        this.random = random;
        this.breakOff = breakOff;
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
            checkNotClosed();
            register(region);
            all.add(region);
            return region;
        } catch (NativeException e) {
            throw Failures.resources(e);
        } finally {
            domain.readLock().unlock();
        }
    }

    private void checkNotClosed() throws RdmaException {
        if (closed) {
            throw new RdmaException(Kind.DISCONNECTED, "the connection has ended");
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
        return region.access() == Access.REMOTE_READ ? Layout.IBV_ACCESS_REMOTE_READ : Layout.IBV_ACCESS_REMOTE_WRITE;
    }

    private void openWindow(NativeRegion region) throws NativeException, RdmaException {
        boolean bound = false;
        try {
            Windows.Window window = windows.take();
            int tag = windows.nextKey(window);
            region.opened(tag, window);
            remote.put(tag, region);
            sends.bind(window, tag, region.mr(), region.base(), region.registeredLength(), remoteRight(region));
            windows.bound(window, tag);
            bound = true;
        } finally {
            if (!bound) {
                region.end();
                free(region); // it may be bound by now
            }
        }
    }

    /**
     * Reads from the peer's memory into a region's part, by a registration that only this read of ours writes to: the
     * peer answers by a tagged message into memory that is open to it (RFC 5040 section 5.2), so just for that.
     *
     * @param data where observers find what was read; null where nobody observes
     */
    void read(
            long id,
            NativeRegion region,
            long offset,
            int length,
            int remoteTag,
            long remoteOffset,
            int flags,
            ByteBuffer data)
            throws RdmaException {
        // held until it is the send queue's: what is registered after the end is freed by nobody
        domain.readLock().lock();
        try {
            checkNotClosed();
            sends.checkOpen();
            long address = region.address() + offset;
            int access = Layout.IBV_ACCESS_LOCAL_WRITE | Layout.IBV_ACCESS_REMOTE_WRITE;
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

    /** The peer has invalidated a tag by its Send with Invalidate. The receive thread. */
    void invalidatedByPeer(int tag) {
        NativeRegion region = remote.get(tag);
        if (region != null && region.end()) {
            Windows.Window window = region.window();
            if (window != null) {
                region.opened(tag, null);
                windows.give(window);
            }
            free(region);
        }
    }

    /** When it returns the peer is kept from the memory, whoever has seen to that. */
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
                        Kind.RESOURCES, "the peer could not be kept from memory otherwise: " + e.getMessage(), e));
            }
        } finally {
            region.ended();
        }
    }

    private void release(NativeRegion region) throws NativeException {
        Windows.Window window = region.window();
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

    /** Deregisters the rest; the queue pair is gone already, so nobody reaches any of it. */
    void close() {
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
