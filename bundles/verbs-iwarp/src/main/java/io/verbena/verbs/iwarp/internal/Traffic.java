package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireTap;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

/** One end of a connection as observers see it: whole frames, as they stand on the wire. Any thread. */
final class Traffic {
    /** Of what no observer learns. */
    static final Traffic UNOBSERVED = new Traffic(
            new WireTap((observer, failure) -> {}), new InetSocketAddress(0), new InetSocketAddress(0), true);

    private final WireTap tap;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final boolean initiator;

    /** Made when there is something to tell for the first time. Guarded by this for writing. */
    private volatile WireConnection connection;

    Traffic(WireTap tap, InetSocketAddress local, InetSocketAddress remote, boolean initiator) {
        this.tap = tap;
        this.local = local;
        this.remote = remote;
        this.initiator = initiator;
    }

    boolean isObserved() {
        return tap.isObserved();
    }

    void sent(List<ByteBuffer> frame) {
        tap.frame(connection(), true, frame);
    }

    /** Tells of the frame at that place of a buffer, if there is anybody to tell. */
    void received(ByteBuffer b, int at, int length) {
        if (isObserved()) {
            tap.frame(connection(), false, List.of(b.slice(at, length)));
        }
    }

    /** Tells of a frame that is sent next, if there is anybody to tell. */
    void sent(ByteBuffer frame) {
        if (isObserved()) {
            sent(List.of(frame));
        }
    }

    /** Nothing more is told. Without effect the second time. */
    synchronized void ended() {
        if (connection != null) {
            tap.end(connection);
            connection = null;
        }
    }

    private WireConnection connection() {
        WireConnection known = connection;
        return known == null ? makeConnection() : known;
    }

    private synchronized WireConnection makeConnection() {
        if (connection == null) {
            connection = new WireConnection(
                    IwarpProvider.NAME, NetworkPath.deviceName(local.getAddress()), local, remote, initiator);
        }
        return connection;
    }
}
