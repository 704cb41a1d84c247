package io.verbena.nfs41.client.internal.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** A relay between client and server with network faults: it swallows octets, breaks connections, reads nothing. */
public final class Relay implements AutoCloseable {
    private final InetSocketAddress server;
    private volatile ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    /** How many connections there were. */
    private final Gate hold = new Gate();

    public final AtomicInteger connections = new AtomicInteger();
    /** Whether octets of the server's are swallowed. */
    public volatile boolean silent;
    /** A connection is broken when the client has sent more octets by it. */
    public volatile long mostOctets = Long.MAX_VALUE;
    /** When the server has sent more octets by a connection, hardly one more is taken of it. */
    public volatile long mostTaken = Long.MAX_VALUE;

    /** A connection is broken when one end has sent more octets, and the other one none meanwhile. */
    public volatile long mostAtATime = Long.MAX_VALUE;

    public Relay(InetSocketAddress server) throws IOException {
        this.server = server;
        start("relay-accept", this::accept);
    }

    /** The server goes away: its connections are broken, and further ones refused. */
    public void leave() throws IOException {
        listener.close();
        breakAll();
    }

    /** The server is back, at the same port. */
    public void comeBack() throws IOException {
        listener = new ServerSocket(port(), 50, InetAddress.getLoopbackAddress());
        start("relay-accept", this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Breaks the connections that there are. */
    public void breakAll() throws IOException {
        for (Socket each : open) {
            each.close();
        }
    }

    /** Breaks one of the connections that there are. */
    public void breakOne() throws IOException {
        for (Socket any : open) {
            any.close();
            return;
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void start(String name, Step step) {
        Thread thread = new Thread(
                () -> {
                    try {
                        step.run();
                    } catch (IOException e) {
                        // the connection, or the relay, was closed
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            connections.incrementAndGet();
            Socket there = new Socket(server.getAddress(), server.getPort());
            open.add(client);
            open.add(there);
            AtomicLong up = new AtomicLong();
            AtomicLong down = new AtomicLong();
            start("relay-up", () -> pump(client, there, true, up, down));
            start("relay-down", () -> pump(there, client, false, down, up));
        }
    }

    /**
     * @param run what this end has sent since the other one has sent
     * @param other the same of the other end
     */
    private void pump(Socket from, Socket to, boolean isUp, AtomicLong run, AtomicLong other) throws IOException {
        byte[] chunk = new byte[1 << 16];
        long octets = 0;
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                octets += count;
                other.set(0);
                if (run.addAndGet(count) > mostAtATime) {
                    return;
                }
                while (!isUp && octets > mostTaken && in.read() >= 0) {
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1)); // an octet a second opens no window
                }
                if (isUp && octets > mostOctets) {
                    return;
                }
                if (!isUp) {
                    hold.pass();
                }
                if (isUp || !silent) {
                    out.write(chunk, 0, count);
                }
            }
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    /** What holds the server's octets back, in their order. */
    private static final class Gate {
        private boolean isClosed;
        private boolean isWaitedFor;

        synchronized void set(boolean closed) {
            isClosed = closed;
            isWaitedFor = false;
            notifyAll();
        }

        synchronized void pass() throws IOException {
            try {
                while (isClosed) {
                    isWaitedFor = true;
                    notifyAll();
                    wait();
                }
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
        }

        synchronized void awaitWaiting() throws InterruptedException {
            while (!isWaitedFor) {
                wait();
            }
        }
    }

    /** Holds back what the server sends from now on. */
    public void hold() {
        hold.set(true);
    }

    /** Waits until the server has sent something that is held back. */
    public void awaitHeld() throws InterruptedException {
        hold.awaitWaiting();
    }

    /** Passes on what was held back, and what follows. */
    public void resume() {
        hold.set(false);
    }

    @Override
    public void close() throws IOException {
        resume();
        listener.close();
        breakAll();
    }
}
