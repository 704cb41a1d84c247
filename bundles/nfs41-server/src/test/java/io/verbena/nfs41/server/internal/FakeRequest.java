package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.Compound;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRequest;
import io.verbena.xdr.DataItem;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A request without a transport: its answer is a future. */
final class FakeRequest implements RpcRequest {
    private final Credential credential;
    private final int procedure;
    private final XdrReader arguments;
    private final XdrWriter results = new XdrWriter();
    private final CompletableFuture<XdrReader> answer = new CompletableFuture<>();
    private final long[] capacities;
    private Runnable onAllocate = () -> {};
    private FakePeer peer = new FakePeer();
    private String outcome;

    FakeRequest(Credential credential, int procedure, XdrWriter arguments, long... capacities) {
        this.credential = credential;
        this.procedure = procedure;
        this.arguments = new XdrReader(ByteBuffer.wrap(arguments.toByteArray()));
        this.capacities = capacities;
    }

    static FakeRequest compound(Credential credential, XdrWriter arguments, long... capacities) {
        return new FakeRequest(credential, Compound.PROC_COMPOUND, arguments, capacities);
    }

    /** A COMPOUND whose data comes by Read chunks. */
    static FakeRequest reduced(Credential credential, XdrWriter arguments) {
        FakeRequest request = new FakeRequest(credential, Compound.PROC_COMPOUND, arguments);
        ByteBuffer stream = ByteBuffer.allocate(arguments.position());
        arguments.copyStream(0, arguments.position(), stream);
        request.arguments.wrap(stream.flip());
        int before = 0;
        for (DataItem each : arguments.items()) {
            request.arguments.addItem(new DataItem(each.position() + before, each.data()));
            before += XdrWriter.roundUp(each.data().remaining());
        }
        return request;
    }

    FakeRequest by(FakePeer connection) {
        peer = connection;
        peer.asked();
        return this;
    }

    /** What happens when the server asks for room for a result. */
    void onAllocate(Runnable action) {
        onAllocate = action;
    }

    CompletableFuture<XdrReader> answer() {
        return answer;
    }

    /** How it was answered: {@code SUCCESS} or another status. */
    String outcome() {
        return outcome;
    }

    /** What a transport does after the program has thrown. */
    synchronized void failUnlessAnswered(AcceptStatus status) {
        if (outcome == null) {
            settle(status.name());
        }
    }

    private synchronized void settle(String how) {
        if (outcome != null) {
            throw new AssertionError("answered twice: " + outcome + ", then " + how);
        }
        outcome = how;
        peer.answered();
        answer.complete(new XdrReader(ByteBuffer.wrap(results.toByteArray())));
    }

    @Override
    public RpcPeer peer() {
        return peer;
    }

    @Override
    public int xid() {
        return 1;
    }

    @Override
    public int version() {
        return Compound.VERSION;
    }

    @Override
    public int procedure() {
        return procedure;
    }

    @Override
    public Credential credential() {
        return credential;
    }

    @Override
    public ByteBuffer signedHeader() {
        return ByteBuffer.allocate(0);
    }

    @Override
    public OpaqueAuth verifier() {
        return OpaqueAuth.NONE;
    }

    @Override
    public void setVerifier(OpaqueAuth verifier) {
        throw new UnsupportedOperationException("no program of these tests has a verifier");
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
        onAllocate.run();
        return ByteBuffer.allocateDirect(bytes);
    }

    @Override
    public long resultCapacity(int index) {
        return index < capacities.length ? capacities[index] : -1;
    }

    @Override
    public void reply() {
        settle("SUCCESS");
    }

    @Override
    public void fail(AcceptStatus status) {
        settle(status.name());
    }

    @Override
    public void reject(AuthStatus status) {
        settle(status.name());
    }

    @Override
    public void drop() {
        settle("dropped");
    }
}
