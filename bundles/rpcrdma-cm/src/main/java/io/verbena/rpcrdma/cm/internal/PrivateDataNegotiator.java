package io.verbena.rpcrdma.cm.internal;

import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.LocalSettings;
import org.osgi.service.component.annotations.Component;

/** Negotiates through the private data of the RDMA connection manager (RFC 8797). */
@Component
public final class PrivateDataNegotiator implements ConnectionNegotiator {
    @Override
    public byte[] privateData(LocalSettings local) {
        return PrivateData.encode(local);
    }

    @Override
    public ConnectionSettings settle(LocalSettings local, byte[] peerPrivateData) {
        int block = PrivateData.find(peerPrivateData);
        if (block < 0) {
            return ConnectionSettings.WITHOUT_PRIVATE_DATA;
        }
        return new ConnectionSettings(
                Math.min(local.sendSize(), PrivateData.receiveSize(peerPrivateData, block)),
                Math.min(local.receiveSize(), PrivateData.sendSize(peerPrivateData, block)),
                local.remoteInvalidation() && PrivateData.remoteInvalidation(peerPrivateData, block));
    }
}
