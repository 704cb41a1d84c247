package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.verbs.Completion;

/**
 * The role that answers the calls of one connection, as the connection sees it: the connection hands calls to the role,
 * and the completions of the work that the role posted. The receive thread calls the methods that take a message or a
 * completion, {@link #resume} and {@link #disconnected}; any thread calls the others.
 */
public interface CallReceiver {
    /** The framing of a connection's first message, or null where the message has been dealt with. */
    Framing framingOf(ReceivedMessage received);

    /** A call came. */
    void onCall(ReceivedMessage received);

    /** The peer asks for an optional operation (draft-cel-nfsv4-rpcrdma-version-two-01 section 3.1). */
    void onOptional(ReceivedMessage received);

    /** A message has a header that cannot be decoded. */
    void onUnparsable(ReceivedMessage received, HeaderException finding);

    /** A Send, RDMA Write or RDMA Read of this role is complete. */
    void onCompletion(Completion completion);

    /** Hands the calls that wait for room for their replies to the program, as far as there is room now. */
    void resume();

    /** Whether a call is being answered. */
    boolean isBusy();

    /** The octets that calls have pulled, and that replies hold until the peer has taken them. */
    long held();

    /**
     * Takes no further call: the connection is about to end. A call that arrives is dropped, as if it had arrived after
     * the end.
     */
    void leave();

    /**
     * Waits until no call is being answered, or the connection has ended.
     *
     * @param deadline no longer than that, on the runtime's clock
     */
    void awaitIdle(long deadline);

    /**
     * The connection has ended: frees the requests that no program has, and tells the program and the {@link
     * ConnectionPeer}.
     */
    void disconnected(Exception cause);

    /**
     * Gives all memory back. The connection has ended, or never stood.
     *
     * @param onceIdle runs when no program has a request any more
     */
    void giveMemory(Runnable onceIdle);

    /** Frees memory that was not used for a while. */
    void trim();
}
