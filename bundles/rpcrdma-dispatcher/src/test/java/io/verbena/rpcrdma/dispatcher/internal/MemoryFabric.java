package io.verbena.rpcrdma.dispatcher.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * RDMA between ends in one process, for tests: every rule of the verbs is checked, every operation happens at once, and
 * a connection can be made to break at will.
 */
public final class MemoryFabric implements RdmaProvider {
    /** The octets of private data in RoCE's messages, less what the connection manager keeps for itself. */
    static final int REQUEST_FIELD = 56;

    static final int REPLY_FIELD = 196;

    private final Map<InetSocketAddress, ConnectionAcceptor> listeners = new ConcurrentHashMap<>();
    private final Set<MemoryConnection> open = ConcurrentHashMap.newKeySet();

    @GuardedBy("this")
    private final List<Thread> leaving = new ArrayList<>();

    private final AtomicInteger nextPort = new AtomicInteger(1000);
    private final String name;
    private volatile boolean directOnly;
    private volatile boolean device;
    private volatile boolean remoteInvalidation = true;
    private volatile boolean route = true;
    private volatile boolean refusesMemory;
    private volatile boolean silentToReads;
    private volatile boolean takesNothing;
    private volatile byte[] lastRequest = {};
    private volatile byte[] lastAnswer = {};
    private volatile Duration lastTimeout;
    private final AtomicInteger askedForRoute = new AtomicInteger();
    private volatile Runnable duringReaches = () -> {};
    private final AtomicReference<Runnable> duringListen = new AtomicReference<>();
    private final AtomicReference<Runnable> duringListenerClose = new AtomicReference<>();
    private final AtomicReference<Runnable> duringOpen = new AtomicReference<>();
    private final AtomicReference<Runnable> duringConnect = new AtomicReference<>();
    private final AtomicReference<Runnable> duringAccept = new AtomicReference<>();

    public MemoryFabric() {
        this(ProviderNames.SOFTWARE);
    }

    MemoryFabric(String name) {
        this.name = name;
    }

    /** One that is as particular as devices are: see {@link #beDevice}. */
    static MemoryFabric ofDevices() {
        return new MemoryFabric().beDevice();
    }

    public static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Makes the connections from now on insist on direct memory. */
    void requireDirectMemory() {
        directOnly = true;
    }

    boolean directOnly() {
        return directOnly;
    }

    /**
     * Makes the connections from now on what InfiniBand's and RoCE's are: memory has to be direct, and private data
     * arrives with zeros behind it.
     */
    MemoryFabric beDevice() {
        directOnly = true;
        device = true;
        return this;
    }

    /** Makes the connections from now on unable to invalidate the peer's memory. */
    MemoryFabric withoutRemoteInvalidation() {
        remoteInvalidation = false;
        return this;
    }

    boolean isDevice() {
        return device;
    }

    boolean remoteInvalidation() {
        return remoteInvalidation;
    }

    /** What the connection manager of a device makes of private data: a field of that length, filled with zeros. */
    byte[] carried(byte[] privateData, int field) {
        return device ? Arrays.copyOf(privateData, field) : privateData.clone();
    }

    /** The private data of the last request to connect, as it arrived. */
    byte[] lastRequest() {
        return lastRequest.clone();
    }

    /** The private data that the last request was accepted with, as it arrived. */
    byte[] lastAnswer() {
        return lastAnswer.clone();
    }

    /** Whether it has a route, to wherever. */
    void hasRoute(boolean present) {
        route = present;
    }

    /** How often it was asked for a route. */
    int askedForRoute() {
        return askedForRoute.get();
    }

    /** From now on no memory is opened to any peer. */
    void refuseMemory() {
        refusesMemory = true;
    }

    boolean refusesMemory() {
        return refusesMemory;
    }

    /** From now on nobody answers RDMA Reads, or somebody does again. */
    void answerReads(boolean on) {
        silentToReads = !on;
    }

    boolean answersReads() {
        return !silentToReads;
    }

    /** From now on no Send is complete, as where a peer has closed its window; or all are that have waited for it. */
    void completeSends(boolean on) {
        takesNothing = !on;
        if (on) {
            open.forEach(MemoryConnection::completeSends);
        }
    }

    boolean completesSends() {
        return !takesNothing;
    }

    /** Has something happen whenever it is asked for a route, before it answers. */
    void duringReaches(Runnable event) {
        duringReaches = event;
    }

    /** An end is no more; the last that its thread, which is this one, does. */
    synchronized void ended(MemoryConnection end) {
        open.remove(end);
        leaving.add(Thread.currentThread());
        notifyAll();
    }

