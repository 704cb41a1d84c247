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
 * A way through the network that cannot be relied on: connections to its address go on to a server, and where troubles
 * are ordered, each of them is troubled after some octets, wherever in a frame that is. Random, from a seed.
 */
public final class BadPath implements AutoCloseable {
    /** What happens to a connection. */
    public enum Trouble {
        /** Both sides are told that the connection was reset. */
        RESET,
        /** Both sides see an orderly end; the server is listened to until it ends its side. */
        END,
        /** Nothing goes through any more, and nobody is told. */
        SILENCE
    }

    private final ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    private final InetSocketAddress server;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Random random;

    // guarded by this
    private Trouble[] kinds = {};
    private int fewest;
    private int most;
    private CountDownLatch left = new CountDownLatch(0);

    public BadPath(InetSocketAddress server, long seed) throws IOException {
        this.server = server;
        this.random = new Random(seed);
        daemon("path-accept", this::accept);
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
     * Troubles the present connections and those that follow.
     *
     * @param times how many of them
     * @param fewestOctets that go by a connection before, in both directions together
     * @param mostOctets as above
     * @param chosenFrom kinds of trouble
     */
    public synchronized void trouble(int times, int fewestOctets, int mostOctets, Trouble... chosenFrom) {
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

    private synchronized CountDownLatch left() {
        return left;
    }

    public boolean isOver() {
        return left().getCount() == 0;
    }

    /** Waits until all troubles are over. */
    public void awaitOver(long seconds) throws InterruptedException {
        if (!left().await(seconds, TimeUnit.SECONDS)) {
            throw new AssertionError(left().getCount() + " connections were not made again in " + seconds + " s");
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
            client.close(); // the server is away
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
        private Trouble trouble;
        private long octetsLeft;

        Connection(Socket client, Socket there) throws IOException {
            this.client = client;
            this.there = there;
            client.setTcpNoDelay(true);
            there.setTcpNoDelay(true);
        }

        synchronized void plan(Trouble planned, int octets) {
            trouble = planned;
            octetsLeft = octets;
        }

        void start() {
            daemon("path-out", () -> pump(client, there));
            daemon("path-in", () -> pump(there, client));
        }

        /** Passes on what comes until that ends; then the other side is told, which ends the other direction. */
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
                        befall();
                    }
                }
            } catch (IOException e) {
                endOutput(to); // one side has ended it: the other is told
            }
            endOutput(to); // more than once does no harm
            connections.remove(this);
        }

        private synchronized int allow(int octets) {
            if (trouble == null) {
                return octets;
            }
            int allowed = (int) Math.min(octets, octetsLeft);
            octetsLeft -= allowed;
            return allowed;
        }

        /** The octets are used up. */
        private synchronized void befall() throws IOException {
            if (!connections.remove(this)) {
                return; // it has befallen it before
            }
            left().countDown();
            if (trouble == Trouble.RESET) {
                client.setSoLinger(true, 0);
                there.setSoLinger(true, 0);
                end();
            } else if (trouble == Trouble.END) {
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
