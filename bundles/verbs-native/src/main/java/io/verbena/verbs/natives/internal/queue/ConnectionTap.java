package io.verbena.verbs.natives.internal.queue;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.WireMessage.Kind;
import io.verbena.verbs.WireTap;
import io.verbena.verbs.natives.internal.settings.NativeSettings;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Reports one end of a connection to observers: messages, since only the device knows the octets on the wire. Any
 * thread.
 */
public final class ConnectionTap {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final WireTap tap;
    private final String device;
    private final InetSocketAddress remote;
    private final boolean initiator;
    private volatile InetSocketAddress local = new InetSocketAddress(0);

    /**
     * Created for the first message that is reported. Written under the lock of this object and read without it, which
     * an annotation would not allow.
     */
    private volatile WireConnection connection;

    public ConnectionTap(WireTap tap, String device, InetSocketAddress remote, boolean initiator) {
        this.tap = tap;
        this.device = device;
        this.remote = remote;
        this.initiator = initiator;
    }

    public boolean isObserved() {
        return tap.isObserved();
    }

    /** Reports the established connection, before any of its messages. */
    public void connected(InetSocketAddress newLocal, byte[] sentData, byte[] receivedData) {
        if (newLocal != null) {
            local = newLocal;
        }
        if (isObserved()) {
            byte[] request = initiator ? sentData : receivedData;
            byte[] reply = initiator ? receivedData : sentData;
            observe(initiator, WireMessage.of(Kind.CONNECT_REQUEST, request.length), ByteBuffer.wrap(request));
            observe(!initiator, WireMessage.of(Kind.CONNECT_REPLY, reply.length), ByteBuffer.wrap(reply));
        }
    }

    /** Reports a Send of either kind, or an RDMA Write, that is handed over next. */
    public void posted(Kind kind, int tag, long offset, ByteBuffer data) {
        observe(true, new WireMessage(kind, tag, offset, data.remaining(), 0), data);
    }

    /** Reports an RDMA Read that is handed over next. */
    void readPosted(long number, int tag, long offset, int length) {
        if (isObserved()) {
            observe(true, new WireMessage(Kind.READ_REQUEST, tag, offset, length, (int) number), NOTHING);
        }
    }

    /** Reports a completed RDMA Read. */
    void readCompleted(long number, ByteBuffer data) {
        if (isObserved()) {
            observe(false, new WireMessage(Kind.READ_RESPONSE, 0, 0, data.remaining(), (int) number), data);
        }
    }

    /** Reports a received message. */
    void received(boolean invalidates, int tag, ByteBuffer data) {
        Kind kind = invalidates ? Kind.SEND_WITH_INVALIDATE : Kind.SEND;
        observe(false, new WireMessage(kind, tag, 0, data.remaining(), 0), data);
    }

    /** Reports the end. Has no effect the second time. */
    public synchronized void ended() {
        if (connection != null) {
            tap.end(connection);
            connection = null;
        }
    }

    private void observe(boolean sent, WireMessage message, ByteBuffer data) {
        WireConnection known = connection;
        tap.message(known == null ? makeConnection() : known, sent, message, data);
    }

    private synchronized WireConnection makeConnection() {
        if (connection == null) {
            connection = new WireConnection(NativeSettings.PROVIDER, device, local, remote, initiator);
        }
        return connection;
    }
}
