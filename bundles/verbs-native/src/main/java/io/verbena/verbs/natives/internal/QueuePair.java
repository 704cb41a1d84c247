package io.verbena.verbs.natives.internal;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;

/** What a connection has of a device: a queue pair and all that it takes to have one. */
final class QueuePair {
    /** A call that frees something. */
    private interface Release {
        void run() throws NativeException;
    }

    /**
     * What is asked for, the first that the device has: a call or a reply of NFS that moves its data by RDMA has about
     * 250 octets, and some adapters have no more than 64.
     */
    private static final int[] INLINE_OCTETS = {256, 64, 0};

    private final Natives natives;
    private final Device device;
    private final long id;
    private long pd;
    private long channel;
    private long cq;
    private long qp;
    private int inlineOctets;

    /** @param id the connection manager's, bound to the device */
    QueuePair(Natives natives, Device device, long id, ConnectionOptions limits) throws RdmaException {
        this.natives = natives;
        this.device = device;
        this.id = id;
        long sends = (long) limits.sendQueueDepth() + device.ownRequests();
        check("max_qp_wr", sends, device.attributes().maxQpWr());
        check("max_qp_wr", limits.receiveQueueDepth(), device.attributes().maxQpWr());
        check("max_cqe", sends + limits.receiveQueueDepth(), device.attributes().maxCqe());
        boolean done = false;
        try {
            pd = natives.verbs().allocPd(device.context());
            channel = natives.verbs().createCompChannel(device.context());
            cq = natives.verbs().createCq(device.context(), (int) sends + limits.receiveQueueDepth(), channel);
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
                CreatedQueuePair created =
                        natives.cm().createQp(id, pd, cq, new QueueLimits(sends, receives, INLINE_OCTETS[i]));
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

    /** Whether {@link #destroyQueues} is still to come. */
    boolean hasQueues() {
        return qp != 0;
    }

    long pd() {
        return pd;
    }

    long channel() {
        return channel;
    }

    long cq() {
        return cq;
    }

    long qp() {
        return qp;
    }

    /** The octets that a send may carry within its work request: the device need not read them from memory. */
    int inlineOctets() {
        return inlineOctets;
    }

    /** After this the device neither reads nor writes any memory for the connection. */
    void destroyQueues() {
        if (qp != 0) {
            natives.cm().destroyQp(id);
            qp = 0;
        }
    }

    /** Frees the rest; regions and windows have to be gone already. */
    void destroy() {
        destroyQueues();
        if (cq != 0) {
            long old = cq;
            cq = 0;
            release(() -> natives.verbs().destroyCq(old));
        }
        if (channel != 0) {
            long old = channel;
            channel = 0;
            release(() -> natives.verbs().destroyCompChannel(old));
        }
        if (pd != 0) {
            long old = pd;
            pd = 0;
            release(() -> natives.verbs().deallocPd(old));
        }
    }

    /** Whether the device has put the queue pair into the error state. */
    boolean hasFailed() throws NativeException {
        return natives.verbs().qpFailed(qp);
    }

    private static void release(Release release) {
        try {
            release.run();
        } catch (NativeException e) {
            Log.LOGGER.warn("freeing what a connection had failed", e);
        }
    }
}
