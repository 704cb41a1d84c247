package io.verbena.verbs.iwarp.internal.tcp;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireTap;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

/** Reports one end of a connection to observers: whole frames, as they are on the wire. Any thread. */
public final class ConnectionTap {
    /** A tap without observers. */
    public static final ConnectionTap UNOBSERVED = new ConnectionTap(
            new WireTap((observer, failure) -> {}), new InetSocketAddress(0), new InetSocketAddress(0), true);

    private final WireTap tap;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final boolean initiator;

    /**
     * Created for the first frame that is reported. Written under the lock of this object and read without it, which an
     * annotation would not allow.
     */
    private volatile WireConnection connection;

    public ConnectionTap(WireTap tap, InetSocketAddress local, InetSocketAddress remote, boolean initiator) {
        this.tap = tap;
        this.local = local;
        this.remote = remote;
        this.initiator = initiator;
    }

    public boolean isObserved() {
        return tap.isObserved();
    }

    public void sent(List<ByteBuffer> frame) {
        tap.frame(connection(), true, frame);
    }

    /** Reports a received frame, at that index of a buffer, where there is an observer. */
    public void received(ByteBuffer b, int at, int length) {
        if (isObserved()) {
            tap.frame(connection(), false, List.of(b.slice(at, length)));
        }
    }

    /** Reports a frame that is sent next, where there is an observer. */
    public void sent(ByteBuffer frame) {
        if (isObserved()) {
            sent(List.of(frame));
        }
    }

    /** Reports the end. Has no effect the second time. */
    public synchronized void ended() {
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
                    IwarpSettings.PROVIDER, NetworkPath.deviceName(local.getAddress()), local, remote, initiator);
        }
        return connection;
    }
}
