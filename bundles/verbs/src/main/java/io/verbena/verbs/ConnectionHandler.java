package io.verbena.verbs;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Told of a connection's completions. The calls come one at a time and in order from the connection's receive thread;
 * while one runs nothing else is received on that connection, so it must not wait for anything that a peer has to do.
 * It may post work, which the provider then sends together.
 */
@ConsumerType
public interface ConnectionHandler {
    /**
     * Work requests are complete. Receives complete in the order posted, and so do requests of the send queue among
     * themselves.
     *
     * @param completions valid during the call only; entries from {@code count} on mean nothing
     */
    void onCompletions(Completion[] completions, int count);

    /**
     * The connection has ended, for whatever reason, our own {@link RdmaConnection#close} included. The last call:
     * everything outstanding was completed before, with {@link Completion.Status#FLUSHED}, and the peer can no longer
     * reach any memory.
     *
     * @param cause why, or null after an orderly end by either side
     */
    void onDisconnected(RdmaException cause);
}
