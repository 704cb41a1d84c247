package io.verbena.verbs.natives.internal.queue;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.library.CreatedQueuePair;
import io.verbena.verbs.natives.internal.library.Failures;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.QueueLimits;

/**
 * The resources of a connection on its device: queue pair, two completion queues, their completion channel, and the
 * protection domain.
 */
public final class QueuePair {
    /** A call that frees a resource. */
    private interface Release {
        void run() throws NativeException;
    }

    /**
     * The inline lengths to ask for, in this order, until the device grants one. An NFS call or reply that moves its
     * data by RDMA has about 250 octets; some adapters grant no more than 64.
     */
    private static final int[] INLINE_OCTETS = {256, 64, 0};

    private final NativeLibraries libraries;
    private final Device device;
    private final long id;
    private long pd;
    private long channel;
    private long sendCq;
    private long receiveCq;
    private long qp;
    private int inlineOctets;

    /** @param id the id of the connection manager, bound to the device */
    public QueuePair(NativeLibraries libraries, Device device, long id, ConnectionOptions limits) throws RdmaException {
        this.libraries = libraries;
        this.device = device;
        this.id = id;
        long sends = (long) limits.sendQueueDepth() + device.ownRequests();
        check("max_qp_wr", sends, device.attributes().maxQpWr());
        check("max_qp_wr", limits.receiveQueueDepth(), device.attributes().maxQpWr());
        check(
                "max_cqe",
                Math.max(sends, limits.receiveQueueDepth()),
                device.attributes().maxCqe());
        boolean done = false;
        try {
            pd = libraries.verbs().allocPd(device.context());
            channel = libraries.verbs().createCompChannel(device.context());
            sendCq = libraries.verbs().createCq(device.context(), (int) sends, channel);
            receiveCq = libraries.verbs().createCq(device.context(), limits.receiveQueueDepth(), channel);
            createQp((int) sends, limits.receiveQueueDepth());
            done = true;
        } catch (NativeException e) {
            throw Failures.resources(e);
        } finally {
            if (!done) {
                destroy();
            }
        }
    }

    private void createQp(int sends, int receives) throws NativeException {
        for (int i = 0; qp == 0; i++) {
            try {
                CreatedQueuePair created = libraries
                        .cm()
                        .createQp(id, pd, sendCq, receiveCq, new QueueLimits(sends, receives, INLINE_OCTETS[i]));
                qp = created.qp();
                inlineOctets = created.granted().inlineBytes();
            } catch (NativeException e) {
                if (i == INLINE_OCTETS.length - 1) {
                    throw e;
                }
                Log.LOGGER.debug("{} makes no queue pair with {} octets inline", device.name(), INLINE_OCTETS[i], e);
            }
        }
    }

    private void check(String limit, long wanted, int most) throws RdmaException {
        if (wanted > most) {
            throw new RdmaException(
                    Kind.RESOURCES,
                    "the queues would take " + wanted + " work requests, and device " + device.name() + " has " + limit
                            + " " + most);
        }
    }

    /** Whether the queues exist, so that {@link #destroyQueues} is still to be called. */
    public boolean hasQueues() {
        return qp != 0;
    }

    public long pd() {
        return pd;
    }

    public long channel() {
        return channel;
    }

    /**
     * The completion queue of sends. It is not that of receives: most sends are of interest to nobody before their
     * answers, and cause no event.
     */
    public long sendCq() {
        return sendCq;
    }

    public long receiveCq() {
        return receiveCq;
    }

    public long qp() {
        return qp;
    }

    /** The octets that a send may carry within its work request, so that the device need not read them from memory. */
    public int inlineOctets() {
        return inlineOctets;
    }

    /** Destroys the queues. After this the device neither reads nor writes memory for the connection. */
    public void destroyQueues() {
        if (qp != 0) {
            libraries.cm().destroyQp(id);
            qp = 0;
        }
    }

    /** Frees all resources; regions and windows must be freed before. */
    public void destroy() {
        destroyQueues();
        if (receiveCq != 0) {
            long old = receiveCq;
            receiveCq = 0;
            release(() -> libraries.verbs().destroyCq(old));
        }
        if (sendCq != 0) {
            long old = sendCq;
            sendCq = 0;
            release(() -> libraries.verbs().destroyCq(old));
        }
        if (channel != 0) {
            long old = channel;
            channel = 0;
            release(() -> libraries.verbs().destroyCompChannel(old));
        }
        if (pd != 0) {
            long old = pd;
            pd = 0;
            release(() -> libraries.verbs().deallocPd(old));
        }
    }

    /** Whether the device has put the queue pair into the error state. */
    public boolean hasFailed() throws NativeException {
        return libraries.verbs().qpFailed(qp);
    }

    private static void release(Release release) {
        try {
            release.run();
        } catch (NativeException e) {
            Log.LOGGER.warn("freeing what a connection had failed", e);
        }
    }
}
