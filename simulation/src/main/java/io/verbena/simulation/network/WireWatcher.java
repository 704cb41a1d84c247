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

    /** The connection has ended at one of its ends. */
    void onEnd(long connection);
}
