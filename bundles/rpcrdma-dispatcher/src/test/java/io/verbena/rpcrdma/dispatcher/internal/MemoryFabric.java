package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * RDMA between ends in one process, for tests: every rule of the verbs is checked, every operation happens at once, and
 * a connection can be made to break at will.
 */
final class MemoryFabric implements RdmaProvider {
    private final Map<InetSocketAddress, ConnectionAcceptor> listeners = new ConcurrentHashMap<>();
    private final Set<MemoryConnection> open = ConcurrentHashMap.newKeySet();
    private final List<Thread> leaving = new ArrayList<>(); // guarded by this
    private final AtomicInteger nextPort = new AtomicInteger(1000);
    private final String name;
    private volatile boolean directOnly;
    private final AtomicReference<Runnable> duringListen = new AtomicReference<>();
    private final AtomicReference<Runnable> duringConnect = new AtomicReference<>();

    MemoryFabric() {
        this("memory");
    }

    MemoryFabric(String name) {
        this.name = name;
    }

    static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Makes the connections from now on insist on direct memory. */
    void requireDirectMemory() {
        directOnly = true;
    }

    boolean directOnly() {
        return directOnly;
    }

    /** An end is no more; the last that its thread, which is this one, does. */
    synchronized void ended(MemoryConnection end) {
        open.remove(end);
        leaving.add(Thread.currentThread());
        notifyAll();
    }

    /** Waits until every end has ended, as each does some time after its peer, and its thread too. */
    synchronized void awaitAllEnded() {
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

    /** The same for whoever connects. */
    void duringConnect(Runnable event) {
        duringConnect.set(event);
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

    /** Breaks every connection that there is. */
    void breakAll() {
        open.forEach(end -> end.breakOff(new RdmaException(RdmaException.Kind.DISCONNECTED, "cut by the test")));
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
        return true;
    }

    @Override
    public MemoryConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout) {
        MemoryConnection end =
                new MemoryConnection(this, address(nextPort.incrementAndGet()), remote, options, handler);
        open.add(end);
        return end;
    }

    /** What {@link MemoryConnection#connect} does. */
    byte[] connect(MemoryConnection client, byte[] privateData) throws RdmaException {
        ConnectionAcceptor acceptor = listeners.get(client.remoteAddress());
        if (acceptor == null) {
            client.close();
            throw new RdmaException(RdmaException.Kind.REFUSED, "nobody listens");
        }
        Request request = new Request(client, privateData);
        acceptor.onConnectionRequest(request);
        if (request.answer == null) {
            client.close();
            throw new RdmaException(RdmaException.Kind.REJECTED, "rejected");
        }
        happen(duringConnect);
        return request.answer;
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
            @Override
            public InetSocketAddress localAddress() {
                return bound;
            }

            @Override
            public void close() {
                listeners.remove(bound, acceptor);
                listenersChanged();
            }
        };
    }

    private final class Request implements ConnectionRequest {
        private final MemoryConnection client;
        private final byte[] privateData;
        private byte[] answer;

        Request(MemoryConnection client, byte[] privateData) {
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
