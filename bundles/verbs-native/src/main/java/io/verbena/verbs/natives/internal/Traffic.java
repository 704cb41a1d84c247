package io.verbena.verbs.natives.internal;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.WireMessage.Kind;
import io.verbena.verbs.WireTap;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * One end of a connection as observers see it: messages, since what is on the wire only the device knows. Any thread.
 */
final class Traffic {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final WireTap tap;
    private final String device;
    private final InetSocketAddress remote;
    private final boolean initiator;
    private volatile InetSocketAddress local = new InetSocketAddress(0);

    /** Made when there is something to tell for the first time. Guarded by this for writing. */
    private volatile WireConnection connection;

    Traffic(WireTap tap, String device, InetSocketAddress remote, boolean initiator) {
        this.tap = tap;
        this.device = device;
        this.remote = remote;
        this.initiator = initiator;
    }

    boolean isObserved() {
        return tap.isObserved();
    }

    /** The connection stands; what follows is told after this. */
    void connected(InetSocketAddress newLocal, byte[] sentData, byte[] receivedData) {
        if (newLocal != null) {
            local = newLocal;
        }
        if (isObserved()) {
            byte[] request = initiator ? sentData : receivedData;
            byte[] reply = initiator ? receivedData : sentData;
            tell(initiator, WireMessage.of(Kind.CONNECT_REQUEST, request.length), ByteBuffer.wrap(request));
            tell(!initiator, WireMessage.of(Kind.CONNECT_REPLY, reply.length), ByteBuffer.wrap(reply));
        }
    }

    /** A Send, of either kind, or an RDMA Write is handed over next. */
    void posted(Kind kind, int tag, long offset, ByteBuffer data) {
        tell(true, new WireMessage(kind, tag, offset, data.remaining(), 0), data);
    }

    /** A read is handed over next. */
    void asked(long number, int tag, long offset, int length) {
        if (isObserved()) {
            tell(true, new WireMessage(Kind.READ_REQUEST, tag, offset, length, (int) number), NOTHING);
        }
    }

    /** A read is done. */
    void answered(long number, ByteBuffer data) {
        if (isObserved()) {
            tell(false, new WireMessage(Kind.READ_RESPONSE, 0, 0, data.remaining(), (int) number), data);
        }
    }

    /** A message has come. */
    void received(boolean invalidates, int tag, ByteBuffer data) {
        Kind kind = invalidates ? Kind.SEND_WITH_INVALIDATE : Kind.SEND;
        tell(false, new WireMessage(kind, tag, 0, data.remaining(), 0), data);
    }

    /** Nothing more is told. Without effect the second time. */
    synchronized void ended() {
        if (connection != null) {
            tap.end(connection);
            connection = null;
        }
    }

    private void tell(boolean sent, WireMessage message, ByteBuffer data) {
        WireConnection known = connection;
        tap.message(known == null ? makeConnection() : known, sent, message, data);
    }

    private synchronized WireConnection makeConnection() {
        if (connection == null) {
            connection = new WireConnection(NativeProvider.NAME, device, local, remote, initiator);
        }
        return connection;
    }
}
