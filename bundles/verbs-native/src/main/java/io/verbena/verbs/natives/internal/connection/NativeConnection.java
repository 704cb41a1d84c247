package io.verbena.verbs.natives.internal.connection;

import io.verbena.verbs.Access;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.library.AsyncEvent;
import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.library.Failures;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.memory.RegionTable;
import io.verbena.verbs.natives.internal.queue.CompletionDelivery;
import io.verbena.verbs.natives.internal.queue.CompletionWait;
import io.verbena.verbs.natives.internal.queue.ConnectionTap;
import io.verbena.verbs.natives.internal.queue.QueuePair;
import io.verbena.verbs.natives.internal.queue.ReceiveQueue;
import io.verbena.verbs.natives.internal.queue.SendQueue;
import io.verbena.verbs.natives.internal.settings.NativeOptions;
import io.verbena.verbs.natives.internal.struct.ReceiveRequests;
import io.verbena.verbs.natives.internal.struct.SendRequests;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** One end of a connection, as users hold it. Its queues and its {@link ReceiveThread} do the work. */
public final class NativeConnection implements RdmaConnection, EventLoop.AsyncTarget {
    private final ProviderContext provider;
    private final Device device;
    private final CmId id;
    private final int port;
    private final CmEvent request;
    private final CmHandshake handshake;
    private final InetSocketAddress remote;
    private final QueuePair queuePair;
    private final SendQueue sends;
    private final RegionTable regions;
    private final RequestPoster posts;
    private final ReceiveThread receiver;
    private final ConnectionState state;
    private final ConnectionTap tap;

    private volatile Map<String, String> settings = Map.of();

    /**
     * @param id bound to the device; owned by the connection, unless this throws
     * @param request the peer's request, or null for an initiator
     */
    public NativeConnection(
            ProviderContext provider,
            Device device,
            CmId id,
            CmEvent request,
            InetSocketAddress remote,
            ConnectionOptions limits,
            NativeOptions options,
            ConnectionHandler handler)
            throws RdmaException {
        this.provider = provider;
        this.device = device;
        this.id = id;
        this.request = request;
        this.remote = remote;
        NativeLibraries libraries = provider.libraries();
        tap = new ConnectionTap(provider.tap(), device.name(), remote, request == null);
        port = libraries.cm().portNumber(id.id());
        handshake = new CmHandshake(device, limits, request);
        state = new ConnectionState(libraries, id, handshake);
        queuePair = new QueuePair(libraries, device, id.id(), limits);
        CompletionWait wait = null;
        boolean done = false;
        try {
            Ibverbs verbs = libraries.verbs();
            // libsiw refuses receives without an element, and the kernel's siw refuses such reads
            int leastElements = device.iwarp() ? 1 : 0;
            DeferredPoller poller = new DeferredPoller();
            sends = new SendQueue(
                    verbs,
                    queuePair.qp(),
                    queuePair.sendCq(),
                    limits.sendQueueDepth(),
                    device.ownRequests(),
                    queuePair.inlineOctets(),
                    new SendRequests(SendQueue.chainLength(), leastElements),
                    poller,
                    poller::postFailed,
                    tap);
            ReceiveQueue receives = new ReceiveQueue(
                    verbs, queuePair.qp(), limits.receiveQueueDepth(), new ReceiveRequests(1, leastElements), tap);
            regions = new RegionTable(verbs, device, queuePair.pd(), sends, provider.random(), this::breakOff);
            posts = new RequestPoster(device.iwarp(), state, sends, receives, regions, tap);
            CompletionDelivery completions = new CompletionDelivery(
                    verbs,
                    queuePair.sendCq(),
                    queuePair.receiveCq(),
                    sends,
                    receives,
                    regions,
                    handler,
                    device.invalidationFlags());
            wait = new CompletionWait(libraries, queuePair, sends);
            receiver = new ReceiveThread(
                    wait,
                    queuePair,
                    completions,
                    sends,
                    receives,
                    handler,
                    new ConnectionTeardown(provider, this, id, state, queuePair, sends, receives, regions),
                    !device.iwarp(),
                    options.pollMicros(),
                    (request == null ? "connected-" : "accepted-") + remote);
            poller.receiver = receiver;
            id.onEnd(this::onEnd);
            provider.events().add(this);
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

    /** Stands for the receive thread, which is created after the queue that it polls completions for. */
    private static final class DeferredPoller implements SendQueue.CompletionPoller {
        private ReceiveThread receiver;

        @Override
        public boolean pollCompletions() {
            return receiver.pollCompletions();
        }

        void postFailed(RdmaException e) {
            receiver.postFailed(e);
        }
    }

    Device device() {
        return device;
    }

    /** Starts the receive thread. If this throws, all of the connection is freed, and its id too. */
    public void start() throws RdmaException {
        boolean started = false;
        try {
            provider.opened(this);
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
        state.begin();
        try {
            return Failures.bytes(state.establish(privateData, deadline, event -> established(event, privateData))
                    .privateData());
        } catch (RdmaException e) {
            if (e.kind() == Kind.TIMED_OUT) {
                abort(); // not close(): siw gives up an unanswered request only after 10 s
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
        tap.connected(handshake.local(), sentData, Failures.bytes((request == null ? event : request).privateData()));
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
        return regions.add(memory, access, false);
    }

    @Override
    public MemoryRegion register(ByteBuffer memory, Access access, int flags) throws RdmaException {
        return regions.add(List.of(memory), access, (flags & MORE) != 0);
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
        return state.isConnected();
    }

    /** The tap by which observers see the connection. */
    ConnectionTap tap() {
        return tap;
    }

    /** Whether the request was accepted, whether or not the connection came about. */
    public boolean wasAccepted() {
        return !settings.isEmpty();
    }

    /** Rejects the peer's request, which was not accepted. */
    public void reject() {
        state.reject();
    }

    @Override
    public void close() {
        close(Threads.endDeadline());
    }

    /** Closes as {@link #close()} does, but waits until a deadline at most. */
    public void close(long deadline) {
        beginClose();
        receiver.join(deadline);
    }

    /** Closes as {@link #close} does, without waiting for the end. */
    public void beginClose() {
        id.abort();
        receiver.close();
    }

    /** Ends an end whose acceptance is not complete. Any thread. */
    public void abort() {
        if (!state.isConnected()) {
            beginClose();
        }
    }

    /** Ends the connection. When this returns, the device carries out no more requests of the peer. */
    private void breakOff(RdmaException cause) {
        receiver.fail(cause);
        state.disconnect(queuePair);
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
        return element == queuePair.qp() || element == queuePair.sendCq() || element == queuePair.receiveCq();
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
                    Kind.DISCONNECTED,
                    "the connection broke: the connection manager reports status " + event.status()));
        } else {
            receiver.disconnected();
        }
    }
}
