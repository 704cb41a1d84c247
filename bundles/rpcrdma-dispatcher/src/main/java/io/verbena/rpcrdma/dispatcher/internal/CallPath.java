package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.CallShape;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.TransferPlan;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * The way that the calls of one requester take by one connection: what encodes them, the memory that they leave from,
 * and what reads their replies. Each end of a connection has at most one, whichever direction it calls in. Encoding and
 * posting from any thread, the rest on the receive thread.
 */
final class CallPath {
    /** The most octets of send buffers that the threshold may grow into. */
    private static final long MAX_SLAB = 64 << 20;

    private final Connection connection;
    private final SpokenVersion version;
    private final boolean chunks;
    private final int credits;
    private final int longest;
    private final SendBuffers sends;
    private final ReplyReader replyReader;
    private volatile CallEncoder encoder;

    /**
     * @param chunks whether calls may have chunks
     * @param credits the calls in flight at once that the requester asks for
     */
    CallPath(Connection connection, SpokenVersion version, boolean chunks, int credits, Counters counters)
            throws RdmaException {
        this.connection = connection;
        this.version = version;
        this.chunks = chunks;
        this.credits = credits;
        longest = longest();
        sends = new SendBuffers(connection.rdma(), credits, longest);
        replyReader = new ReplyReader(counters);
        settingsChanged();
    }

    /** What the buffers hold: where the threshold may grow, what this end would send, within reason. */
    private int longest() {
        int threshold = version.settings().sendThreshold();
        long wanted = Math.max(threshold, connection.sendSize());
        return version.mayGrow() && wanted * credits <= MAX_SLAB ? (int) wanted : threshold;
    }

    /** The longest message that can be sent, whatever the peer takes. */
    int sendSize() {
        return longest;
    }

    /** A threshold or the version is another one from now on. */
    void settingsChanged() {
        encoder = new CallEncoder(
                connection.rdma(),
                version.framing(),
                credits,
                new CallRules(
                        version.forCalls(),
                        version.framing(),
                        chunks,
                        connection.environment().tuning().maxSegment()));
    }

    /** How a call of these sizes would travel. */
    TransferPlan explain(CallShape shape) {
        return encoder.rules().plan(shape);
    }

    /** Encodes a call into the buffer of its slot, and opens the memory that goes with it; returns the length. */
    int encode(CallSlot slot, RpcCall call) throws RdmaException {
        return encoder.encode(slot, call, sends.view(slot.index));
    }

    /** Sends what was encoded. */
    void post(CallSlot slot, int length) {
        if (!connection.isUsable()) {
            return; // it goes out when the end has been told, by another connection
        }
        version.sending();
        connection.counters().add(Counter.INLINE_SENT_BYTES, length);
        try {
            // no completion is wanted: the reply tells, and an abandoned call keeps its buffer
            connection
                    .rdma()
                    .postSend(
                            -1L - slot.index,
                            sends.region(),
                            sends.offset(slot.index),
                            length,
                            RdmaConnection.UNSIGNALED);
        } catch (RdmaException e) {
            connection.end(e);
        }
    }

    /** Sends the question of an optional operation, in a slot of its own. */
    void ask(CallSlot slot, OptionalExchange.Question question) {
        ByteBuffer buffer = sends.view(slot.index);
        post(slot, encoder.encodeOptional(slot, question.type(), question.info(), buffer));
    }

    ReplyReader replyReader() {
        return replyReader;
    }

    /**
     * A reply came in the version that was offered: its thresholds hold from now on.
     */
    void versionAccepted() {
        if (version.accepted(connection.rdma().remoteAddress())) {
            settingsChanged();
            connection.optional().begin();
        }
    }

    /**
     * The peer does not speak the version of its first call, but those.
     *
     * @return whether the connection goes on in one of them
     */
    boolean otherVersion(int low, int high) {
        boolean changed = version.other(low, high, connection.rdma().remoteAddress());
        if (changed) {
            settingsChanged();
            var unused = connection.hasFraming(); // else it ends, and the call goes out by the next one
        }
        return changed;
    }

    /** After {@link #otherVersion} has found none: whether one that the peer speaks may come, for the next connection. */
    boolean awaitsLowerVersion(int low, int high) {
        return version.awaitsLower(low, high, connection.rdma().remoteAddress());
    }
}
