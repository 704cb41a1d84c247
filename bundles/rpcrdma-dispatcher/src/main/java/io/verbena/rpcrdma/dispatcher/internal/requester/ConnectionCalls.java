package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.rpc.CallShape;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransferSizes;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.OptionalExchange;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReceivedMessage;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReplyReceiver;
import io.verbena.rpcrdma.dispatcher.internal.connection.VersionNegotiation;
import io.verbena.rpcrdma.dispatcher.internal.memory.SendBuffers;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of one requester by one connection: their encoder, the buffers that they are sent from, and the reader of
 * their replies. Each end of a connection has at most one, in whichever direction it calls. Any thread encodes and
 * posts; the receive thread does the rest.
 */
public final class ConnectionCalls implements ReplyReceiver {
    /** The most octets of send buffers that the threshold may grow into. */
    private static final long MAX_SLAB = 64 << 20;

    /** What the room grows by, as a factor. */
    private static final int GROWTH = 4;

    /** After memory was refused, it is not asked for again for so long. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionCalls.class);

    private final Connection connection;
    private final Requester requester;
    private final VersionNegotiation version;
    private final boolean chunks;
    private final int credits;
    private final int longest;
    private final SendBuffers sends;
    private final AtomicBoolean isGrowing = new AtomicBoolean();
    private volatile int room;

    /** When there was no memory for more room, on the runtime's clock; guarded by {@link #isGrowing}. */
    private long refusedNanos;

    private volatile boolean isRefused;
    private final ReplyReader replyReader;
    private volatile CallEncoder encoder;

    /**
     * @param room how many calls receives are posted for
     * @param chunks whether calls may have chunks
     * @param counters those of the calls
     */
    public ConnectionCalls(Connection connection, Requester requester, int room, boolean chunks, Counters counters)
            throws RdmaException {
        this.connection = connection;
        this.requester = requester;
        this.version = connection.version();
        this.chunks = chunks;
        this.credits = requester.requested();
        longest = longest();
        this.room = room;
        sends = new SendBuffers(connection.rdma(), credits, longest);
        replyReader = new ReplyReader(counters);
        boolean isWhole = false;
        try {
            sends.fill(room, count -> connection.memory().lease(count, longest));
            settingsChanged();
            isWhole = true;
        } finally {
            if (!isWhole) {
                sends.close();
            }
        }
    }

    /**
     * The path of the calls that go by a connection, null where there are none: a connection has no other calling role.
     */
    public static ConnectionCalls of(Connection connection) {
        return (ConnectionCalls) connection.calls();
    }

    /** How many calls there is room for: the slots below have a buffer to be sent from, and a receive for the reply. */
    int room() {
        return room;
    }

    /**
     * Makes room for more calls, up to the credits that are asked for: memory is leased where many calls are made at
     * once, and nowhere else. Where there is no memory the present room goes on, and memory is asked for again after a
     * while. Any thread; does not wait.
     *
     * @param taken the slots that are taken: where the room is less, a call waits that went out by a connection before,
     *     and the connection ends without memory for it
     * @return whether there is more room; false too where another thread makes room, which then sends what waits
     */
    boolean grow(int taken) {
        if (!isGrowing.compareAndSet(false, true)) {
            return false;
        }
        try {
            int wanted = Math.min(credits, Math.max(taken, GROWTH * room));
            if (wanted <= room || (taken <= room && !mayAsk())) {
                return false;
            }
            sends.fill(wanted, count -> connection.memory().lease(count, longest));
            connection.memory().postMoreReceives(wanted - room);
            room = wanted;
            isRefused = false;
            return true;
        } catch (RdmaException e) {
            LOG.debug("connection {} stays with room for {} calls: {}", connection.id(), room, e.getMessage());
            refusedNanos = connection.context().runtime().nanoTime();
            isRefused = true;
            if (taken > room && e.kind() != RdmaException.Kind.DISCONNECTED) { // the provider tells why that ended
                connection.end(e);
            }
            return false;
        } catch (Throwable e) { // the receives may be posted in part
            connection.failUnexpectedly(e);
            return false;
        } finally {
            isGrowing.set(false);
        }
    }

    /** Whether memory is asked for now: not for a while after it was refused. */
    private boolean mayAsk() {
        return !isRefused || connection.context().runtime().nanoTime() - refusedNanos >= PAUSE_NANOS;
    }

    /** Whether there was no memory for more room when it was asked for last. */
    boolean isRefused() {
        return isRefused;
    }

    /** The requester that makes the calls. */
    public Requester requester() {
        return requester;
    }

    /**
     * The octets of each send buffer: the threshold, or what it may grow to, as long as all buffers together stay
     * within a bound.
     */
    private int longest() {
        int threshold = version.settings().sendThreshold();
        long wanted = Math.max(threshold, connection.sendSize());
        return version.mayGrow() && wanted * credits <= MAX_SLAB ? (int) wanted : threshold;
    }