    /** Waits until every end has ended, as each does some time after its peer, and its thread too. */
    public synchronized void awaitAllEnded() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!open.isEmpty()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError(open.size() + " ends of connections are left");
            }
            try {
                wait(left / 1_000_000 + 1);
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
        }
        try {
            for (Thread thread : leaving) {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        leaving.clear();
    }

    /** The ends that have not ended yet. */
    Set<MemoryConnection> open() {
        return open;
    }

    /** The one end that is connected to that address. */
    MemoryConnection endTo(InetSocketAddress remote) {
        return open.stream()
                .filter(end -> end.remoteAddress().equals(remote))
                .findAny()
                .orElseThrow();
    }

    /** Has something happen once while somebody begins to listen, before they know that they do. */
    void duringListen(Runnable event) {
        duringListen.set(event);
    }

    /** The same for whoever closes a listener, before it is closed; who closes it meanwhile waits. */
    void duringListenerClose(Runnable event) {
        duringListenerClose.set(event);
    }

    /** The same for whoever opens an end in order to connect. */
    void duringOpen(Runnable event) {
        duringOpen.set(event);
    }

    /** How long connecting may take, as the last who connected said. */
    Duration lastTimeout() {
        return lastTimeout;
    }

    /** The same for whoever connects. */
    void duringConnect(Runnable event) {
        duringConnect.set(event);
    }

    /** The same for whoever accepts, when the connection stands and he does not know it yet. */
    void duringAccept(Runnable event) {
        duringAccept.set(event);
    }

    /** An end is accepting. */
    void accepting() {
        happen(duringAccept);
    }

    private static void happen(AtomicReference<Runnable> once) {
        Runnable event = once.getAndSet(null);
        if (event != null) {
            event.run();
        }
    }

    /** Waits until there are so many listeners. */
    synchronized void awaitListeners(int count) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (listeners.size() != count) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError(listeners.size() + " listeners are there, not " + count);
            }
            try {
                wait(left / 1_000_000 + 1);
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
        }
    }

    private synchronized void listenersChanged() {
        notifyAll();
    }

    /** Breaks every connection that there is now. A connection that a client makes in the meantime stands. */
    void breakAll() {
        List.copyOf(open)
                .forEach(end -> end.breakOff(new RdmaException(RdmaException.Kind.DISCONNECTED, "cut by the test")));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<RdmaDevice> devices() {
        return List.of(new RdmaDevice("mem0", "iwarp", true, Map.of()));
    }

    @Override
    public boolean reaches(InetSocketAddress remote) {
        askedForRoute.incrementAndGet();
        duringReaches.run();
        return route;
    }

    @Override
    public MemoryConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout) {
        happen(duringOpen);
        MemoryConnection end =
                new MemoryConnection(this, address(nextPort.incrementAndGet()), remote, options, handler);
        open.add(end);
        return end;
    }

    /** What {@link MemoryConnection#connect} does. */
    byte[] connect(MemoryConnection client, byte[] privateData, Duration timeout) throws RdmaException {
        lastTimeout = timeout;
        ConnectionAcceptor acceptor = listeners.get(client.remoteAddress());
        if (acceptor == null) {
            client.close();
            throw new RdmaException(RdmaException.Kind.REFUSED, "nobody listens");
        }
        lastRequest = carried(privateData, REQUEST_FIELD);
        ReceivedCall request = new ReceivedCall(client, lastRequest);
        acceptor.onConnectionRequest(request);
        if (request.answer == null) {
            client.close();
            throw new RdmaException(RdmaException.Kind.REJECTED, "rejected");
        }
        happen(duringConnect);
        lastAnswer = carried(request.answer, REPLY_FIELD);
        return lastAnswer;
    }

    @Override
    public RdmaListener listen(
            InetSocketAddress local, Map<String, String> providerOptions, ConnectionAcceptor acceptor)
            throws RdmaException {
        InetSocketAddress bound = local.getPort() == 0 ? address(nextPort.incrementAndGet()) : local;
        if (listeners.putIfAbsent(bound, acceptor) != null) {
            throw new RdmaException(RdmaException.Kind.ADDRESS_UNAVAILABLE, bound + " is taken");
        }
        listenersChanged();
        happen(duringListen);
        return new RdmaListener() {
            private final Lock closing = new ReentrantLock();

            @Override
            public InetSocketAddress localAddress() {
                return bound;
            }

            @Override
            public void close() {
                closing.lock();
                try {
                    happen(duringListenerClose);
                    listeners.remove(bound, acceptor);
                    listenersChanged();
                } finally {
                    closing.unlock();
                }
            }
        };
    }

    private final class ReceivedCall implements ConnectionRequest {
        private final MemoryConnection client;
        private final byte[] privateData;
        private byte[] answer;

        ReceivedCall(MemoryConnection client, byte[] privateData) {
            this.client = client;
            this.privateData = privateData;
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return client.localAddress();
        }

        @Override
        public byte[] privateData() {
            return privateData.clone();
        }

        @Override
        public RdmaConnection open(ConnectionOptions options, ConnectionHandler handler) {
            MemoryConnection end = new MemoryConnection(
                    MemoryFabric.this, client.remoteAddress(), client.localAddress(), options, handler);
            MemoryFabric.this.open.add(end);
            end.onAccept(data -> {
                answer = data;
                MemoryConnection.join(client, end);
            });
            return end;
        }

        @Override
        public void reject(byte[] reason) {
            // no answer is the rejection
        }
    }
}
