package io.verbena.verbs.natives.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** One end of a connection: what users hold. The work is done by its queues and its {@link ReceiveThread}. */
final class NativeConnection implements RdmaConnection, EventLoop.AsyncTarget {
    private enum State {
        NEW,
        CONNECTING,
        CONNECTED,
        ENDED
    }

    private final ConnectionFactory factory;
    private final Natives natives;
    private final Device device;
    private final CmId id;
    private final int port;
    private final CmEvent request;
    private final Handshake handshake;
    private final InetSocketAddress remote;
    private final QueuePair queuePair;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Regions regions;
    private final ReceiveThread receiver;

    /** Held while the id is used to connect, and to destroy it. */
    private final ReentrantLock steps = new ReentrantLock();

    private volatile State state = State.NEW;
    private volatile Map<String, String> settings = Map.of();

    /**
     * @param id bound to the device; it is the connection's from now on, but if this throws
     * @param request what the peer asked with, or null for an initiator
     */
    NativeConnection(
            ConnectionFactory factory,
            Device device,
            CmId id,
            CmEvent request,
            InetSocketAddress remote,
            ConnectionOptions limits,
            ProviderOptions options,
            ConnectionHandler handler)
            throws RdmaException {
        this.factory = factory;
        this.device = device;
        this.id = id;
        this.request = request;
        this.remote = remote;
        natives = factory.natives();
        port = natives.cm().portNumber(id.id());
        handshake = new Handshake(device, limits, request);
        queuePair = new QueuePair(natives, device, id.id(), limits);
        try {
            Ibverbs verbs = natives.verbs();
            // libsiw refuses receives and the kernel's siw reads that have none
            int leastElements = device.iwarp() ? 1 : 0;
            LateCollector collector = new LateCollector();
            sends = new SendQueue(
                    verbs,
                    queuePair.qp(),
                    limits.sendQueueDepth(),
                    device.ownRequests(),
                    queuePair.inlineOctets(),
                    new SendRequests(SendQueue.chainLength(), leastElements),
                    collector,
                    collector::postFailed);
            receives = new ReceiveQueue(
                    verbs, queuePair.qp(), limits.receiveQueueDepth(), new ReceiveRequests(1, leastElements));
            regions = new Regions(verbs, device, queuePair.pd(), sends, factory.random());
            Completions completions = new Completions(
                    verbs, queuePair.cq(), sends, receives, regions, handler, device.invalidationFlag());
            receiver = new ReceiveThread(
                    natives,
                    queuePair,
                    completions,
                    sends,
                    receives,
                    handler,
                    new Ending(),
                    !device.iwarp(),
                    options.pollMicros(),
                    (request == null ? "connected-" : "accepted-") + remote);
            collector.receiver = receiver;
        } catch (NativeException e) {
            queuePair.destroy();
            throw Failures.resources(e);
        }
        id.onEnd(this::onEnd);
        factory.events().add(this);
    }

    /** The receive thread, which comes into being after the queue that it takes completions for. */
    private static final class LateCollector implements SendQueue.Collector {
        private ReceiveThread receiver;

        @Override
        public boolean collect() {
            return receiver.collect();
        }

        void postFailed(RdmaException e) {
            receiver.postFailed(e);
        }
    }

    Device device() {
        return device;
    }

    void start() {
        receiver.start();
    }

