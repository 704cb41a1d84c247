package io.verbena.simulation.network;

/** Sees what connections carry, in the order in which it is posted. */
public interface WireWatcher {
    /**
     * A message is sent.
     *
     * @param connection the number of the connection, the same for both ends
     * @param initiator whether the end that sends has made the connection
     */
    void onSend(long connection, boolean initiator, byte[] message);

    /**
     * A connection is made.
     *
     * @param client the name of the process that has asked for it
     */
    default void onConnect(long connection, String client) {}

    /** An RDMA Read or an RDMA Write of memory of the other end is posted. */
    default void onAccess(long connection, boolean initiator, int tag) {}

    /** The other end, which is connected, has refused such an access. */
    default void onRefused(long connection, boolean initiator, int tag) {}

    /** The connection has ended at one of its ends. */
    void onEnd(long connection);
}
