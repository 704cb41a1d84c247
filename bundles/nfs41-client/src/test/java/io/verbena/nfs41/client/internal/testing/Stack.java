package io.verbena.nfs41.client.internal.testing;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.util.List;

/** RPC over RDMA Version One over software iWARP, put together without OSGi; it leaves no memory behind. */
public final class Stack implements AutoCloseable {
    private final DirectMemory memory;
    private final IwarpProvider provider;
    private final RdmaRpcTransport transport;

    public Stack() {
        this(new DirectMemory());
    }

    public Stack(DirectMemory memory) {
        this.memory = memory;
        provider = new IwarpProvider(new SystemRuntime(), memory);
        transport = new RdmaRpcTransport(
                new SystemRuntime(), memory, provider, List.of(new VersionOneFraming()), new PrivateDataNegotiator());
    }

    public DirectMemory memory() {
        return memory;
    }

    public RpcTransport transport() {
        return transport;
    }

    @Override
    public void close() {
        transport.close();
        provider.deactivate();
        memory.close();
        if (memory.leasedBytes() > 0) {
            throw new AssertionError("memory was not given back: " + memory.holdings());
        }
    }
}
