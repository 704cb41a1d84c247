package io.verbena.verbs;

import org.osgi.annotation.versioning.ConsumerType;

/** Decides on connection requests. */
@FunctionalInterface
@ConsumerType
public interface ConnectionAcceptor {
    /**
     * A peer asks to connect. The request is accepted or rejected before this returns; one that is neither is
     * rejected. Called on a thread of the provider's that serves this request alone, so that a slow peer or acceptor
     * holds up nobody else.
     */
    void onConnectionRequest(ConnectionRequest request);
}
