package io.verbena.simulation.scale;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.BufferSizes;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.simulation.network.SimulatedNetwork;
import io.verbena.simulation.network.SimulatedProvider;
import io.verbena.simulation.scheduler.SimulatedProcess;
import java.net.InetAddress;
import java.util.List;

/** A process with one or more mounts, on a host of its own: its direct memory and its transport. */
final class ClientProcess {
    private final SimulatedProcess process;
    private final DirectMemory memory;
    private final RdmaRpcTransport transport;

    ClientProcess(
            SimulatedNetwork network,
            SimulatedProcess process,
            InetAddress address,
            long memoryOctets,
            Runnable onAttempt) {
        this.process = process;
        memory = new DirectMemory(memoryOctets, process.runtime());
        SimulatedProvider provider = new SimulatedProvider(network, process, address, true, false);
        transport = new RdmaRpcTransport(
                process.runtime(),
                memory,
                List.of(new CountingProvider(provider, onAttempt, () -> {})),
                List.of(new VersionOneFraming(), new VersionTwoFraming()),
                new PrivateDataNegotiator(),
                List.of(new BufferSizes()));
    }

    SimulatedProcess process() {
        return process;
    }

    DirectMemory memory() {
        return memory;
    }

    RdmaRpcTransport transport() {
        return transport;
    }

    /** Ends what the process has; its mounts have ended. A strand of the process calls this. */
    void close() {
        transport.close();
        memory.close();
    }
}
