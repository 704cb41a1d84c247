package io.verbena.standalone;

import io.verbena.memory.MemoryBudget;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.security.RpcSecurity;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.BufferSizes;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.rpcsec.gss.internal.GssSecurity;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * RPC-over-RDMA without OSGi. The stack contains the software provider and, if their libraries are installed, the
 * host's devices.
 */
final class Stack implements AutoCloseable {
    private final SystemRuntime runtime = new SystemRuntime();
    private final DirectMemory memory = new DirectMemory();
    private final IwarpProvider software = new IwarpProvider(runtime, memory);
    private final Optional<Devices> devices = Devices.find();
    private final RpcSecurity security = new GssSecurity(runtime);
    private final RdmaRpcTransport transport;

    Stack() {
        List<RdmaProvider> providers = new ArrayList<>();
        // The devices precede the software provider, which reaches every address.
        devices.ifPresent(found -> providers.add(found.provider()));
        providers.add(software);
        transport = new RdmaRpcTransport(
                runtime,
                memory,
                providers,
                List.of(new VersionOneFraming(), new VersionTwoFraming()),
                new PrivateDataNegotiator(),
                List.of(new BufferSizes()));
    }

    Runtime runtime() {
        return runtime;
    }

    RpcSecurity security() {
        return security;
    }

    MemoryBudget memory() {
        return memory;
    }

    RpcTransport transport() {
        return transport;
    }

    @Override
    public void close() {
        transport.close();
        devices.ifPresent(Devices::close);
        software.deactivate();
        memory.close();
        runtime.close();
    }
}
