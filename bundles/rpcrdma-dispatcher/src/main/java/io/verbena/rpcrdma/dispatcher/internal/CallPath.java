package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.RpcCall;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * The way that the calls of one requester take by one connection: what encodes them, the memory that they leave from,
 * and what reads their replies. Each end of a connection has at most one, whichever direction it calls in. Encoding and
 * posting from any thread, the rest on the receive thread.
 */
final class CallPath {
    private final Connection connection;
    private final SpokenVersion version;
    private final boolean chunks;
    private final int credits;
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
        // the threshold may grow to what this end would send
        int longest = Math.max(version.settings().sendThreshold(), connection.sendSize());
        sends = new SendBuffers(connection.rdma(), credits, longest);
        replyReader = new ReplyReader(counters);
        settingsChanged();
    }

    /** A threshold or the version is another one from now on. */
    void settingsChanged() {
        encoder = new CallEncoder(
                connection.rdma(),
                version.forCalls(),
                version.framing(),
                chunks,
                credits,
                connection.environment().tuning().maxSegment());
    }

    /** Encodes a call into the buffer of its slot, and opens the memory that goes with it; returns the length. */
    int encode(CallSlot slot, RpcCall call) throws RdmaException {
        return encoder.encode(slot, call, sends.view(slot.index));
    }

    /** Sends what was encoded. */
    void post(CallSlot slot, int length) {
        version.sending();
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

    /** Asks for an optional operation, in a slot of its own. */
    void ask(CallSlot slot, int optionalType, ByteBuffer info) {
        ByteBuffer buffer = sends.view(slot.index);
        post(slot, encoder.encodeOptional(slot, optionalType, info, buffer));
    }

    ReplyReader replyReader() {
        return replyReader;
    }

    /**
     * A reply came in the version that was offered: its thresholds hold from now on.
     *
     * @return whether it is the first that did
     */
    boolean versionAccepted() {
        boolean settles = version.accepted();
        if (settles) {
            settingsChanged();
        }
        return settles;
    }

    /**
     * The peer does not speak the version offered, but those.
     *
     * @return whether the connection goes on in one of them
     */
    boolean lowerVersion(int low, int high) {
        boolean lowered = version.lower(low, high, connection.rdma().remoteAddress());
        if (lowered) {
            settingsChanged();
        }
        return lowered;
    }
}
