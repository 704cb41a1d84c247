package io.verbena.nfs41.client.internal;

import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.verbs.iwarp.internal.IwarpProvider;
import java.util.List;

/** RPC over RDMA Version One over software iWARP, put together without OSGi. */
final class Stack implements AutoCloseable {
    private final IwarpProvider provider = new IwarpProvider();
    private final RdmaRpcTransport transport =
            new RdmaRpcTransport(provider, List.of(new VersionOneFraming()), new PrivateDataNegotiator());

    RpcTransport transport() {
        return transport;
    }

    @Override
    public void close() {
        transport.close();
        provider.deactivate();
    }
}
