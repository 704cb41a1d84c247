package io.verbena.cli.rdma.internal;

import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.rpcrdma.Framing;
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

/** What there is of RDMA now. May be called from any thread. */
@Component(service = RdmaServices.class)
public final class RdmaServices {
    private final List<RdmaProvider> providers = new CopyOnWriteArrayList<>();
    private final List<ConnectionMonitor> monitors = new CopyOnWriteArrayList<>();
    private final List<Framing> framings = new CopyOnWriteArrayList<>();
    private final AtomicReference<SelfTest> selfTest = new AtomicReference<>();
    private final AtomicReference<WireTrace> trace = new AtomicReference<>();
    private final AtomicReference<RpcTransport> transport = new AtomicReference<>();

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addProvider(RdmaProvider provider) {
        providers.add(provider);
    }

    void removeProvider(RdmaProvider provider) {
        providers.remove(provider);
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

    /** Forgets it, unless its successor is already there. */
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

    /** Forgets it, unless its successor is already there. */
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

    /** Forgets it, unless its successor is already there. */
    void unsetSelfTest(SelfTest oldSelfTest) {
        selfTest.compareAndSet(oldSelfTest, null);
    }

    public Optional<SelfTest> selfTest() {
        return Optional.ofNullable(selfTest.get());
    }

    /** By name. */
    public List<RdmaProvider> providers() {
        List<RdmaProvider> sorted = new ArrayList<>(providers);
        sorted.sort(Comparator.comparing(RdmaProvider::name));
        return sorted;
    }

    /** What may be named as a provider: those of this project, there or not, and those that are there. */
    public Set<String> providerNames() {
        return ProviderNames.known(providers());
    }

    public List<ConnectionMonitor> monitors() {
        return List.copyOf(monitors);
    }
}
