package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpcrdma.HeaderException;

/**
 * The role that makes calls by one connection, as the connection sees it: the connection hands replies and errors to
 * the role. The receive thread calls the methods that take a message, and {@link #disconnected}; any thread calls the
 * others.
 */
public interface ReplyReceiver {
    /** Whether the call of that XID, outstanding or given up, still waits for its answer. */
    boolean awaits(int xid);

    /** Whether a steering tag is one of the call of that XID, outstanding or given up. */
    boolean ownsTag(int xid, int tag);

    /** A reply came. */
    void onReply(ReceivedMessage received);

    /** The peer answered a call with an error of the transport's. */
    void onError(ReceivedMessage received);

    /** The answer to the question of an optional operation came. */
    void onOptional(ReceivedMessage received);

    /** A message has the XID of a call, and a header that cannot be decoded. */
    void onUnparsable(int xid, ReceivedMessage received, HeaderException finding);

    /** Whether a call is in flight. */
    boolean isBusy();

    /** The longest message that can be sent, whatever the peer takes. */
    int sendSize();

    /** A threshold or the version has changed. */
    void settingsChanged();

    /** The connection has ended: its calls wait for another one, or fail. */
    void disconnected();

    /** Gives the memory of the connection's calls back; the connection has ended, or never stood. */
    void giveMemory();
}
