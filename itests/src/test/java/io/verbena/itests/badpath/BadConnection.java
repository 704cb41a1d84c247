package io.verbena.itests.badpath;

import java.io.IOException;
import java.net.Socket;
import java.util.Random;

/** A connection of {@link BadPath}, which does its planned fault after the last octet before it. */
final class BadConnection {
    /** More octets than the exchange at the beginning of a connection, which no checksum protects. */
    static final int HANDSHAKE = 120;

    private final BadPath path;
    private final Socket client;
    private final Socket server;
    private final Direction toServer;
    private final Direction toClient;
    // guarded by this
    private final Random random;
    private Fault fault;
    private long octetsLeft;
    private long forwarded;

    /** Until when both directions stand still. */
    private volatile long stalledUntilNanos = System.nanoTime();

    /**
     * @param cutsUp whether pieces of any size are forwarded
     */
    BadConnection(BadPath path, Socket client, Socket server, Random random, boolean cutsUp) throws IOException {
        this.path = path;
        this.client = client;
        this.server = server;
        this.random = random;
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        toServer = new Direction(path, this, client, server, Segments.of(random, cutsUp));
        toClient = new Direction(path, this, server, client, Segments.of(random, cutsUp));
    }

    void start() {
        BadPath.daemon("path-out", toServer);
        BadPath.daemon("path-in", toClient);
    }

    synchronized void plan(Fault planned, int octets) {
        fault = planned;
        octetsLeft = octets;
    }

    /** How many of these octets come before the next fault. They count as forwarded. */
    synchronized int allow(int octets) {
        int allowed = fault == null ? octets : (int) Math.min(octets, octetsLeft);
        octetsLeft -= allowed;
        forwarded += allowed;
        return allowed;
    }

    /** The fault that happens now; null where the other direction has been faster, or no fault is to come any more. */
    private synchronized Fault takeFault() {
        Fault taken = fault;
        fault = null;
        return path.isOver() ? null : taken;
    }

    /**
     * Does the fault after the last forwarded octet. The thread of the direction calls this.
     *
     * @param at the index of the next octet
     */
    void breakNow(Direction direction, byte[] octets, int at) throws IOException {
        Fault taken = takeFault();
        if (taken == null) {
            return;
        }
        try {
            execute(taken, direction, octets, at);
        } finally {
            path.happened(taken);
        }
        if (goesOn(taken)) {
            path.plan(this);
        }
    }

    private void execute(Fault taken, Direction direction, byte[] octets, int at) throws IOException {
        switch (taken) {
            case RESET -> reset();
            case END -> {
                toServer.endOutput();
                toClient.endOutput();
            }
            case SILENCE -> {
                toServer.drop();
                toClient.drop();
            }
            case HOLE -> direction.drop();
            case PAUSE -> path.pause(path.someMillis());
            case STALL -> stalledUntilNanos = System.nanoTime() + 1_000_000L * path.someMillis();
            case CORRUPTION -> octets[at] ^= (byte) change();
            case REFUSAL -> {
                path.refuseFor(path.someMillis());
                reset();
            }
        }
    }

    /** The bits to change: one, or any. */
    private synchronized int change() {
        return random.nextBoolean() ? 1 << random.nextInt(Byte.SIZE) : 1 + random.nextInt(255);
    }

    /** A connection whose FPDU was changed has to end, and has no other fault; see {@code BadPathTest}. */
    private synchronized boolean goesOn(Fault done) {
        return done == Fault.PAUSE
                || done == Fault.STALL
                || done == Fault.HOLE
                || (done == Fault.CORRUPTION && forwarded < HANDSHAKE);
    }

    /** Stands still while the connection is stalled. The thread of a direction calls this. */
    void awaitStall() {
        long left = stalledUntilNanos - System.nanoTime();
        while (left > 0 && path.pause((int) (left / 1_000_000) + 1)) {
            left = stalledUntilNanos - System.nanoTime();
        }
    }

    private void reset() throws IOException {
        client.setSoLinger(true, 0);
        server.setSoLinger(true, 0);
        end();
    }

    /** Closes both sockets. */
    void end() {
        try (client;
                server) {
            path.remove(this);
        } catch (IOException e) {
            return; // they have ended
        }
    }

    /** A direction has ended; when both have, the connection has. */
    void ended() {
        if (toServer.isEnded() && toClient.isEnded()) {
            end();
        }
    }
}
