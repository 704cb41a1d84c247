package io.verbena.nfs41.client.internal.link;

import io.verbena.nfs41.client.internal.util.ServiceSource;
import io.verbena.rpc.RpcTransport;
import io.verbena.runtime.Runtime;

/** The RPC transports of a mount. */
public final class TransportSource extends ServiceSource<RpcTransport> {
    /** @param transport null where there is none yet */
    public TransportSource(RpcTransport transport, Runtime runtime) {
        super(
                "RPC transport for rdma",
                "install feature verbena-rpcrdma, or start bundle io.verbena.rpcrdma.dispatcher",
                transport,
                runtime);
    }
}