    @Override
    public int sendSize() {
        return longest;
    }

    @Override
    public void settingsChanged() {
        encoder = new CallEncoder(
                connection.rdma(),
                version.framing(),
                credits,
                new MessageSizeRules(
                        fitting(version.forCalls()),
                        version.framing(),
                        chunks,
                        connection.context().limits().maxSegment()));
    }

    /** The send buffers do not grow where a higher version takes longer messages. */
    private ConnectionSettings fitting(ConnectionSettings settings) {
        return settings.sendThreshold() <= longest
                ? settings
                : new ConnectionSettings(longest, settings.receiveThreshold(), settings.remoteInvalidation());
    }

    /** How a call of these sizes would travel. */
    public TransferSizes explain(CallShape shape) {
        return encoder.rules().plan(shape);
    }

    /**
     * Encodes a call into the buffer of its slot, and opens its memory.
     *
     * @return the octets to send
     */
    int encode(CallSlot slot, RpcCall call) throws RdmaException, RpcException {
        if (!sends.enter()) {
            throw new RdmaException(RdmaException.Kind.DISCONNECTED, "the connection has ended");
        }
        try {
            return encoder.encode(slot, call, sends.view(slot.index));
        } finally {
            sends.leave();
        }
    }

    /**
     * Posts the Send of an encoded call. Where the connection ends meanwhile, the call is sent again by another
     * connection.
     */
    void post(CallSlot slot, int length) {
        if (!connection.isUsable()) {
            return; // the call goes out by another connection, after the end of this one
        }
        version.sending();
        connection.counters().add(Counter.INLINE_SENT_BYTES, length);
        try {
            // no completion is needed: the reply shows that the Send is done, and an abandoned call keeps its buffer
            connection
                    .rdma()
                    .postSend(
                            -1L - slot.index,
                            sends.region(slot.index),
                            sends.offset(slot.index),
                            length,
                            RdmaConnection.UNSIGNALED);
        } catch (RdmaException e) {
            connection.end(e);
        } catch (Throwable e) { // the Send may or may not be posted: the call is sent again by another connection
            connection.failUnexpectedly(e);
        }
    }

    /** Sends the question of an optional operation, in a slot of its own. */
    void ask(CallSlot slot, OptionalExchange.Question question) {
        if (sends.enter()) {
            try {
                ByteBuffer buffer = sends.view(slot.index);
                post(slot, encoder.encodeOptional(slot, question.type(), question.info(), buffer));
            } finally {
                sends.leave();
            }
        }
    }

    @Override
    public boolean awaits(int xid) {
        return requester.awaits(xid);
    }

    @Override
    public boolean ownsTag(int xid, int tag) {
        return requester.ownsTag(xid, tag);
    }

    @Override
    public void onReply(ReceivedMessage received) {
        requester.replies().onReply(connection, received);
    }

    @Override
    public void onError(ReceivedMessage received) {
        requester.replies().onError(connection, received);
    }

    @Override
    public void onOptional(ReceivedMessage received) {
        requester.replies().onOptional(connection, received);
    }

    @Override
    public void onUnparsable(int xid, ReceivedMessage received, HeaderException finding) {
        requester.replies().onUnparsable(connection, xid, received, finding);
    }

    @Override
    public boolean isBusy() {
        return requester.gauges().inUse() > 0;
    }

    @Override
    public void disconnected() {
        requester.detach(connection);
    }

    @Override
    public void giveMemory() {
        sends.close();
    }

    ReplyReader replyReader() {
        return replyReader;
    }

    /** A reply came in the version that was offered: the thresholds of the version hold from now on. */
    void versionAccepted() {
        if (version.accepted(connection.rdma().remoteAddress())) {
            settingsChanged();
            connection.optional().begin();
        }
    }

    /**
     * The peer does not speak the version of the first call, but versions of this range.
     *
     * @return whether the connection goes on in one of them
     */
    boolean otherVersion(int low, int high) {
        boolean changed = version.other(low, high, connection.rdma().remoteAddress());
        if (changed) {
            settingsChanged();
            // where the connection ends, the call goes out by the next one
            if (connection.hasFraming() && !connection.canReceive(version.framing())) {
                connection.end(null);
            }
        }
        return changed;
    }

    /**
     * After {@link #otherVersion} has found no version: whether the framing of a version that the peer speaks may come,
     * for the next connection.
     */
    boolean awaitsLowerVersion(int low, int high) {
        return version.awaitsLower(low, high, connection.rdma().remoteAddress());
    }

    /** After {@link #otherVersion} has found no version: whether a framing that is gone for now may come back. */
    boolean awaitsFraming(int low, int high) {
        return version.awaitsFraming(low, high, connection.rdma().remoteAddress());
    }
}
