package io.verbena.verbs.iwarp.internal.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Closing;
import io.verbena.verbs.Access;
import io.verbena.verbs.Addresses;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.iwarp.internal.Log;
import io.verbena.verbs.iwarp.internal.memory.RegionTable;
import io.verbena.verbs.iwarp.internal.settings.IwarpOptions;
import io.verbena.verbs.iwarp.internal.stream.DdpSegmentReceiver;
import io.verbena.verbs.iwarp.internal.stream.FpduReader;
import io.verbena.verbs.iwarp.internal.stream.FpduWriter;
import io.verbena.verbs.iwarp.internal.stream.InboundReads;
import io.verbena.verbs.iwarp.internal.stream.OutboundQueue;
import io.verbena.verbs.iwarp.internal.stream.ReceiveRing;
import io.verbena.verbs.iwarp.internal.stream.StreamBuffers;
import io.verbena.verbs.iwarp.internal.stream.Transmitter;
import io.verbena.verbs.iwarp.internal.tcp.ConnectionTap;
import io.verbena.verbs.iwarp.internal.tcp.NetworkPath;
import io.verbena.verbs.iwarp.internal.tcp.TimedChannel;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import io.verbena.verbs.iwarp.internal.wire.MpaFrame;
import io.verbena.verbs.iwarp.internal.wire.ReadyMode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One end of a connection, as users hold it. Its {@link ReceiveLoop} and {@link Transmitter} do the work. */
public final class IwarpConnection implements RdmaConnection {
    private enum State {
        NEW,
        CONNECTING,
        CONNECTED,
        ENDED
    }

    /** A rejection is short, and the first message to the peer: the socket takes it at once. */
    private static final long REJECTION_NANOS = 1_000_000_000L;

    private final ProviderContext provider;
    private final ConnectionOptions limits;
    private final IwarpOptions options;
    private final ConnectionHandler handler;
    private final InetSocketAddress remote;
    private final MpaFrame request;
    private final RegionTable regions;
    private final ReceiveRing receives;
    private final RequestPoster poster;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    @GuardedBy("this")
    private State state = State.NEW;

    @GuardedBy("this")
    private boolean begun;

    @GuardedBy("this")
    private TimedChannel connection;

    @GuardedBy("this")
    private Thread thread;

    /** The thread that ends an end that was never connected; null where none does. */
    @GuardedBy("this")
    private Thread ender;

    @GuardedBy("this")
    private boolean gettingReady;

    /** Whether the peer's request was accepted, or is about to be: from then on it is not rejected. */
    @GuardedBy("this")
    private boolean isAnswered;

    private volatile ReceiveLoop loop;
    private volatile InetSocketAddress local;
    private volatile Map<String, String> settings = Map.of();

    /**
     * @param request the peer's MPA request; null for an initiator
     * @param connection the socket that the request came by; null for an initiator
     */
    public IwarpConnection(
            ProviderContext provider,
            InetSocketAddress remote,
            ConnectionOptions limits,
            IwarpOptions options,
            ConnectionHandler handler,
            MpaFrame request,
            TimedChannel connection) {
        this.provider = provider;
        this.remote = remote;
        this.limits = limits;
        this.options = options;
        this.handler = handler;
        this.request = request;
        this.connection = connection;
        regions = new RegionTable(provider.runtime(), provider.random());
        receives = new ReceiveRing(limits.receiveQueueDepth());
        poster = new RequestPoster(regions, receives);
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
        long deadline = provider.runtime().nanoTime() + timeout.toNanos();
        begin();
        StreamBuffers buffers = buffers();
        boolean isStarted = false;
        try {
            TimedChannel channel = openChannel();
            channel.connect(remote, deadline);
            local = localAddressOf(channel);
            channel.observe(new ConnectionTap(provider.tap(), local, remote, true));
            NegotiatedParameters negotiated = MpaHandshake.initiate(channel, limits, options, privateData, deadline);
            boolean isReadShown = negotiated.ready() == ReadyMode.READ;
            if (!isReadShown) {
                settle();
            }
            start(channel, negotiated, false, buffers);
            isStarted = true;
            if (isReadShown) {
                loop.awaitReady(deadline);
            }
            return negotiated.privateData();
        } catch (IOException e) {
            throw failed(e);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        } finally {
            if (!isStarted) {
                buffers.close();
            }
        }
    }

    /** Leases the buffers before anything is sent to the peer: without memory no connection begins. */
    private StreamBuffers buffers() throws RdmaException {
        StreamBuffers buffers = null;
        try {
            buffers = new StreamBuffers(provider.memory(), remote.getAddress(), provider.runtime()::nanoTime);
            return buffers;
        } finally {
            if (buffers == null) {
                close();
            }
        }
    }

