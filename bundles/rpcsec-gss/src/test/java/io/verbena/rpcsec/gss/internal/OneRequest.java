package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcMessages.CallHeader;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRequest;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A request of the octets of one call, without a transport. */
final class OneRequest implements RpcRequest {
    private static final RpcPeer PEER = (RpcPeer) Proxy.newProxyInstance(
            OneRequest.class.getClassLoader(),
            new Class<?>[] {RpcPeer.class},
            (proxy, method, arguments) -> method.getName().equals("remoteAddress") ? new InetSocketAddress(1) : null);

    private final ByteBuffer octets;
    private final XdrReader arguments;
    private final XdrWriter results = new XdrWriter();
    private final CallHeader header;
    private final int argumentsAt;
    private final CompletableFuture<byte[]> answer = new CompletableFuture<>();
    private OpaqueAuth replyVerifier = OpaqueAuth.NONE;
    volatile String outcome = "none";

    OneRequest(byte[] call) {
        octets = ByteBuffer.wrap(call);
        arguments = new XdrReader(ByteBuffer.wrap(call));
        CallHeader read = null;
        try {
            read = RpcMessages.readCall(arguments);
        } catch (XdrException e) {
            outcome = "unreadable";
        }
        header = read;
        argumentsAt = arguments.position();
    }

    boolean isReadable() {
        return header != null && header.rpcVersion() == RpcMessages.RPC_VERSION;
    }

    int argumentsAt() {
        return argumentsAt;
    }

    @Override
    public RpcPeer peer() {
        return PEER;
    }

    @Override
    public int xid() {
        return octets.getInt(0);
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
        return octets.slice(0, header.signedOctets());
    }

    @Override
    public OpaqueAuth verifier() {
        return header.verifier();
    }

    @Override
    public void setVerifier(OpaqueAuth verifier) {
        replyVerifier = verifier;
    }

    /** The reply as it would be sent; empty where the call was dropped. */
    CompletableFuture<byte[]> answer() {
        return answer;
    }

    private void accept(AcceptStatus status, XdrWriter body) {
        XdrWriter reply = new XdrWriter();
        RpcMessages.writeAccepted(reply, xid(), replyVerifier, status);
        answer.complete(reply.append(body).toByteArray());
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
        outcome = "replied";
        accept(AcceptStatus.SUCCESS, results);
    }

    @Override
    public void fail(AcceptStatus status) {
        outcome = status.name();
        accept(status, new XdrWriter());
    }

    @Override
    public void reject(AuthStatus status) {
        outcome = status.name();
        XdrWriter reply = new XdrWriter();
        RpcMessages.writeAuthError(reply, xid(), status);
        answer.complete(reply.toByteArray());
    }

    @Override
    public void drop() {
        outcome = "dropped";
        answer.complete(new byte[0]);
    }
}
