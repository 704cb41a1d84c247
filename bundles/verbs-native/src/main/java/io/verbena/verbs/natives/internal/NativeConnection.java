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

/** One end of a connection: what users hold. The work is done by its queues and its {@link ReceiveThread}. */
final class NativeConnection implements RdmaConnection, EventLoop.AsyncTarget {
    private final ConnectionFactory factory;
    private final Device device;
    private final CmId id;
    private final int port;
    private final CmEvent request;
    private final Handshake handshake;
    private final InetSocketAddress remote;
    private final QueuePair queuePair;
    private final SendQueue sends;
    private final Regions regions;
    private final Posts posts;
    private final ReceiveThread receiver;
    private final ConnectionSteps steps;
    private final Traffic traffic;

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
        Natives natives = factory.natives();
        traffic = new Traffic(factory.tap(), device.name(), remote, request == null);
        port = natives.cm().portNumber(id.id());
        handshake = new Handshake(device, limits, request);
        steps = new ConnectionSteps(natives, id, handshake);
        queuePair = new QueuePair(natives, device, id.id(), limits);
        CompletionWait wait = null;
        boolean done = false;
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
                    collector::postFailed,
                    traffic);
            ReceiveQueue receives = new ReceiveQueue(
                    verbs, queuePair.qp(), limits.receiveQueueDepth(), new ReceiveRequests(1, leastElements), traffic);
            regions = new Regions(verbs, device, queuePair.pd(), sends, factory.random(), this::breakOff);
            posts = new Posts(device.iwarp(), steps, sends, receives, regions, traffic);
            Completions completions = new Completions(
                    verbs, queuePair.cq(), sends, receives, regions, handler, device.invalidationFlags());
            wait = new CompletionWait(natives, queuePair.channel(), queuePair.cq());
            receiver = new ReceiveThread(
                    wait,
                    queuePair,
                    completions,
                    sends,
                    receives,
                    handler,
                    new ConnectionEnding(factory, this, id, steps, queuePair, sends, receives, regions),
                    !device.iwarp(),
                    options.pollMicros(),
                    (request == null ? "connected-" : "accepted-") + remote);
            collector.receiver = receiver;
            id.onEnd(this::onEnd);
            factory.events().add(this);
            done = true;
        } catch (NativeException e) {
            throw Failures.resources(e);
        } finally {
            if (!done) {
                if (wait != null) {
                    wait.close();
                }
                queuePair.destroy();
            }
        }
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

    /** Lets it live; if this throws nothing is left of it, and its id neither. */
    void start() throws RdmaException {
        boolean started = false;
        try {
            factory.opened(this);
            receiver.start();
            started = true;
        } finally {
            if (!started) {
                receiver.discard();
            }
        }
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
        steps.begin();
        try {
            return Failures.bytes(steps.establish(privateData, deadline, event -> established(event, privateData))
                    .privateData());
        } catch (RdmaException e) {
            if (e.kind() == Kind.TIMED_OUT) {
                abort(); // not close(): siw lets go of a request without an answer after 10 s only
            } else {
                close();
            }
            throw e;
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void established(CmEvent event, byte[] sentData) {
        traffic.connected(
                handshake.local(), sentData, Failures.bytes((request == null ? event : request).privateData()));
        settings = handshake.describe(event, queuePair.inlineOctets());
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
        posts.receive(workId, region, offset, length);
    }

    @Override
    public void postSend(long workId, MemoryRegion region, long offset, int length, int flags) throws RdmaException {
        posts.send(workId, region, offset, length, flags);
    }

    @Override
    public void postSendWithInvalidate(
            long workId, MemoryRegion region, long offset, int length, int remoteTag, int flags) throws RdmaException {
        posts.sendWithInvalidate(workId, region, offset, length, remoteTag, flags);
    }

    @Override
    public void postWrite(
            long workId, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        posts.write(workId, region, offset, length, remoteTag, remoteOffset, flags);
    }

    @Override
    public void postRead(
            long workId, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        posts.read(workId, region, offset, length, remoteTag, remoteOffset, flags);
    }

    @Override
    public boolean isConnected() {
        return steps.isConnected();
    }

    /** What observers are told of it. */
    Traffic traffic() {
        return traffic;
    }

    /** Whether it was accepted, however that went. */
    boolean wasAccepted() {
        return !settings.isEmpty();
    }

    /** Refuses the peer's request, which was not accepted. */
    void reject() {
        steps.reject();
    }

    @Override
    public void close() {
        beginClose();
        receiver.join();
    }

    /** What {@link #close} does, without waiting for the end. */
    void beginClose() {
        id.abort();
        receiver.close();
    }

    /** Ends an end that is not accepted all through; any thread. */
    void abort() {
        if (!steps.isConnected()) {
            beginClose();
        }
    }

    /** Nothing more of what the peer asks for is carried out when this returns, and the connection is to end. */
    private void breakOff(RdmaException cause) {
        receiver.fail(cause);
        steps.disconnect(queuePair);
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
}
