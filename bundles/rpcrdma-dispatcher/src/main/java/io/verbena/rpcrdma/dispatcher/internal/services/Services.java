package io.verbena.rpcrdma.dispatcher.internal.services;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.OptionalOperation;
import io.verbena.rpcrdma.dispatcher.internal.base.StateSignal;
import io.verbena.rpcrdma.dispatcher.internal.services.KnownVersions.VersionLimit;
import io.verbena.rpcrdma.dispatcher.internal.services.ProviderChoice.Finding;
import io.verbena.rpcrdma.dispatcher.internal.services.ProviderSearch.FoundProvider;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The services below the transport that are present: providers, framings, the negotiator, optional operations. They
 * come and go at any time; a thread can wait for one that is missing. Thread safe.
 */
public final class Services {
    private final Runtime runtime;
    private final StateSignal changed;
    private final List<RdmaProvider> providers = new CopyOnWriteArrayList<>();
    private final List<Framing> framings = new CopyOnWriteArrayList<>();
    private final List<OptionalOperation> optional = new CopyOnWriteArrayList<>();
    /** When a missing service went, by the name of a provider or the version of a framing. */
    private final Map<Object, Long> wentNanos = new ConcurrentHashMap<>();

    private final long begunNanos;
    private volatile ConnectionNegotiator negotiator;

    @GuardedBy("this")
    private long changes;

    @GuardedBy("this")
    private boolean closed;

    /**
     * The services that a new connection is made of.
     *
     * @param finding why {@code auto} takes the provider; null where a name was asked for
     */
    public record ChosenServices(RdmaProvider provider, Finding finding, Framing framing) {}

    Services(Runtime runtime) {
        this.runtime = runtime;
        changed = new StateSignal(runtime);
        begunNanos = runtime.nanoTime();
    }

    public void add(RdmaProvider provider) {
        providers.add(provider);
        changed();
    }

    public void remove(RdmaProvider provider) {
        wentNanos.put(provider.name(), runtime.nanoTime());
        providers.remove(provider);
    }

    public void add(Framing framing) {
        framings.add(framing);
        changed();
    }

    public void remove(Framing framing) {
        wentNanos.put(framing.version(), runtime.nanoTime());
        framings.remove(framing);
    }

    public void add(OptionalOperation operation) {
        optional.add(operation);
    }

    public void remove(OptionalOperation operation) {
        optional.remove(operation);
    }

    /** The optional operations that this end knows. */
    public List<OptionalOperation> optional() {
        return optional;
    }

    /** The optional operation of that type, or null. */
    public OptionalOperation optional(int type) {
        for (OptionalOperation operation : optional) {
            if (operation.type() == type) {
                return operation;
            }
        }
        return null;
    }

    public boolean has(RdmaProvider provider) {
        return providers.contains(provider);
    }

    public boolean has(Framing framing) {
        return framings.contains(framing);
    }

    public void negotiator(ConnectionNegotiator present) {
        synchronized (this) { // otherwise a negotiator that comes while another is removed would be lost
            negotiator = present;
        }
    }

    public void removeNegotiator(ConnectionNegotiator gone) {
        synchronized (this) {
            if (negotiator == gone) {
                negotiator = null;
            }
        }
    }

    /** Wakes the threads that wait: a service came, or one of them is to stop waiting. */
    public void changed() {
        synchronized (this) {
            changes++;
        }
        changed.signalAll();
    }

    public synchronized boolean isClosed() {
        return closed;
    }

    /** Ends every wait, now and later. */
    public void close() {
        synchronized (this) {
            closed = true;
        }
        changed.signalAll();
    }

    /** The negotiator that is there, or null. */
    public ConnectionNegotiator negotiator() {
        return negotiator;
    }

    /** The framings that a connection may use, lowest version first. */
    public List<Framing> framings(TransportOptions options) {
        return framings.stream()
                .filter(framing ->
                        options.version() == TransportOptions.ANY_VERSION || framing.version() == options.version())
                .sorted(Comparator.comparingInt(Framing::version))
                .toList();
    }

    /**
     * Waits until a provider and a framing to connect with are present, and returns the framing of the highest version.
     *
     * @param choice the provider to take; where it is open the providers are asked for a route, which may take a while
     * @param limit the versions to take
     * @param nanos how long a service may be missing, counted from when it went: a thread that comes later than that
     *     does not wait
     * @param cancelled ends the wait when it is true at a {@link #changed}
     * @throws MissingServiceException naming the service that did not come in time
     */
    public ChosenServices awaitForConnecting(
            TransportOptions options,
            ProviderChoice choice,
            InetSocketAddress remote,
            VersionLimit limit,
            long nanos,
            BooleanSupplier cancelled)
            throws MissingServiceException {
        while (true) {
            LongSupplier deadline = () -> missingSince(options, choice, limit) + nanos;
            long first = deadline.getAsLong();
            // a thread that waits holds no service: the first one may go again before the second one comes
            Supplier<String> missing = () -> missingForConnecting(options, choice, remote, limit);
            var unused = await(() -> missing.get() == null ? Boolean.TRUE : null, deadline, cancelled, missing);
            FoundProvider found = choice.isOpen() ? awaitByAuto(remote, first, cancelled) : named(choice.name());
            Framing framing = framing(options, limit);
            if (found != null && framing != null) {
                return new ChosenServices(found.provider(), found.finding(), framing);
            }
        }
    }

