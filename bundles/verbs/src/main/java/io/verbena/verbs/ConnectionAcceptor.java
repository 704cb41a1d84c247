package io.verbena.verbs;

import org.osgi.annotation.versioning.ConsumerType;

/** Decides on connection requests. */
@FunctionalInterface
@ConsumerType
public interface ConnectionAcceptor {
    /**
     * A peer asks to connect. The acceptor accepts or rejects the request before this method returns; otherwise the
     * provider rejects it. The provider calls this on a thread that serves only this request, so that a slow peer or
     * acceptor does not delay other requests.
     */
    void onConnectionRequest(ConnectionRequest request);
}
