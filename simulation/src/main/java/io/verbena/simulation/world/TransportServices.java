package io.verbena.simulation.world;

import io.verbena.memory.MemoryBudget;
import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.BufferSizes;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.RdmaProvider;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;

/** A transport of a host, and the services beneath it, which are replaced one by one as by updates of their bundles. */
final class TransportServices {
    /** A service that can be replaced. */
    enum Kind {
        VERSION_ONE,
        VERSION_TWO,
        PROVIDER,
        NEGOTIATOR
    }

    private static final long PAUSE_NANOS = 10_000_000;
    /** Where a message has its version of RPC-over-RDMA, in both versions. */
    private static final int VERSION_OFFSET = 4;

    private final Runtime runtime;
    private final MemoryBudget memory;
    private final Supplier<RdmaProvider> providers;
    private RdmaProvider provider;
    private Framing one = new VersionOneFraming();
    private Framing two = new VersionTwoFraming();
    private ConnectionNegotiator negotiator = new PrivateDataNegotiator();
    private RdmaRpcTransport transport;
    private boolean isBusy;
    /** The service that is being replaced, or null. */
    private Kind missing;

    /** @param providers makes the provider of the host, each time a new one */
    TransportServices(Runtime runtime, MemoryBudget memory, Supplier<RdmaProvider> providers) {
        this.runtime = runtime;
        this.memory = memory;
        this.providers = providers;
        provider = providers.get();
        transport = newTransport();
    }

    private RdmaRpcTransport newTransport() {
        return new RdmaRpcTransport(
                runtime, memory, List.of(provider), List.of(one, two), negotiator, List.of(new BufferSizes()));
    }

    RdmaRpcTransport transport() {
        return transport;
    }

    /** What a change of the transport does with the user of the old one and the new one. */
    interface User {
        void gone(RdmaRpcTransport old);

        void came(RdmaRpcTransport fresh);
    }

    /** Replaces the transport as a whole, unless something else is being replaced; returns whether it did. */
    boolean replaceTransport(User user) {
        if (isBusy) {
            return false;
        }
        isBusy = true;
        RdmaRpcTransport old = transport;
        user.gone(old);
        old.close();
        transport = newTransport();
        user.came(transport);
        isBusy = false;
        return true;
    }

    /**
     * Replaces a service, unless something else is being replaced.
     *
     * @param gapNanos how long there is none
     * @return whether it did
     */
    boolean replace(Kind kind, long gapNanos) throws InterruptedException {
        if (isBusy) {
            return false;
        }
        isBusy = true;
        missing = kind;
        RdmaRpcTransport present = transport;
        switch (kind) {
            case VERSION_ONE -> {
                present.unbindFraming(one);
                runtime.sleep(gapNanos);
                one = new VersionOneFraming();
                present.bindFraming(one);
            }
            case VERSION_TWO -> {
                present.unbindFraming(two);
                runtime.sleep(gapNanos);
                two = new VersionTwoFraming();
                present.bindFraming(two);
            }
            case PROVIDER -> {
                present.unbindProvider(provider);
                runtime.sleep(gapNanos);
                provider = providers.get();
                present.bindProvider(provider);
            }
            case NEGOTIATOR -> {
                present.unbindNegotiator(negotiator);
                runtime.sleep(gapNanos);
                negotiator = new PrivateDataNegotiator();
                present.bindNegotiator(negotiator);
            }
        }
        missing = null;
        isBusy = false;
        return true;
    }

    /** Whether there is the framing of a message's version. */
    boolean canRead(byte[] message) {
        int version = ByteBuffer.wrap(message).getInt(VERSION_OFFSET);
        return missing != (version == one.version() ? Kind.VERSION_ONE : Kind.VERSION_TWO);
    }

    /** Whether something is being replaced. */
    boolean isBusy() {
        return isBusy;
    }

    /** Ends the transport, behind what is being replaced. */
    void close() throws InterruptedException {
        while (isBusy) {
            runtime.sleep(PAUSE_NANOS);
        }
        transport.close();
    }
}
