package io.verbena.rpcsec.gss.internal.tcp;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcMessages.CallHeader;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A call that came over TCP. Its peer takes no calls. */
final class TcpRequest implements RpcRequest, RpcPeer {
    private static final Logger LOG = LoggerFactory.getLogger(TcpRequest.class);

    private final ContextConnection connection;
    private final byte[] octets;
    private final CallHeader header;
    private final XdrReader arguments;
    private final XdrWriter results = new XdrWriter();
    private final AtomicBoolean answered = new AtomicBoolean();
    private OpaqueAuth replyVerifier = OpaqueAuth.NONE;

    TcpRequest(ContextConnection connection, byte[] octets, CallHeader header, XdrReader arguments) {
        this.connection = connection;
        this.octets = octets;
        this.header = header;
        this.arguments = arguments;
    }

    /** Has a program answer. */
    void handleBy(RpcProgram program) {
        try {
            program.handle(this);
        } catch (XdrException e) {
            failUnanswered(AcceptStatus.GARBAGE_ARGS, e);
        } catch (Throwable e) {
            failUnanswered(AcceptStatus.SYSTEM_ERR, e);
        }
    }

    private void failUnanswered(AcceptStatus status, Throwable cause) {
        LOG.debug("a call of {} over TCP fails", connection.peer(), cause);
        if (!answered.get()) {
            fail(status);
        }
    }

    @Override
    public RpcPeer peer() {
        return this;
    }

    @Override
    public long connectionId() {
        return 0;
    }

    @Override
    public SocketAddress remoteAddress() {
        return connection.peer();
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("no calls by this connection"));
    }

    @Override
    public void disconnect() {
        connection.disconnect();
    }

    @Override
    public int xid() {
        return header.xid();
    }

    @Override
    public int version() {
        return header.version();
    }

    @Override
    public int procedure() {
        return header.procedure();
    }

    @Override
    public Credential credential() {
        return header.credential();
    }

    @Override
    public ByteBuffer signedHeader() {
        return ByteBuffer.wrap(octets, 0, header.signedOctets()).slice();
    }

    @Override
    public OpaqueAuth verifier() {
        return header.verifier();
    }

    @Override
    public void setVerifier(OpaqueAuth verifier) {
        replyVerifier = verifier;
    }

    @Override
    public XdrReader arguments() {
        return arguments;
    }

    @Override
    public XdrWriter results() {
        return results;
    }

    @Override
    public ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocate(bytes);
    }

    @Override
    public long resultCapacity(int index) {
        return -1;
    }

    @Override
    public void reply() {
        XdrWriter message = accepted(AcceptStatus.SUCCESS);
        message.append(results);
        answer(message);
    }

    @Override
    public void fail(AcceptStatus status) {
        answer(accepted(status));
    }

    private XdrWriter accepted(AcceptStatus status) {
        XdrWriter message = new XdrWriter();
        RpcMessages.writeAccepted(message, xid(), replyVerifier, status);
        return message;
    }

    @Override
    public void reject(AuthStatus status) {
        XdrWriter message = new XdrWriter();
        RpcMessages.writeAuthError(message, xid(), status);
        answer(message);
    }

    @Override
    public void drop() {
        answer(null);
    }

    private void answer(XdrWriter message) {
        if (!answered.compareAndSet(false, true)) {
            throw new IllegalStateException("the request is answered already");
        }
        connection.send(message);
    }
}
