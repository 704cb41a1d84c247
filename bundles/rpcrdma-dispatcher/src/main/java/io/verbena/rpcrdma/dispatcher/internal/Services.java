package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.MissingServiceException;
import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.OptionalOperation;
import io.verbena.rpcrdma.dispatcher.internal.AutoSearch.Found;
import io.verbena.rpcrdma.dispatcher.internal.KnownVersions.Limit;
import io.verbena.rpcrdma.dispatcher.internal.ProviderChoice.Finding;
import io.verbena.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The services below the transport that are there at the moment. They come and go at any time; who needs one that is
 * not there can wait for it. Thread safe.
 */
final class Services {
    private final List<RdmaProvider> providers = new CopyOnWriteArrayList<>();
    private final List<Framing> framings = new CopyOnWriteArrayList<>();
    private final List<OptionalOperation> optional = new CopyOnWriteArrayList<>();
    /** When what is not there any more went, by a provider's name or a framing's version. */
    private final Map<Object, Long> wentNanos = new ConcurrentHashMap<>();

    private final long begunNanos = System.nanoTime();
    private volatile ConnectionNegotiator negotiator;
    private long changes;
    private boolean closed;

    /**
     * What a new connection is made of.
     *
     * @param finding why auto takes the provider; null where it had no choice
     */
    record Chosen(RdmaProvider provider, Finding finding, Framing framing) {}

    void add(RdmaProvider provider) {
        providers.add(provider);
        changed();
    }

    void remove(RdmaProvider provider) {
        wentNanos.put(provider.name(), System.nanoTime());
        providers.remove(provider);
    }

    void add(Framing framing) {
        framings.add(framing);
        changed();
    }

    void remove(Framing framing) {
        wentNanos.put(framing.version(), System.nanoTime());
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
        changes++;
        notifyAll();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Ends every wait, now and later. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** The negotiator that is there, or null. */
    ConnectionNegotiator negotiator() {
        return negotiator;
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
     * @param choice the provider to take; where it is open the providers are asked for a route, which may take a while
     * @param limit the versions to take
     * @param nanos how long a service may be missing, from when it went on: who comes later than that does not wait
     * @param cancelled ends the wait when it is true at a {@link #changed}
     * @throws MissingServiceException naming what did not come in time
     */
    Chosen awaitForConnecting(
            TransportOptions options,
            ProviderChoice choice,
            InetSocketAddress remote,
            Limit limit,
            long nanos,
            BooleanSupplier cancelled)
            throws MissingServiceException {
        while (true) {
            long deadline = missingSince(options, choice, limit) + nanos;
            // what waits holds nothing: a service that came before the other may go before it
            Supplier<String> missing = () -> missingForConnecting(options, choice, remote, limit);
            var unused = await(() -> missing.get() == null ? Boolean.TRUE : null, deadline, cancelled, missing);
            Found found = choice.isOpen() ? awaitByAuto(remote, deadline, cancelled) : named(choice.name());
            Framing framing = framing(options, limit);
            if (found != null && framing != null) {
                return new Chosen(found.provider(), found.finding(), framing);
            }
        }
    }

    /** Since when what is missing is; since now where nothing is. */
    private long missingSince(TransportOptions options, ProviderChoice choice, Limit limit) {
        boolean provided = choice.isOpen() ? !providers.isEmpty() : provider(choice.name()) != null;
        if (!provided) {
            return latest(gone -> choice.isOpen() ? gone instanceof String : gone.equals(choice.name()));
        }
        if (framing(options, limit) != null) {
            return System.nanoTime();
        }
        return latest(gone -> gone instanceof Integer version
                && (options.version() == TransportOptions.ANY_VERSION || version == options.version()));
    }

    /** When the last of these went, or all that there are began. */
    private long latest(Predicate<Object> which) {
        long latest = begunNanos;
        for (Map.Entry<Object, Long> went : wentNanos.entrySet()) {
            if (which.test(went.getKey()) && went.getValue() - latest > 0) {
                latest = went.getValue();
            }
        }
        return latest;
    }

    private Found named(String name) {
        RdmaProvider provider = provider(name);
        return provider == null ? null : new Found(provider, null);
    }

    /**
     * What {@link #awaitForConnecting} would wait for now.
     *
     * @return the message that names it; null where nothing is missing, as far as can be told without asking the network
     */
    String missingForConnecting(
            TransportOptions options, ProviderChoice choice, InetSocketAddress remote, Limit limit) {
        if (choice.isOpen() ? providers.isEmpty() : provider(choice.name()) == null) {
            return choice.isOpen()
                    ? MissingProvider.forAuto(remote, providers)
                    : MissingProvider.toConnect(choice, providers);
        }
        return framing(options, limit) == null ? missingFraming(options, limit) : null;
    }

    /** Outside of the lock: the providers look for a route, and others must not wait for that. */
    private Found awaitByAuto(InetSocketAddress remote, long deadline, BooleanSupplier cancelled)
            throws MissingServiceException {
        AutoSearch search = new AutoSearch(remote);
        while (true) {
            long seen = changes();
            Found found = search.among(providers);
            if (found != null) {
                return found;
            }
            await(
                    () -> changes == seen ? null : Boolean.TRUE,
                    deadline,
                    cancelled,
                    () -> MissingProvider.forAuto(remote, providers));
        }
    }

    private synchronized long changes() {
        return changes;
    }

    /** A provider of that name to listen with, and at least one framing; as soon as they are there. */
    RdmaProvider awaitForListening(TransportOptions options, String name, long nanos) throws MissingServiceException {
        long deadline = System.nanoTime() + nanos;
        RdmaProvider provider =
                await(() -> provider(name), deadline, () -> false, () -> MissingProvider.toListen(options, providers));
        var unused = await(
                () -> framing(options, KnownVersions.UNKNOWN),
                deadline,
                () -> false,
                () -> missingFraming(options, KnownVersions.UNKNOWN));
        return provider;
    }

    /**
     * The framing of the highest version within the limit, else of the lowest where that is worth a try; null where there
     * is none.
     */
    Framing framing(TransportOptions options, Limit limit) {
        boolean strict = limit.told() && options.version() == TransportOptions.ANY_VERSION;
        Framing best = null;
        for (Framing framing : framings(options)) {
            boolean within = framing.version() <= limit.highest();
            best = within || (best == null && !strict) ? framing : best;
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

    private RdmaProvider provider(String name) {
        for (RdmaProvider provider : providers) {
            if (provider.name().equals(name)) {
                return provider;
            }
        }
        return null;
    }

    private String missingFraming(TransportOptions options, Limit limit) {
        if (options.version() != TransportOptions.ANY_VERSION) {
            return "RPC-over-RDMA Version " + options.version() + " is not there; start the bundle io.verbena.rpcrdma.v"
                    + options.version() + ", or leave out rpcrdma=" + options.version();
        }
        return framings.isEmpty()
                ? "no version of RPC-over-RDMA is there; start the bundle io.verbena.rpcrdma.v1"
                : "RPC-over-RDMA Version " + limit.highest()
                        + " is not there, and the server speaks no higher one; start the bundle io.verbena.rpcrdma.v"
                        + limit.highest();
    }
}
