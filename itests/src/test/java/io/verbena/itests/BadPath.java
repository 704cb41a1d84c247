package io.verbena.itests.linuxpeer;

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
final class BadPath implements AutoCloseable {
    /** What happens to a connection. */
    enum Trouble {
        /** Both sides are told that the connection was reset. */
        RESET,
        /** Both sides see an orderly end. */
        END,
        /** Nothing goes through any more, and nobody is told. */
        SILENCE
    }

    /**
     * Those of the connection's establishment, and some. Linux 6.1 does not survive the end of a connection that it is
     * about to accept (BUG at drivers/infiniband/core/iwcm.c:969).
     */
    private static final int FIRST_OCTETS = 300;

    private final ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    private final InetSocketAddress server;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Random random;

    // guarded by this
    private Trouble[] kinds = {};
    private int longest = 1;
    private CountDownLatch left = new CountDownLatch(0);

    BadPath(InetSocketAddress server, long seed) throws IOException {
        this.server = server;
        this.random = new Random(seed);
        daemon("path-accept", this::accept);
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /**
     * Troubles the present connections and those that follow.
     *
     * @param times how many of them
     * @param mostOctets that go by a connection before, in both directions together
     * @param chosenFrom kinds of trouble
     */
    synchronized void trouble(int times, int mostOctets, Trouble... chosenFrom) {
        kinds = chosenFrom;
        longest = mostOctets;
        left = new CountDownLatch(times);
        connections.forEach(this::plan);
    }

    private synchronized void plan(Connection connection) {
        if (left.getCount() > 0) {
            connection.plan(kinds[random.nextInt(kinds.length)], FIRST_OCTETS + random.nextInt(longest));
        }
    }

    private synchronized CountDownLatch left() {
        return left;
    }

    boolean isOver() {
        return left().getCount() == 0;
    }

    /** Waits until all troubles are over. */
    void awaitOver(long seconds) throws InterruptedException {
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

        /**
         * The octets are used up. The server always sees an orderly end, in mid-frame, and is listened to until it ends
         * its side: qemu's user network aborts at times where it is reset.
         */
        private synchronized void befall() throws IOException {
            if (!connections.remove(this)) {
                return; // it has befallen it before
            }
            left().countDown();
            if (trouble != Trouble.SILENCE) {
                endOutput(there);
                client.setSoLinger(trouble == Trouble.RESET, 0);
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
