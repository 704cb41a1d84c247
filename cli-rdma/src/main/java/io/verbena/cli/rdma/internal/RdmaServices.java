package io.verbena.cli.rdma.internal;

import io.verbena.memory.MemoryBudget;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.rpcrdma.Framing;
import io.verbena.verbs.MissingProvider;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.selftest.SelfTest;
import io.verbena.verbs.trace.WireTrace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Provides the RDMA services that are present now. May be called from any thread. */
@Component(service = RdmaServices.class)
public final class RdmaServices {
    private final List<RdmaProvider> providers = new CopyOnWriteArrayList<>();
    private final List<ConnectionMonitor> monitors = new CopyOnWriteArrayList<>();
    private final List<Framing> framings = new CopyOnWriteArrayList<>();
    private final List<MissingProvider> missing = new CopyOnWriteArrayList<>();
    private final AtomicReference<SelfTest> selfTest = new AtomicReference<>();
    private final AtomicReference<WireTrace> trace = new AtomicReference<>();
    private final AtomicReference<MemoryBudget> memory = new AtomicReference<>();
    private final AtomicReference<RpcTransport> transport = new AtomicReference<>();

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addProvider(RdmaProvider provider) {
        providers.add(provider);
    }

    void removeProvider(RdmaProvider provider) {
        providers.remove(provider);
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addMissing(MissingProvider provider) {
        missing.add(provider);
    }

    void removeMissing(MissingProvider provider) {
        missing.remove(provider);
    }

    /** Returns the providers that this host cannot have. */
    public List<MissingProvider> missing() {
        return List.copyOf(missing);
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addMonitor(ConnectionMonitor monitor) {
        monitors.add(monitor);
    }

    void removeMonitor(ConnectionMonitor monitor) {
        monitors.remove(monitor);
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addFraming(Framing framing) {
        framings.add(framing);
    }

    void removeFraming(Framing framing) {
        framings.remove(framing);
    }

    @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
    void setTrace(WireTrace newTrace) {
        trace.set(newTrace);
    }

    /** Removes the trace, unless its successor is already present. */
    void unsetTrace(WireTrace oldTrace) {
        trace.compareAndSet(oldTrace, null);
    }

    public Optional<WireTrace> trace() {
        return Optional.ofNullable(trace.get());
    }

    public List<Framing> framings() {
        return List.copyOf(framings);
    }

    @Reference(
            target = "(" + RpcTransport.NETID + "=rdma)",
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC)
    void setTransport(RpcTransport newTransport) {
        transport.set(newTransport);
    }

    /** Removes the transport, unless its successor is already present. */
    void unsetTransport(RpcTransport oldTransport) {
        transport.compareAndSet(oldTransport, null);
    }

    public Optional<RpcTransport> transport() {
        return Optional.ofNullable(transport.get());
    }

    @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
    void setSelfTest(SelfTest newSelfTest) {
        selfTest.set(newSelfTest);
    }

    /** Removes the self-test, unless its successor is already present. */
    void unsetSelfTest(SelfTest oldSelfTest) {
        selfTest.compareAndSet(oldSelfTest, null);
    }

    public Optional<SelfTest> selfTest() {
        return Optional.ofNullable(selfTest.get());
    }

    @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
    void setMemory(MemoryBudget newMemory) {
        memory.set(newMemory);
    }

    /** Removes the memory budget, unless its successor is already present. */
    void unsetMemory(MemoryBudget oldMemory) {
        memory.compareAndSet(oldMemory, null);
    }

    public Optional<MemoryBudget> memory() {
        return Optional.ofNullable(memory.get());
    }

    /** Returns the providers, sorted by name. */
    public List<RdmaProvider> providers() {
        List<RdmaProvider> sorted = new ArrayList<>(providers);
        sorted.sort(Comparator.comparing(RdmaProvider::name));
        return sorted;
    }

    /**
     * Returns the names that users may choose: the providers of this project, present or not, and all other present
     * providers.
     */
    public Set<String> providerNames() {
        return ProviderNames.known(providers());
    }

    public List<ConnectionMonitor> monitors() {
        return List.copyOf(monitors);
    }
}
