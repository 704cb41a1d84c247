package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.LocalSettings;

/**
 * The private data that two ends exchange while a connection is made (RFC 8797 section 4). The negotiator that wrote
 * the data also reads the answer, even if its service goes in between. A peer that receives no private data assumes the
 * defaults.
 */
public final class PrivateDataExchange {
    private static final byte[] NO_PRIVATE_DATA = {};

    private final ConnectionNegotiator negotiator;
    private final LocalSettings local;
    private final byte[] privateData;

    /**
     * @param negotiator null where there is none
     * @param maxPrivateData the most octets that the provider carries; where they do not suffice, nothing is sent
     */
    PrivateDataExchange(ConnectionNegotiator negotiator, LocalSettings local, int maxPrivateData) {
        this.negotiator = negotiator;
        this.local = local;
        byte[] data = negotiator == null ? NO_PRIVATE_DATA : negotiator.privateData(local);
        privateData = data.length <= maxPrivateData ? data : NO_PRIVATE_DATA;
    }

    /** The private data to send. */
    public byte[] privateData() {
        return privateData;
    }

    public ConnectionSettings settle(byte[] peerPrivateData) {
        return privateData.length == 0
                ? ConnectionSettings.WITHOUT_PRIVATE_DATA
                : negotiator.settle(local, peerPrivateData);
    }
}