    @Override
    public InetSocketAddress localAddress() {
        return handshake.local();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public byte[] connect(byte[] privateData, Duration timeout) throws RdmaException {
        checkPrivateData(privateData);
        if (request != null) {
            throw new IllegalStateException("an end made by a request is accepted, not connected");
        }
        return establish(privateData, timeout);
    }

    @Override
    public void accept(byte[] privateData, Duration timeout) throws RdmaException {
        checkPrivateData(privateData);
        if (request == null) {
            throw new IllegalStateException("an end that was opened is connected, not accepted");
        }
        establish(privateData, timeout);
    }

    private byte[] establish(byte[] privateData, Duration timeout) throws RdmaException {
        long deadline = System.nanoTime() + timeout.toNanos();
        synchronized (this) {
            if (state != State.NEW) {
                throw new IllegalStateException("this end was connected or closed before");
            }
            state = State.CONNECTING;
        }
        CmEvent event;
        steps.lock();
        try {
            event = handshake.perform(natives, id, privateData, deadline);
            established(event);
        } catch (RdmaException e) {
            steps.unlock();
            if (e.kind() == Kind.TIMED_OUT) {
                abort(); // not close(): siw lets go of a request without an answer after 10 s only
            } else {
                close();
            }
            throw e;
        }
        steps.unlock();
        return Failures.bytes(event.privateData());
    }

    private void established(CmEvent event) throws RdmaException {
        settings = handshake.describe(event, queuePair.inlineOctets());
        synchronized (this) {
            if (state == State.ENDED) {
                throw new RdmaException(Kind.DISCONNECTED, "closed while connecting");
            }
            state = State.CONNECTED;
        }
        sends.open(handshake.outboundReads(event));
        receiver.established();
    }

    private void checkPrivateData(byte[] privateData) {
        if (privateData.length > maxPrivateData()) {
            throw new IllegalArgumentException(
                    privateData.length + " octets of private data are over the limit of " + maxPrivateData());
        }
    }

    @Override
    public int maxPrivateData() {
        return handshake.maxPrivateData();
    }

    @Override
    public Map<String, String> settings() {
        return settings;
    }

    @Override
    public MemoryRegion register(List<ByteBuffer> memory, Access access) throws RdmaException {
        return regions.add(memory, access);
    }

    @Override
    public boolean requiresDirectMemory() {
        return true;
    }

    @Override
    public int maxBuffers() {
        return 1;
    }

    @Override
    public boolean remoteInvalidation() {
        return device.remoteInvalidation();
    }

    @Override
    public int remoteRegions() {
        return regions.size();
    }

    @Override
    public void postReceive(long workId, MemoryRegion region, long offset, int length) throws RdmaException {
        NativeRegion memory = check(region, offset, length, true);
        receives.post(workId, memory.base() + offset, length, memory.lkey());
    }

    @Override
    public void postSend(long workId, MemoryRegion region, long offset, int length, int flags) throws RdmaException {
        NativeRegion memory = check(region, offset, length, false);
        sends.send(workId, memory.base() + offset, length, memory.lkey(), flags);
    }

    @Override
    public void postSendWithInvalidate(
            long workId, MemoryRegion region, long offset, int length, int remoteTag, int flags) throws RdmaException {
        NativeRegion memory = check(region, offset, length, false);
        sends.sendWithInvalidate(workId, memory.base() + offset, length, memory.lkey(), remoteTag, flags);
    }

    @Override
    public void postWrite(
            long workId, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        NativeRegion memory = check(region, offset, length, false);
        sends.write(workId, memory.base() + offset, length, memory.lkey(), remoteTag, remoteOffset, flags);
    }

    @Override
    public void postRead(
            long workId, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        NativeRegion memory = check(region, offset, length, true);
        if (!device.iwarp() || length == 0) {
            sends.read(workId, memory.base() + offset, length, memory.lkey(), remoteTag, remoteOffset, flags, 0);
            return;
        }
        sends.checkOpen();
        // RFC 5040 section 5.2: the peer answers by a tagged message into memory that is open to it, so just for that
        long sink = regions.addSink(memory, offset, length);
        boolean posted = false;
        try {
            int lkey = natives.verbs().lkey(sink);
            sends.read(workId, memory.address() + offset, length, lkey, remoteTag, remoteOffset, flags, sink);
            posted = true;
        } finally {
            if (!posted) {
                regions.removeSink(sink);
            }
        }
    }

    private NativeRegion check(MemoryRegion memory, long offset, int length, boolean written) throws RdmaException {
        if (state == State.ENDED) {
            throw new RdmaException(Kind.DISCONNECTED, "the connection has ended");
        }
        if (!(memory instanceof NativeRegion region) || !region.isOf(regions) || !region.isValid()) {
            throw new RdmaException(Kind.LOCAL_PROTECTION, "the memory is not registered with this connection");
        }
        if (!region.contains(offset, length)) {
            throw new RdmaException(
                    Kind.LOCAL_PROTECTION,
                    length + " octets at " + offset + " are not in memory of " + region.length() + " octets");
        }
        if (written && !region.isWritable()) {
            throw new RdmaException(Kind.LOCAL_PROTECTION, "the memory is read-only");
        }
        return region;
    }

    @Override
    public boolean isConnected() {
        return state == State.CONNECTED;
    }

    /** Whether it was accepted, however that went. */
    boolean wasAccepted() {
        return !settings.isEmpty();
    }

    /** Refuses the peer's request, which was not accepted. */
    void reject() {
        steps.lock();
        try {
            if (state == State.NEW) {
                natives.cm().reject(id.id(), new byte[0]);
            }
        } catch (NativeException e) {
            Log.LOGGER.debug("{} did not take its rejection", remote, e);
        } finally {
            steps.unlock();
        }
    }

    @Override
    public void close() {
        id.abort();
        receiver.close();
        receiver.join();
    }

    /** Ends an end that is not accepted all through; any thread. */
    void abort() {
        if (state != State.CONNECTED) {
            id.abort();
            receiver.close();
        }
    }

    @Override
    public long context() {
        return device.context();
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public boolean owns(long element) {
        return element == queuePair.qp() || element == queuePair.cq();
    }

    @Override
    public void onAsyncEvent(AsyncEvent event) {
        RdmaException cause = Failures.async(event);
        if (cause != null) {
            receiver.fail(cause);
        }
    }

    private void onEnd(CmEvent event) {
        if (event.type() == CmEvent.Type.DEVICE_REMOVAL) {
            receiver.fail(new RdmaException(Kind.DISCONNECTED, "the device " + device.name() + " is being removed"));
        } else if (event.status() != 0) {
            receiver.fail(new RdmaException(
                    Kind.DISCONNECTED, "the connection broke, which its manager tells with status " + event.status()));
        } else {
            receiver.disconnected();
        }
    }

    /** What the receive thread does of the connection's when it ends it. */
    private final class Ending implements ReceiveThread.Ending {
        @Override
        public void refusePosts() {
            synchronized (NativeConnection.this) {
                state = State.ENDED;
            }
            sends.close();
            receives.close();
            id.abort();
        }

        @Override
        public void disconnect() {
            try {
                natives.cm().disconnect(id.id());
            } catch (NativeException e) {
                Log.LOGGER.debug("disconnecting from {} failed", remote, e);
            }
        }

        @Override
        public void destroyQueues() {
            factory.events().remove(NativeConnection.this);
            regions.closeWindows();
            steps.lock();
            try {
                queuePair.destroyQueues();
            } finally {
                steps.unlock();
            }
            regions.close();
        }

        @Override
        public void finish() {
            queuePair.destroy();
            id.destroy();
            factory.ended(NativeConnection.this);
        }
    }
}