    private TimedChannel openChannel() throws IOException {
        TimedChannel channel = new TimedChannel(provider.runtime(), SocketChannel.open(), provider.settings());
        synchronized (this) {
            if (state == State.ENDED) {
                channel.close();
                throw new RdmaException(Kind.DISCONNECTED, "closed while connecting");
            }
            connection = channel;
        }
        return channel;
    }

    /** Waits for the time that the peer needs, unless this end is closed meanwhile. */
    private void settle() throws RdmaException {
        try {
            provider.runtime().await(ended, TimeUnit.MILLISECONDS.toNanos(options.settleMillis()));
        } catch (TimeoutException e) {
            return;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(Kind.DISCONNECTED, "interrupted while connecting", e);
        }
        throw new RdmaException(Kind.DISCONNECTED, "closed while connecting");
    }

    @Override
    public void accept(byte[] privateData, Duration timeout) throws RdmaException {
        checkPrivateData(privateData);
        if (request == null) {
            throw new IllegalStateException("an end that was opened is connected, not accepted");
        }
        long deadline = provider.runtime().nanoTime() + timeout.toNanos();
        begin();
        StreamBuffers buffers = buffers();
        boolean isStarted = false;
        try {
            NegotiatedParameters negotiated = MpaHandshake.respond(request, limits, options);
            TimedChannel channel;
            synchronized (this) {
                channel = connection;
                isAnswered = true;
            }
            MpaHandshake.send(channel, MpaHandshake.acceptance(request, negotiated, privateData), deadline);
            start(channel, negotiated, true, buffers);
            isStarted = true;
            if (negotiated.ready() != ReadyMode.NONE) {
                loop.awaitReady(deadline);
            }
            synchronized (this) {
                gettingReady = false;
            }
        } catch (IOException e) {
            throw failed(e);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        } finally {
            if (!isStarted) {
                buffers.close();
            }
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

    /** @param buffers closed when the connection has ended; of the caller's if this throws */
    private void start(TimedChannel channel, NegotiatedParameters negotiated, boolean responder, StreamBuffers buffers)
            throws RdmaException {
        int maxSegment =
                NetworkPath.maxSegment(local.getAddress(), provider.settings().maxSegment());
        Duration sendTimeout = provider.settings().sendTimeout();
        PollPhase pollPhase = new PollPhase(provider.runtime(), options.pollMicros());
        ReceiveLoop newLoop = new ReceiveLoop(
                provider.runtime(), channel, handler, regions, receives, responder, sendTimeout, pollPhase, () -> {
                    try {
                        channel.close();
                        buffers.close();
                        channel.tap().ended();
                    } finally {
                        finished();
                    }
                });
        Transmitter transmitter = wire(newLoop, channel, negotiated, buffers, maxSegment);
        settings = negotiated.describe(maxSegment);
        Thread newThread = provider.newThread("iwarp-" + (responder ? "accepted-" : "connected-") + remote, newLoop);
        synchronized (this) {
            if (state == State.ENDED) {
                throw new RdmaException(Kind.DISCONNECTED, "closed while connecting");
            }
            state = State.CONNECTED;
            gettingReady = responder;
            loop = newLoop;
            poster.use(transmitter);
            thread = newThread;
            startThread();
        }
    }

    /** Creates the send side and the receiving side of a loop. */
    private Transmitter wire(
            ReceiveLoop newLoop,
            TimedChannel channel,
            NegotiatedParameters negotiated,
            StreamBuffers buffers,
            int maxSegment) {
        Transmitter transmitter = new Transmitter(
                provider.runtime(),
                new OutboundQueue(limits.sendQueueDepth(), negotiated.outboundReads()),
                new InboundReads(negotiated.inboundReads()),
                new FpduWriter(buffers.sending(), maxSegment, negotiated.crc(), channel.tap()),
                channel.channel(),
                newLoop,
                provider.random());
        DdpSegmentReceiver segments = new DdpSegmentReceiver(regions, receives, transmitter, newLoop);
        newLoop.use(
                transmitter, segments, new FpduReader(buffers.receiving(), negotiated.crc(), segments, channel.tap()));
        newLoop.getReady(negotiated.ready());
        return transmitter;
    }

    /** Starts the thread. From here on closing the connection waits for the thread. */
    @GuardedBy("this")
    private void startThread() {
        boolean started = false;
        try {
            thread.start();
            started = true;
        } finally {
            if (!started) { // the system has no thread to spare: the connection counts as never connected
                state = State.CONNECTING;
                loop = null;
                poster.use(null);
            }
        }
    }

    private RdmaException failed(IOException e) {
        close();
        if (e instanceof RdmaException known) {
            return known;
        }
        Kind kind = e instanceof ConnectException
                ? Kind.REFUSED
                : e instanceof NoRouteToHostException ? Kind.UNREACHABLE : Kind.DISCONNECTED;
        String reason = e instanceof ClosedChannelException ? "the connection was closed meanwhile" : e.getMessage();
        return new RdmaException(kind, "connecting to " + Addresses.text(remote) + " failed: " + reason, e);
    }

    @Override
    public int maxPrivateData() {
        return MpaFrame.MAX_USER_DATA;
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
        poster.receive(id, region, offset, length);
    }

    @Override
    public void postSend(long id, MemoryRegion region, long offset, int length, int flags) throws RdmaException {
        int opcode = (flags & SOLICITED) != 0 ? Iwarp.SEND_SOLICITED : Iwarp.SEND;
        poster.send(id, opcode, region, offset, length, 0, 0, flags);
    }

    @Override
    public void postSendWithInvalidate(long id, MemoryRegion region, long offset, int length, int remoteTag, int flags)
            throws RdmaException {
        int opcode = (flags & SOLICITED) != 0 ? Iwarp.SEND_SOLICITED_INVALIDATE : Iwarp.SEND_INVALIDATE;
        poster.send(id, opcode, region, offset, length, remoteTag, 0, flags);
    }

    @Override
    public void postWrite(
            long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        poster.send(id, Iwarp.WRITE, region, offset, length, remoteTag, remoteOffset, flags);
    }

    @Override
    public void postRead(
            long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        poster.send(id, Iwarp.READ_REQUEST, region, offset, length, remoteTag, remoteOffset, flags);
    }

    @Override
    public synchronized boolean isConnected() {
        return state == State.CONNECTED && !loop.isEnding();
    }

    /** Whether the request was accepted, whether or not the connection came about. */
    public synchronized boolean wasAccepted() {
        return loop != null;
    }

    @Override
    public void close() {
        close(Threads.endDeadline(provider.runtime()));
    }

    /** Closes as {@link #close()} does, but waits until a deadline at most. */
    public void close(long deadline) {
        beginClose();
        if (loop == null) {
            awaitEnd(deadline);
        } else if (!loop.isReceiveThread()) {
            // the last thing that the thread does is to call onDisconnected
            Threads.joinUnlessCurrent(provider.runtime(), thread(), deadline);
        }
    }

    private synchronized Thread thread() {
        return thread;
    }

    /** Waits for the thread that ends an end that was never connected, unless that thread is this one. */
    private void awaitEnd(long deadline) {
        Thread other = ender();
        if (other != Thread.currentThread() && !Closing.awaitEnd(provider.runtime(), ended, deadline)) {
            Log.LOGGER.error("a connection to {} was not closed in time by {}", remote, other);
        }
    }

    private synchronized Thread ender() {
        return ender;
    }

    /** Closes as {@link #close} does, without waiting for the end. */
    public void beginClose() {
        if (!closeUnlessConnected()) {
            loop.close();
        }
    }

    /**
     * Ends an end whose acceptance is not complete: a peer that never gets ready must not hold up anybody. Any thread.
     */
    public void abort() {
        if (closeUnlessConnected()) {
            return;
        }
        synchronized (this) {
            if (!gettingReady) {
                return;
            }
        }
        loop.close(); // accept then fails
    }

    /** Ends an end that was never connected, on the caller's thread: such an end has no thread of its own. */
    boolean closeUnlessConnected() {
        TimedChannel unused;
        boolean isRefused;
        synchronized (this) {
            if (loop != null) {
                return false;
            }
            if (state == State.ENDED) {
                return true;
            }
            state = State.ENDED;
            ender = Thread.currentThread();
            unused = connection;
            isRefused = request != null && !isAnswered;
        }
        try {
            endUnconnected(unused, isRefused);
        } finally {
            finished();
        }
        return true;
    }

    private void endUnconnected(TimedChannel unused, boolean isRefused) {
        if (unused != null) {
            if (isRefused) {
                MpaHandshake.reject(
                        unused, request, new byte[0], provider.runtime().nanoTime() + REJECTION_NANOS);
            }
            unused.close();
            unused.tap().ended();
        }
        regions.close();
        new CompletionDelivery(handler, receives).deliverEnd(Completion.Status.FLUSHED, null);
    }

    private void finished() {
        synchronized (this) {
            state = State.ENDED;
            ender = null;
        }
        provider.ended(this);
        ended.complete(null);
    }
}
