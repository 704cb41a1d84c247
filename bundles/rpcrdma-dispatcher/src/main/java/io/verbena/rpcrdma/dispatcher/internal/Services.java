package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.MissingServiceException;
import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.LocalSettings;
import io.verbena.rpcrdma.OptionalOperation;
import io.verbena.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The services below the transport that are there at the moment. They come and go at any time; who needs one that is
 * not there can wait for it. Thread safe.
 */
final class Services {
    private static final byte[] NO_PRIVATE_DATA = {};
    private static final String DEFAULT_PROVIDER = "iwarp";

    private final List<RdmaProvider> providers = new CopyOnWriteArrayList<>();
    private final List<Framing> framings = new CopyOnWriteArrayList<>();
    private final List<OptionalOperation> optional = new CopyOnWriteArrayList<>();
    private volatile ConnectionNegotiator negotiator;
    private boolean closed;

    /** What a new connection is made of. */
    record Chosen(RdmaProvider provider, Framing framing) {}

    void add(RdmaProvider provider) {
        providers.add(provider);
        changed();
    }

    void remove(RdmaProvider provider) {
        providers.remove(provider);
    }

    void add(Framing framing) {
        framings.add(framing);
        changed();
    }

    void remove(Framing framing) {
        framings.remove(framing);
    }

    void add(OptionalOperation operation) {
        optional.add(operation);
    }

    void remove(OptionalOperation operation) {
        optional.remove(operation);
    }

    /** The optional operations that this end knows. */
    List<OptionalOperation> optional() {
        return optional;
    }

    /** The optional operation of that type, or null. */
    OptionalOperation optional(int type) {
        for (OptionalOperation operation : optional) {
            if (operation.type() == type) {
                return operation;
            }
        }
        return null;
    }

    boolean has(RdmaProvider provider) {
        return providers.contains(provider);
    }

    boolean has(Framing framing) {
        return framings.contains(framing);
    }

    void negotiator(ConnectionNegotiator present) {
        negotiator = present;
    }

    void removeNegotiator(ConnectionNegotiator gone) {
        synchronized (this) {
            if (negotiator == gone) {
                negotiator = null;
            }
        }
    }

    /** Something has changed for those who wait: a service, or whether they still want one. */
    synchronized void changed() {
        notifyAll();
    }

    /** Ends every wait, now and later. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** The private data to connect with; none without a negotiator or where it does not fit (RFC 8797 section 4). */
    byte[] privateData(LocalSettings local, int maxPrivateData) {
        ConnectionNegotiator present = negotiator;
        byte[] data = present == null ? NO_PRIVATE_DATA : present.privateData(local);
        return data.length <= maxPrivateData ? data : NO_PRIVATE_DATA;
    }

    ConnectionSettings settle(LocalSettings local, byte[] peerPrivateData) {
        ConnectionNegotiator present = negotiator;
        return present == null ? ConnectionSettings.DEFAULT : present.settle(local, peerPrivateData);
    }

    /** The framings that a connection may use, lowest version first. */
    List<Framing> framings(TransportOptions options) {
        return framings.stream()
                .filter(framing ->
                        options.version() == TransportOptions.ANY_VERSION || framing.version() == options.version())
                .sorted(Comparator.comparingInt(Framing::version))
                .toList();
    }

    /**
     * A provider and a framing to connect with, as soon as both are there: that of the highest version.
     *
     * @param highest the highest version to take, if there is a framing of it or a lower one
     * @param cancelled ends the wait when it is true at a {@link #changed}
     * @throws MissingServiceException naming what did not come in time
     */
    Chosen awaitForConnecting(
            TransportOptions options, InetSocketAddress remote, int highest, long nanos, BooleanSupplier cancelled)
            throws MissingServiceException {
        long deadline = System.nanoTime() + nanos;
        RdmaProvider provider = await(
                () -> provider(options.provider(), remote),
                deadline,
                cancelled,
                () -> missingProvider(options.provider(), remote));
        Framing framing = await(() -> framing(options, highest), deadline, cancelled, () -> missingFraming(options));
        return new Chosen(provider, framing);
    }

    /** A provider to listen with, and at least one framing; as soon as they are there. */
    RdmaProvider awaitForListening(TransportOptions options, long nanos) throws MissingServiceException {
        return awaitForConnecting(options, null, KnownVersions.UNKNOWN, nanos, () -> false)
                .provider();
    }

    private Framing framing(TransportOptions options, int highest) {
        List<Framing> there = framings(options);
        Framing best = null;
        for (Framing framing : there) {
            best = best == null || framing.version() <= highest ? framing : best;
        }
        return best;
    }

    private synchronized <T> T await(
            Supplier<T> service, long deadline, BooleanSupplier cancelled, Supplier<String> missing)
            throws MissingServiceException {
        T found = service.get();
        while (found == null) {
            long left = deadline - System.nanoTime();
            if (left <= 0 || closed || cancelled.getAsBoolean()) {
                throw new MissingServiceException(missing.get());
            }
            try {
                wait(left / 1_000_000 + 1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MissingServiceException(missing.get());
            }
            found = service.get();
        }
        return found;
    }

    /** The provider of that name; for auto, one with a device on the way there, else the one in software. */
    private RdmaProvider provider(String name, InetSocketAddress remote) {
        RdmaProvider fallback = null;
        for (RdmaProvider provider : providers) {
            if (provider.name().equals(name)) {
                return provider;
            }
            boolean auto = name.equals(TransportOptions.AUTO);
            if (auto && provider.name().equals(DEFAULT_PROVIDER)) {
                fallback = provider;
            } else if (auto && remote != null && provider.reaches(remote)) {
                return provider;
            } else if (auto && fallback == null && remote == null) {
                fallback = provider;
            }
        }
        return fallback;
    }

    private String missingProvider(String name, InetSocketAddress remote) {
        if (name.equals(TransportOptions.AUTO)) {
            String way =
                    remote == null || providers.isEmpty() ? "" : " with a way to " + ConnectErrors.describe(remote);
            return "no RDMA provider is there" + way + "; start the bundle io.verbena.verbs.iwarp";
        }
        return "the RDMA provider '" + name + "' is not there; start its bundle (io.verbena.verbs." + name
                + "), or leave out provider=" + name;
    }

    private static String missingFraming(TransportOptions options) {
        return options.version() == TransportOptions.ANY_VERSION
                ? "no version of RPC-over-RDMA is there; start the bundle io.verbena.rpcrdma.v1"
                : "RPC-over-RDMA Version " + options.version() + " is not there; start the bundle io.verbena.rpcrdma.v"
                        + options.version() + ", or leave out rpcrdma=" + options.version();
    }
}
