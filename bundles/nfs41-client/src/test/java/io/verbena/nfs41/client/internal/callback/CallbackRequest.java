package io.verbena.nfs41.client.internal.callback;

import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.Status;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A callback as a program gets it, put together by hand, and what it was answered. */
public final class CallbackRequest implements RpcRequest {
    /** As long as a call's header with AUTH_NONE. */
    private static final int RPC_HEADER = 40;

    private final int procedure;
    private final Credential credential;
    private final XdrWriter results = new XdrWriter();
    private final XdrReader arguments;
    private boolean replied;
    private AcceptStatus failed;
    private AuthStatus rejected;

    public CallbackRequest(int procedure, Credential credential, byte[] arguments) {
        this.procedure = procedure;
        this.credential = credential;
        ByteBuffer message = ByteBuffer.allocate(RPC_HEADER + arguments.length);
        this.arguments = new XdrReader(message.put(RPC_HEADER, arguments));
        try {
            this.arguments.skip(RPC_HEADER);
        } catch (XdrException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The COMPOUND of these operations, each of which writes itself. */
    @SafeVarargs
    public static CallbackRequest compound(Consumer<XdrWriter>... operations) {
        return compound(Credential.none(), 1, operations);
    }

    @SafeVarargs
    static CallbackRequest compound(Credential credential, int minorVersion, Consumer<XdrWriter>... operations) {
        XdrWriter out = new XdrWriter();
        CbCompound.encodeArgs(out, new CbCompound.Args("tag", minorVersion, operations.length));
        for (Consumer<XdrWriter> operation : operations) {
            operation.accept(out);
        }
        return new CallbackRequest(CbCompound.PROC_COMPOUND, credential, out.toByteArray());
    }

    public static Consumer<XdrWriter> sequence(SessionId session, int sequenceId, int slotId) {
        return sequence(session, sequenceId, slotId, false);
    }

    static Consumer<XdrWriter> sequence(SessionId session, int sequenceId, int slotId, boolean cacheThis) {
        return out -> CbSequence.encodeArgs(
                out, new CbSequence.Args(session, sequenceId, slotId, slotId, cacheThis, List.of()));
    }

    /** An operation that nobody defines, or one whose arguments do not matter. */
    static Consumer<XdrWriter> bare(int opcode) {
        return out -> out.putInt(opcode);
    }

    /** Has it answered. */
    public CallbackRequest by(RpcProgram program) throws Exception {
        program.handle(this);
        return this;
    }

    /** An operation's number and how it ended. */
    record Outcome(int opcode, Status status) {
        static Outcome ok(int opcode) {
            return new Outcome(opcode, Status.NFS4_OK);
        }
    }

    /** The status of the whole. */
    public Status status() throws XdrException {
        return Compound.decodeResult(answer()).status();
    }

    /** What became of each operation; only the last may have failed, and bodies are those of CB_SEQUENCE and none. */
    List<Outcome> outcomes() throws XdrException {
        XdrReader in = answer();
        Compound.Result head = Compound.decodeResult(in);
        List<Outcome> all = new ArrayList<>();
        for (int i = 0; i < head.operations(); i++) {
            Outcome outcome = new Outcome(in.getInt(), Status.decode(in));
            all.add(outcome);
            if (outcome.equals(Outcome.ok(Opcode.CB_SEQUENCE))) {
                CbSequence.decodeResult(in);
            }
        }
        in.requireEnd();
        return all;
    }

    /** Stands before the results' head. */
    XdrReader answer() {
        if (!replied) {
            throw new AssertionError("no reply, but " + failed + ", " + rejected);
        }
        return new XdrReader(ByteBuffer.wrap(results.toByteArray()));
    }

    public boolean isReplied() {
        return replied;
    }

    AcceptStatus failed() {
        return failed;
    }

    AuthStatus rejected() {
        return rejected;
    }

    @Override
    public RpcPeer peer() {
        throw new AssertionError("callbacks are answered without regard to the connection");
    }

    @Override
    public int xid() {
        return 1;
    }

    @Override
    public int version() {
        return CbCompound.VERSION;
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
        return ByteBuffer.allocateDirect(bytes);
    }

    @Override
    public long resultCapacity(int index) {
        return -1;
    }

    @Override
    public void reply() {
        replied = true;
    }

    @Override
    public void fail(AcceptStatus status) {
        failed = status;
    }

    @Override
    public void reject(AuthStatus status) {
        rejected = status;
    }

    @Override
    public void drop() {
        throw new AssertionError("every callback is answered");
    }
}
