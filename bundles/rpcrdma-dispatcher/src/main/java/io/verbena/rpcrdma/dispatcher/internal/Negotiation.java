package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.LocalSettings;

/**
 * What two ends tell each other while one connection comes up (RFC 8797 section 4). The same negotiator reads the answer
 * that wrote what was sent, even if it goes in between. A peer to whom we told nothing takes us to be able to do nothing.
 */
final class Negotiation {
    private static final byte[] NO_PRIVATE_DATA = {};

    private final ConnectionNegotiator negotiator;
    private final LocalSettings local;
    private final byte[] privateData;

    /**
     * @param negotiator null where there is none
     * @param maxPrivateData what the provider carries; nothing is sent where it is too little
     */
    Negotiation(ConnectionNegotiator negotiator, LocalSettings local, int maxPrivateData) {
        this.negotiator = negotiator;
        this.local = local;
        byte[] data = negotiator == null ? NO_PRIVATE_DATA : negotiator.privateData(local);
        privateData = data.length <= maxPrivateData ? data : NO_PRIVATE_DATA;
    }

    /** The private data to send. */
    byte[] privateData() {
        return privateData;
    }

    ConnectionSettings settle(byte[] peerPrivateData) {
        return privateData.length == 0 ? ConnectionSettings.DEFAULT : negotiator.settle(local, peerPrivateData);
    }
}
