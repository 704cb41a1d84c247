package io.verbena.rpcsec.gss.internal.tcp;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcMessages.CallHeader;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of {@link ContextListener}. The listener's thread calls all methods but {@link #send}. Records are
 * marked as RFC 5531 section 11 says. Nothing is read while a call waits for its answer.
 */
final class ContextConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ContextConnection.class);

    /** The most octets of a call: a token of 64 KiB with its header. */
    static final int MOST_OCTETS = (1 << 16) + 2048;

    private static final int LAST_FRAGMENT = 1 << 31;
    private static final int PIECE = 8192;

    private final ContextListener listener;
    private final SocketChannel channel;
    private final InetSocketAddress peer;
    private final SelectionKey key;
    private final ByteBuffer mark = ByteBuffer.allocate(Integer.BYTES);
    private final ByteArrayOutputStream call = new ByteArrayOutputStream();
    private int fragmentLeft;
    private boolean isLastFragment;
    private ByteBuffer reply;
    private long deadline;

    ContextConnection(ContextListener listener, SocketChannel channel, InetSocketAddress peer, SelectionKey key) {
        this.listener = listener;
        this.channel = channel;
        this.peer = peer;
        this.key = key;
        wait(SelectionKey.OP_READ);
    }

    SocketChannel channel() {
        return channel;
    }

    InetSocketAddress peer() {
        return peer;
    }

    InetAddress host() {
        return peer.getAddress();
    }

    /** When the connection is closed, unless something happens before. */
    long deadline() {
        return deadline;
    }

    private void wait(int operations) {
        key.interestOps(operations);
        deadline = listener.nanoTime() + ContextListener.PATIENCE.toNanos();
    }

    /** Reads or writes as far as that goes now; false where the connection is of no more use. */
    boolean transfer() {
        try {
            return reply == null ? receive() : transmit();
        } catch (Throwable e) { // the connection is lost, or there is no memory for its call
            LOG.debug("the connection of {} over TCP fails", peer, e);
            return false;
        }
    }

    private boolean receive() throws IOException {
        while (true) {
            if (fragmentLeft == 0) {
                if (channel.read(mark) < 0) {
                    return false;
                }
                if (mark.hasRemaining()) {
                    return true;
                }
                int word = mark.getInt(0);
                mark.clear();
                isLastFragment = (word & LAST_FRAGMENT) != 0;
                fragmentLeft = word & ~LAST_FRAGMENT;
                if (fragmentLeft > MOST_OCTETS - call.size() || (fragmentLeft == 0 && !isLastFragment)) {
                    return false;
                }
            } else {
                ByteBuffer piece = ByteBuffer.allocate(Math.min(PIECE, fragmentLeft));
                int count = channel.read(piece);
                if (count <= 0) {
                    return count == 0;
                }
                call.write(piece.array(), 0, count);
                fragmentLeft -= count;
            }
            if (fragmentLeft == 0 && isLastFragment) {
                byte[] octets = call.toByteArray();
                call.reset();
                isLastFragment = false;
                wait(0);
                return handle(octets);
            }
        }
    }

    private boolean handle(byte[] octets) {
        XdrReader in = new XdrReader(ByteBuffer.wrap(octets));
        CallHeader header;
        try {
            header = RpcMessages.readCall(in);
        } catch (XdrException e) {
            LOG.debug("{} sent no call: {}", peer, e.getMessage());
            return false;
        }
        XdrWriter refusal = new XdrWriter();
        if (header.rpcVersion() != RpcMessages.RPC_VERSION) {
            RpcMessages.writeRpcMismatch(refusal, header.xid());
        } else if (header.program() != listener.program().program()) {
            RpcMessages.writeAccepted(refusal, header.xid(), OpaqueAuth.NONE, AcceptStatus.PROG_UNAVAIL);
        } else if (header.version() < listener.program().lowVersion()
                || header.version() > listener.program().highVersion()) {
            RpcMessages.writeProgramMismatch(
                    refusal,
                    header.xid(),
                    listener.program().lowVersion(),
                    listener.program().highVersion());
        } else {
            new TcpRequest(this, octets, header, in).handleBy(listener.program());
            return true;
        }
        send(refusal);
        return true;
    }

    /** Sends the reply to the call that waits for its answer; null for none. Any thread. */
    void send(XdrWriter message) {
        byte[] octets = message == null ? null : message.toByteArray();
        listener.run(() -> {
            if (!key.isValid()) {
                return;
            }
            if (octets == null) {
                wait(SelectionKey.OP_READ);
                return;
            }
            reply = ByteBuffer.allocate(Integer.BYTES + octets.length);
            reply.putInt(octets.length | LAST_FRAGMENT).put(octets).flip();
            wait(SelectionKey.OP_WRITE);
        });
    }

    /** Ends the connection. Any thread. */
    void disconnect() {
        listener.run(() -> listener.end(this));
    }

    private boolean transmit() throws IOException {
        channel.write(reply);
        if (!reply.hasRemaining()) {
            reply = null;
            wait(SelectionKey.OP_READ);
        }
        return true;
    }
}
