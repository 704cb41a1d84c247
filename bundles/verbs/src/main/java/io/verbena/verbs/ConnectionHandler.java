package io.verbena.verbs;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Receives a connection's completions. The connection's receive thread calls the handler, one call at a time and in
 * order. The connection receives nothing while a call runs, so the handler must not wait for an action of a peer. The
 * handler may post work requests; the provider sends them together.
 */
@ConsumerType
public interface ConnectionHandler {
    /**
     * Work requests are complete. Receives complete in the order in which they were posted; so do the requests of the
     * send queue.
     *
     * @param completions the completions, valid during the call only; entries from {@code count} on have no meaning
     */
    void onCompletions(Completion[] completions, int count);

    /**
     * The connection has ended, by {@link RdmaConnection#close} of this end or for any other reason. This is the last
     * call: all outstanding work requests were completed before with {@link Completion.Status#FLUSHED}, and the peer
     * can no longer reach any memory.
     *
     * @param cause the reason, or null after an orderly end by either side
     */
    void onDisconnected(RdmaException cause);
}
