package io.verbena.itests.badpath;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A TCP proxy that injects faults: it forwards connections to a server, and does a fault to a connection after a random
 * number of octets, at any place in a frame, for as long as faults are ordered. Random numbers come from a seed.
 */
public final class BadPath implements AutoCloseable {
    private static final int BACKLOG = 64;

    /** Times of faults are at most so long, and mostly a lot shorter. */
    private static final int MOST_MILLIS = 3000;

    private final InetSocketAddress server;
    /** Keeps the port while there is no listener. */
    private final Socket holder = new Socket();

    private final Set<BadConnection> connections = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Random random;

    // guarded by this
    private ServerSocket listener;
    private Fault[] kinds = {};
    private int fewest;
    private int most;
    private int refusalMillis;
    private boolean cutsUp;
    private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);

    /** The faults to come. Written under this. */
    private volatile CountDownLatch left = new CountDownLatch(0);

    /**
     * Listens on a port of the loopback interface.
     *
     * @param server the server that connections are forwarded to
     */
    public BadPath(InetSocketAddress server, long seed) throws IOException {
        this.server = server;
        this.random = new Random(seed);
        holder.setReuseAddress(true);
        holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listen();
        daemon("path-accept", this::acceptAll);
    }

    static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) holder.getLocalSocketAddress();
    }

    /** From now on new connections forward pieces of any size, single octets too, and some join what was apart. */
    public synchronized void cutUp() {
        cutsUp = true;
    }

    /**
     * Orders faults for the current and later connections.
     *
     * @param times the number of faults
     * @param fewestOctets the fewest octets that a connection forwards before its fault, both directions together
     * @param mostOctets the most octets before the fault
     * @param chosenFrom the kinds of fault
     */
    public synchronized void orderFaults(int times, int fewestOctets, int mostOctets, Fault... chosenFrom) {
        kinds = chosenFrom;
        fewest = fewestOctets;
        most = mostOctets;
        left = new CountDownLatch(times);
        connections.forEach(this::plan);
    }

    /** Chooses the next fault of a connection, if there is one to come. */
    synchronized void plan(BadConnection connection) {
        if (left.getCount() > 0) {
            connection.plan(kinds[random.nextInt(kinds.length)], random.nextInt(fewest, most));
        }
    }

    public boolean isOver() {
        return left.getCount() == 0;
    }

    /** Waits until all faults have happened. */
    public void awaitOver(long seconds) throws InterruptedException {
        if (!left.await(seconds, TimeUnit.SECONDS)) {
            throw new AssertionError(left.getCount() + " faults have not happened in " + seconds + " s: " + this);
        }
    }

    /** How many faults of each kind have happened. */
    public synchronized Map<Fault, Integer> counts() {
        return new EnumMap<>(counts);
    }

    @Override
    public synchronized String toString() {
        return connections.size() + " connections, faults " + counts;
    }

    /** Counts a fault that happens. */
    synchronized void happened(Fault fault) {
        counts.merge(fault, 1, Integer::sum);
        left.countDown();
    }

    private void listen() throws IOException {
        ServerSocket next = new ServerSocket();
        next.setReuseAddress(true);
        next.bind(address(), BACKLOG);
        synchronized (this) {
            listener = next;
            refusalMillis = 0;
        }
        if (closed.getCount() == 0) {
            next.close();
        }
    }

    private synchronized ServerSocket listener() {
        return listener;
    }

    private void acceptAll() {
        boolean refused = true;
        while (refused) {
            accept(listener());
            refused = refuse();
        }
    }

    /** Accepts connections until the listener is closed. */
    private void accept(ServerSocket current) {
        boolean open = true;
        while (open) {
            try {
                connect(current.accept());
            } catch (IOException e) {
                open = !current.isClosed();
            }
        }
    }

    /** Has no listener for a time. Returns whether there is another one then. */
    private boolean refuse() {
        int millis;
        synchronized (this) {
            millis = refusalMillis;
        }
        try {
            if (pause(millis)) {
                listen();
                return true;
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot listen on " + address() + " again", e);
        }
        return false;
    }

    /** Refuses new connections for a time. */
    void refuseFor(int millis) throws IOException {
        synchronized (this) {
            refusalMillis = millis;
        }
        listener().close();
    }

    /** How long a fault lasts: mostly short, up to some seconds. */
    synchronized int someMillis() {
        return 1 + random.nextInt(1 + random.nextInt(MOST_MILLIS));
    }

    /** Waits; returns whether the path is still open. */
    boolean pause(int millis) {
        try {
            return !closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private void connect(Socket client) throws IOException {
        BadConnection connection;
        try {
            Socket there = new Socket(server.getAddress(), server.getPort());
            connection = new BadConnection(this, client, there, newRandom(), cutsUp());
        } catch (IOException e) {
            client.close(); // the server is not available
            return;
        }
        connections.add(connection);
        plan(connection);
        connection.start();
    }

    private synchronized Random newRandom() {
        return new Random(random.nextLong());
    }

    private synchronized boolean cutsUp() {
        return cutsUp;
    }

    /** A connection has ended. */
    void remove(BadConnection connection) {
        connections.remove(connection);
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        try (holder) {
            listener().close();
        }
        connections.forEach(BadConnection::end);
    }
}