    /** When the missing service went; the present time, if no service is missing. */
    private long missingSince(TransportOptions options, ProviderChoice choice, VersionLimit limit) {
        boolean provided = choice.isOpen() ? !providers.isEmpty() : provider(choice.name()) != null;
        if (!provided) {
            return latest(gone -> choice.isOpen() ? gone instanceof String : gone.equals(choice.name()));
        }
        if (framing(options, limit) != null) {
            return runtime.nanoTime();
        }
        return latest(gone -> gone instanceof Integer version
                && (options.version() == TransportOptions.ANY_VERSION || version == options.version()));
    }

    /** When the last of these services went; when this object was made, if none of them went. */
    private long latest(Predicate<Object> which) {
        long latest = begunNanos;
        for (Map.Entry<Object, Long> went : wentNanos.entrySet()) {
            if (which.test(went.getKey()) && went.getValue() - latest > 0) {
                latest = went.getValue();
            }
        }
        return latest;
    }

    private FoundProvider named(String name) {
        RdmaProvider provider = provider(name);
        return provider == null ? null : new FoundProvider(provider, null);
    }

    /**
     * The service that {@link #awaitForConnecting} would wait for now.
     *
     * @return the message that names it; null where none is missing, as far as that is known without asking the network
     */
    public String missingForConnecting(
            TransportOptions options, ProviderChoice choice, InetSocketAddress remote, VersionLimit limit) {
        if (choice.isOpen() ? providers.isEmpty() : provider(choice.name()) == null) {
            return choice.isOpen()
                    ? MissingProviderMessages.forAuto(remote, providers)
                    : MissingProviderMessages.toConnect(choice, providers);
        }
        return framing(options, limit) == null ? missingFraming(options, limit) : null;
    }

    /** Runs without the lock: the providers look for a route, and other threads must not wait for that. */
    private FoundProvider awaitByAuto(InetSocketAddress remote, long deadline, BooleanSupplier cancelled)
            throws MissingServiceException {
        ProviderSearch search = new ProviderSearch(remote);
        while (true) {
            long seen = changes();
            FoundProvider found = search.among(providers);
            if (found != null) {
                return found;
            }
            await(
                    () -> changes() == seen ? null : Boolean.TRUE,
                    () -> deadline,
                    cancelled,
                    () -> MissingProviderMessages.forAuto(remote, providers));
        }
    }

    private synchronized long changes() {
        return changes;
    }

    /** Waits until a provider of that name, to listen with, and at least one framing are present. */
    public RdmaProvider awaitForListening(TransportOptions options, String name, long nanos)
            throws MissingServiceException {
        long deadline = runtime.nanoTime() + nanos;
        RdmaProvider provider = await(
                () -> provider(name),
                () -> deadline,
                () -> false,
                () -> MissingProviderMessages.toListen(options, providers));
        var unused = await(
                () -> framing(options, KnownVersions.UNKNOWN),
                () -> deadline,
                () -> false,
                () -> missingFraming(options, KnownVersions.UNKNOWN));
        return provider;
    }

    /**
     * The framing of the highest version within the limit, else of the lowest where that is worth a try; null where
     * there is none.
     */
    public Framing framing(TransportOptions options, VersionLimit limit) {
        boolean strict = limit.told() && options.version() == TransportOptions.ANY_VERSION;
        Framing best = null;
        for (Framing framing : framings(options)) {
            boolean within = framing.version() <= limit.highest();
            best = within || (best == null && !strict) ? framing : best;
        }
        return best;
    }

    /** @param deadline asked at each turn: a service may have come, and gone again, before this thread ran */
    private <T> T await(Supplier<T> service, LongSupplier deadline, BooleanSupplier cancelled, Supplier<String> missing)
            throws MissingServiceException {
        BooleanSupplier ended = () -> isClosed() || cancelled.getAsBoolean();
        T found = service.get();
        while (found == null) {
            long until = deadline.getAsLong();
            boolean isOver = until - runtime.nanoTime() <= 0;
            if (isOver || ended.getAsBoolean() || !awaitChange(service, ended, until)) {
                throw new MissingServiceException(missing.get());
            }
            found = service.get();
        }
        return found;
    }

    /** Waits for the service, until the deadline; false if this thread is interrupted. */
    private boolean awaitChange(Supplier<?> service, BooleanSupplier ended, long deadline) {
        try {
            var unused = changed.await(() -> service.get() != null || ended.getAsBoolean(), deadline);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private RdmaProvider provider(String name) {
        for (RdmaProvider provider : providers) {
            if (provider.name().equals(name)) {
                return provider;
            }
        }
        return null;
    }

    private String missingFraming(TransportOptions options, VersionLimit limit) {
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
