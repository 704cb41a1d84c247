package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One end of a connection: what users hold. The work is done by its {@link ReceiveLoop} and {@link Transmitter}. */
final class IwarpConnection implements RdmaConnection {
    private enum State {
        NEW,
        CONNECTING,
        CONNECTED,
        ENDED
    }

    private final ConnectionFactory factory;
    private final ConnectionOptions limits;
    private final ProviderOptions options;
    private final ConnectionHandler handler;
    private final InetSocketAddress remote;
    private final MpaFrame request;
    private final RegionTable regions;
    private final ReceiveQueue receives;
    private final CountDownLatch ended = new CountDownLatch(1);

    // guarded by this
    private State state = State.NEW;
    private boolean begun;
    private TimedChannel connection;
    private Thread thread;
    private boolean gettingReady;

    private volatile Transmitter transmitter;
    private volatile ReceiveLoop loop;
    private volatile InetSocketAddress local;
    private volatile Map<String, String> settings = Map.of();

    /** @param request what the peer asked with, and the connection it did so on; null both for an initiator */
    IwarpConnection(
            ConnectionFactory factory,
            InetSocketAddress remote,
            ConnectionOptions limits,
            ProviderOptions options,
            ConnectionHandler handler,
            MpaFrame request,
            TimedChannel connection) {
        this.factory = factory;
        this.remote = remote;
        this.limits = limits;
        this.options = options;
        this.handler = handler;
        this.request = request;
        this.connection = connection;
        regions = new RegionTable(factory.random());
        receives = new ReceiveQueue(limits.receiveQueueDepth());
        if (connection != null) {
            local = localAddressOf(connection);
        }
    }

