package io.verbena.itests;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A TCP proxy that injects faults: it forwards connections to a server, and breaks each connection for which a fault is
 * ordered after a random number of octets, at any place in a frame. Random numbers come from a seed.
 */
public final class FaultyProxy implements AutoCloseable {
    /** The faults of a connection. */
    public enum Fault {
        /** Both sides see a reset of the connection. */
        RESET,
        /** Both sides see an orderly end; the proxy reads from the server until the server ends its side. */
        END,
        /** The proxy forwards nothing any more, and neither side sees an end. */
        SILENCE
    }

    private final ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    private final InetSocketAddress server;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Random random;

    // guarded by this
    private Fault[] kinds = {};
    private int fewest;
    private int most;

    /** The faults to come. Written under this; a connection that breaks has its own lock and must not take this one. */
    private volatile CountDownLatch left = new CountDownLatch(0);

    public FaultyProxy(InetSocketAddress server, long seed) throws IOException {
        this.server = server;
        this.random = new Random(seed);
        daemon("proxy-accept", this::accept);
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
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

    private synchronized void plan(Connection connection) {
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
            throw new AssertionError(left.getCount() + " connections were not made again in " + seconds + " s");
        }
    }

    private void accept() {
        while (true) {
            try {
                connect(listener.accept());
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void connect(Socket client) throws IOException {
        Connection connection;
        try {
            connection = new Connection(client, new Socket(server.getAddress(), server.getPort()));
        } catch (IOException e) {
            client.close(); // the server is not available
            return;
        }
        connections.add(connection);
        plan(connection);
        connection.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        connections.forEach(Connection::end);
    }

    private final class Connection {
        private final Socket client;
        private final Socket there;
        // guarded by this
        private Fault fault;
        private long octetsLeft;

        Connection(Socket client, Socket there) throws IOException {
            this.client = client;
            this.there = there;
            client.setTcpNoDelay(true);
            there.setTcpNoDelay(true);
        }

        synchronized void plan(Fault planned, int octets) {
            fault = planned;
            octetsLeft = octets;
        }

        void start() {
            daemon("proxy-out", () -> pump(client, there));
            daemon("proxy-in", () -> pump(there, client));
        }

        /**
         * Forwards one direction until it ends, and then ends the other side's input, so that the other direction ends,
         * too.
         */
        private void pump(Socket from, Socket to) {
            byte[] buffer = new byte[16 << 10];
            try (from) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
                    int allowed = allow(got);
                    if (allowed > 0) {
                        out.write(buffer, 0, allowed);
                    }
                    if (allowed < got) {
                        breakConnection();
                    }
                }
            } catch (IOException e) {
                endOutput(to); // one side has ended its output: the other side sees the end
            }
            endOutput(to); // a repeated call has no effect
            connections.remove(this);
        }

        private synchronized int allow(int octets) {
            if (fault == null) {
                return octets;
            }
            int allowed = (int) Math.min(octets, octetsLeft);
            octetsLeft -= allowed;
            return allowed;
        }

        /** Executes the fault after the last forwarded octet. */
        private synchronized void breakConnection() throws IOException {
            if (!connections.remove(this)) {
                return; // the fault has happened already
            }
            left.countDown();
            if (fault == Fault.RESET) {
                client.setSoLinger(true, 0);
                there.setSoLinger(true, 0);
                end();
            } else if (fault == Fault.END) {
                endOutput(there);
                client.close();
            }
        }

        private static void endOutput(Socket socket) {
            try {
                socket.shutdownOutput();
            } catch (IOException e) {
                return; // it has ended
            }
        }

        void end() {
            try (client;
                    there) {
                connections.remove(this);
            } catch (IOException e) {
                return; // they have ended
            }
        }
    }
}
