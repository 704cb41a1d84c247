package io.verbena.standalone;

import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.BufferSizes;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.iwarp.internal.IwarpProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** RPC-over-RDMA in software, and over the host's devices where there is what they need, put together without OSGi. */
final class Stack implements AutoCloseable {
    private final IwarpProvider software = new IwarpProvider();
    private final Optional<Devices> devices = Devices.find();
    private final RdmaRpcTransport transport;

    Stack() {
        List<RdmaProvider> providers = new ArrayList<>();
        devices.ifPresent(found -> providers.add(found.provider())); // before the one that reaches everything
        providers.add(software);
        transport = new RdmaRpcTransport(
                providers,
                List.of(new VersionOneFraming(), new VersionTwoFraming()),
                new PrivateDataNegotiator(),
                List.of(new BufferSizes()));
    }

    RpcTransport transport() {
        return transport;
    }

    @Override
    public void close() {
        transport.close();
        devices.ifPresent(Devices::close);
        software.deactivate();
    }
}