    private static InetSocketAddress localAddressOf(TimedChannel connection) {
        return (InetSocketAddress) connection.channel().socket().getLocalSocketAddress();
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
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
        long deadline = System.nanoTime() + timeout.toNanos();
        begin();
        try {
            TimedChannel channel = openChannel();
            channel.connect(remote, deadline);
            local = localAddressOf(channel);
            channel.observe(new Traffic(factory.tap(), local, remote, true));
            Negotiated negotiated = Handshake.initiate(channel, limits, options, privateData, deadline);
            boolean isReadShown = negotiated.ready() == ReadyMode.READ;
            if (!isReadShown) {
                settle();
            }
            start(channel, negotiated, false);
            if (isReadShown) {
                loop.awaitReady(deadline);
            }
            return negotiated.privateData();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private TimedChannel openChannel() throws IOException {
        TimedChannel channel = new TimedChannel(SocketChannel.open(), factory.settings());
        synchronized (this) {
            if (state == State.ENDED) {
                channel.close();
                throw new RdmaException(Kind.DISCONNECTED, "closed while connecting");
            }
            connection = channel;
        }
        return channel;
    }

    private void settle() throws RdmaException {
        try {
            if (ended.await(options.settleMillis(), TimeUnit.MILLISECONDS)) {
                throw new RdmaException(Kind.DISCONNECTED, "closed while connecting");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(Kind.DISCONNECTED, "interrupted while connecting", e);
        }
    }

    @Override
    public void accept(byte[] privateData, Duration timeout) throws RdmaException {
        checkPrivateData(privateData);
        if (request == null) {
            throw new IllegalStateException("an end that was opened is connected, not accepted");
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        begin();
        try {
            Negotiated negotiated = Handshake.respond(request, limits, options);
            TimedChannel channel;
            synchronized (this) {
                channel = connection;
            }
            Handshake.send(channel, Handshake.acceptance(request, negotiated, privateData), deadline);
            start(channel, negotiated, true);
            if (negotiated.ready() != ReadyMode.NONE) {
                loop.awaitReady(deadline);
            }
            synchronized (this) {
                gettingReady = false;
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void checkPrivateData(byte[] privateData) {
        if (privateData.length > maxPrivateData()) {
            throw new IllegalArgumentException(
                    privateData.length + " octets of private data are over the limit of " + maxPrivateData());
        }
    }

    private synchronized void begin() throws RdmaException {
        if (begun) {
            throw new IllegalStateException("this end was connected or accepted before");
        }
        if (state == State.ENDED) {
            throw new RdmaException(Kind.DISCONNECTED, "this end has ended before it was connected");
        }
        begun = true;
        state = State.CONNECTING;
    }

    private void start(TimedChannel channel, Negotiated negotiated, boolean responder) throws RdmaException {
        int maxSegment =
                NetworkPath.maxSegment(local.getAddress(), factory.settings().maxSegment());
        ByteBuffer sendStaging = factory.buffers().takeSending();
        ByteBuffer receiveStaging = factory.buffers().takeReceiving();
        ReceiveLoop newLoop = new ReceiveLoop(channel, handler, regions, receives, responder, () -> {
            channel.close();
            factory.buffers().give(sendStaging, receiveStaging);
            channel.traffic().ended();
            finished();
        });
        Transmitter newTransmitter = new Transmitter(
                new SendQueue(limits.sendQueueDepth(), negotiated.outboundReads()),
                new InboundReads(negotiated.inboundReads()),
                new FpduWriter(sendStaging, maxSegment, negotiated.crc(), channel.traffic()),
                channel.channel(),
                newLoop,
                factory.random());
        Inbound inbound = new Inbound(regions, receives, newTransmitter, newLoop);
        newLoop.use(
                newTransmitter, inbound, new FpduReader(receiveStaging, negotiated.crc(), inbound, channel.traffic()));
        newLoop.getReady(negotiated.ready());
        settings = negotiated.describe(maxSegment);
        synchronized (this) {
            if (state == State.ENDED) {
                factory.buffers().give(sendStaging, receiveStaging);
                throw new RdmaException(Kind.DISCONNECTED, "closed while connecting");
            }
            state = State.CONNECTED;
            gettingReady = responder;
            loop = newLoop;
            transmitter = newTransmitter;
            thread = factory.newThread("iwarp-" + (responder ? "accepted-" : "connected-") + remote, newLoop);
        }
        thread.start();
    }

    private RdmaException failed(IOException e) {
        close();
        if (e instanceof RdmaException known) {
            return known;
        }
        Kind kind = e instanceof ConnectException
                ? Kind.REFUSED
                : e instanceof NoRouteToHostException ? Kind.UNREACHABLE : Kind.DISCONNECTED;
        return new RdmaException(kind, "connecting to " + remote + " failed: " + e.getMessage(), e);
    }

    @Override
    public int maxPrivateData() {
        return Handshake.MAX_PRIVATE_DATA;
    }

    @Override
    public Map<String, String> settings() {
        return settings;
    }

    @Override
    public MemoryRegion register(List<ByteBuffer> memory, Access access) throws RdmaException {
        if (access == Access.REMOTE_WRITE && memory.stream().anyMatch(ByteBuffer::isReadOnly)) {
            throw new RdmaException(Kind.LOCAL_PROTECTION, "a buffer that is read-only cannot be written by the peer");
        }
        return regions.add(memory, access);
    }

    @Override
    public int maxBuffers() {
        return Integer.MAX_VALUE;
    }

    @Override
    public boolean remoteInvalidation() {
        return true;
    }

    @Override
    public boolean requiresDirectMemory() {
        return false;
    }

    @Override
    public int remoteRegions() {
        return regions.size();
    }

    @Override
    public void postReceive(long id, MemoryRegion region, long offset, int length) throws RdmaException {
        Region memory = check(region, offset, length, true);
        switch (receives.post(id, memory, offset, length)) {
            case FULL -> throw new RdmaException(Kind.QUEUE_FULL, "the receive queue is full");
            case CLOSED -> throw new RdmaException(Kind.DISCONNECTED, "the connection has ended");
            default -> {
                return;
            }
        }
    }

    @Override
    public void postSend(long id, MemoryRegion region, long offset, int length, int flags) throws RdmaException {
        int opcode = (flags & SOLICITED) != 0 ? Iwarp.SEND_SOLICITED : Iwarp.SEND;
        post(id, opcode, region, offset, length, 0, 0, flags);
    }

    @Override
    public void postSendWithInvalidate(long id, MemoryRegion region, long offset, int length, int remoteTag, int flags)
            throws RdmaException {
        int opcode = (flags & SOLICITED) != 0 ? Iwarp.SEND_SOLICITED_INVALIDATE : Iwarp.SEND_INVALIDATE;
        post(id, opcode, region, offset, length, remoteTag, 0, flags);
    }

    @Override
    public void postWrite(
            long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        post(id, Iwarp.WRITE, region, offset, length, remoteTag, remoteOffset, flags);
    }

    @Override
    public void postRead(
            long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        post(id, Iwarp.READ_REQUEST, region, offset, length, remoteTag, remoteOffset, flags);
    }

    private void post(
            long id,
            int opcode,
            MemoryRegion region,
            long offset,
            int length,
            int remoteTag,
            long remoteOffset,
            int flags)
            throws RdmaException {
        Transmitter t = transmitter;
        boolean posted = false;
        try {
            Region memory = check(region, offset, length, opcode == Iwarp.READ_REQUEST);
            if (t == null) {
                throw new RdmaException(Kind.DISCONNECTED, "the connection is not connected");
            }
            t.post(id, opcode, memory, offset, length, remoteTag, remoteOffset, flags);
            posted = true;
        } finally {
            if (!posted && t != null) {
                t.handOver(); // what was posted with MORE waits for no other now
            }
        }
    }

    private Region check(MemoryRegion memory, long offset, int length, boolean written) throws RdmaException {
        if (!(memory instanceof Region region) || !region.isOf(regions) || !region.isValid()) {
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
    public synchronized boolean isConnected() {
        return state == State.CONNECTED && !loop.isEnding();
    }

    /** Whether it was accepted, however that went. */
    synchronized boolean wasAccepted() {
        return loop != null;
    }

    @Override
    public void close() {
        if (beginClose() && !loop.isReceiveThread()) {
            awaitEnd();
        }
    }

    /** What {@link #close} does, without waiting for the end; false where that has come already. */
    boolean beginClose() {
        if (closeUnlessConnected()) {
            return false;
        }
        loop.close();
        return true;
    }

    /** Ends an end that is not accepted all through: a peer that never gets ready must hold up nobody. Any thread. */
    void abort() {
        if (closeUnlessConnected()) {
            return;
        }
        synchronized (this) {
            if (!gettingReady) {
                return;
            }
        }
        loop.close(); // which accept learns of
    }

    /** Ends an end that never was connected, on the caller's thread: it has none of its own. */
    boolean closeUnlessConnected() {
        TimedChannel unused;
        synchronized (this) {
            if (loop != null) {
                return false;
            }
            if (state == State.ENDED) {
                return true;
            }
            state = State.ENDED;
            unused = connection;
        }
        if (unused != null) {
            unused.close();
            unused.traffic().ended();
        }
        regions.close();
        new HandlerCalls(handler, receives).tellEnd(Completion.Status.FLUSHED, null);
        factory.ended(this);
        ended.countDown();
        return true;
    }

    private void finished() {
        synchronized (this) {
            state = State.ENDED;
        }
        factory.ended(this);
        ended.countDown();
    }

    private void awaitEnd() {
        boolean interrupted = false;
        for (; ; ) {
            try {
                ended.await();
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
