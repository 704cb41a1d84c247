package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Close;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetAttr;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.PutFh;
import io.verbena.nfs41.PutRootFh;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Write;
import io.verbena.rpc.Credential;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A client that speaks to a server's program directly, one request at a time. */
class TestClient {
    static final Credential ROOT = new Credential.Sys(0, "test", 0, 0, List.of());
    static final ChannelAttributes WANTED = new ChannelAttributes(0, 2 << 20, 2 << 20, 4096, 32, 8, Optional.empty());

    private final NfsServer server;
    private final String owner;
    private Credential credential = ROOT;
    private Runnable onAllocate = () -> {};
    private long clientId;
    private SessionId session;
    private int slotSequence;
    private FakePeer peer = new FakePeer();
    private boolean callable;
    private int statusFlags;

    TestClient(NfsServer server, String owner) {
        this.server = server;
        this.owner = owner;
    }

    /** A client with a session that may open files. */
    static TestClient connected(NfsServer server, String owner) throws Exception {
        return new TestClient(server, owner).begun();
    }

    /** As {@link #connected}, with a back channel by {@link #peer}. */
    static TestClient callable(NfsServer server, String owner) throws Exception {
        return new TestClient(server, owner).callable().begun();
    }

    /** With a session, and nothing to reclaim. */
    final TestClient begun() throws Exception {
        connect(1);
        complete();
        return this;
    }

    /** As {@link #begun}, with a session that was made before. */
    final void begun(CreateSession.Result made) throws Exception {
        use(made);
        complete();
    }

    private void complete() throws Exception {
        inSession(out -> ReclaimComplete.encodeArgs(out, new ReclaimComplete.Args(false)))
                .expect(Opcode.RECLAIM_COMPLETE, Status.NFS4_OK);
    }

    final TestClient callable() {
        callable = true;
        return this;
    }

    /** The connection that it sends by. */
    FakePeer peer() {
        return peer;
    }

    /** From now on another connection is used. */
    void use(FakePeer connection) {
        peer = connection;
    }

    /** What the last SEQUENCE has told. */
    int statusFlags() {
        return statusFlags;
    }

    void connect(long verifier) throws Exception {
        ExchangeId.Result known = exchangeId(verifier, 0);
        clientId = known.clientId();
        use(createSession(known.sequenceId()));
    }

    private void use(CreateSession.Result made) {
        session = made.sessionId();
        slotSequence = 0;
    }

    TestClient as(int uid, int gid, Integer... groups) {
        credential = new Credential.Sys(0, "test", uid, gid, List.of(groups));
        return this;
    }

    /** From now on with a principal that RPCSEC_GSS has proved. */
    TestClient proved(String principal, int service) {
        credential = new Credential.Proved(6, principal, service);
        return this;
    }

    long clientId() {
        return clientId;
    }

    SessionId session() {
        return session;
    }

    ExchangeId.Args exchangeArgs(long verifier, int flags) {
        return new ExchangeId.Args(verifier, Opaque.of(owner), flags, StateProtection.NONE, Optional.empty());
    }

    ExchangeId.Result exchangeId(long verifier, int flags) throws Exception {
        Reply reply = send(out -> ExchangeId.encodeArgs(out, exchangeArgs(verifier, flags)));
        reply.expect(Opcode.EXCHANGE_ID, Status.NFS4_OK);
        return ExchangeId.decodeResult(reply.in);
    }

    CreateSession.Result createSession(int sequence) throws Exception {
        Reply reply = send(out -> CreateSession.encodeArgs(out, createArgs(sequence)));
        reply.expect(Opcode.CREATE_SESSION, Status.NFS4_OK);
        return CreateSession.decodeResult(reply.in);
    }

    CreateSession.Args createArgs(int sequence) {
        return callable
                ? new CreateSession.Args(
                        clientId,
                        sequence,
                        CreateSession.CONN_BACK_CHAN,
                        WANTED,
                        WANTED,
                        FakePeer.PROGRAM,
                        List.of(CallbackSecurity.NONE))
                : new CreateSession.Args(clientId, sequence, 0, WANTED, WANTED, 0, List.of());
    }

    void useClientId(long id) {
        clientId = id;
    }

    /** An operation's arguments, to be written. */
    @FunctionalInterface
    interface Op {
        void write(XdrWriter out);
    }

    /** An answered COMPOUND. */
    static final class Reply {
        final Compound.Result head;
        final XdrReader in;

        Reply(XdrReader in) throws Exception {
            this.in = in;
            this.head = Compound.decodeResult(in);
        }

        Status status() {
            return head.status();
        }

        Reply expect(int opcode, Status status) throws Exception {
            assertThat(Compound.decodeStatus(in, opcode))
                    .as(Opcode.name(opcode))
                    .isEqualTo(status);
            return this;
        }

        Reply ok(int... opcodes) throws Exception {
            for (int opcode : opcodes) {
                expect(opcode, Status.NFS4_OK);
            }
            return this;
        }
    }

    /** Operations without a session. */
    final Reply send(Op... operations) throws Exception {
        return submit(new long[0], operations);
    }

    /** As {@link #send}, with data by Read chunks. */
    final Reply sendReduced(Op... operations) throws Exception {
        XdrWriter out = new XdrWriter();
        Compound.encodeArgs(out, new Compound.Args("test", 1, operations.length));
        for (Op operation : operations) {
            operation.write(out);
        }
        FakeRequest request = FakeRequest.reduced(credential, out).by(peer);
        server.handle(request);
        return new Reply(request.answer().get(30, TimeUnit.SECONDS));
    }

    private Reply submit(long[] capacities, Op... operations) throws Exception {
        XdrWriter out = new XdrWriter();
        Compound.encodeArgs(out, new Compound.Args("test", 1, operations.length));
        for (Op operation : operations) {
            operation.write(out);
        }
        XdrReader answer = exchange(credential, out, capacities);
        return new Reply(answer);
    }

    /** Sends a COMPOUND's arguments, and awaits its results. */
    XdrReader exchange(Credential as, XdrWriter arguments, long[] capacities) throws Exception {
        FakeRequest request = FakeRequest.compound(as, arguments, capacities).by(peer);
        request.onAllocate(onAllocate);
        server.handle(request);
        XdrReader answer = request.answer().get(30, TimeUnit.SECONDS);
        assertThat(request.outcome()).isEqualTo("SUCCESS");
        return answer;
    }

    /** What happens from now on when the server asks for room for a result. */
    final void onAllocate(Runnable action) {
        onAllocate = action;
    }

    /** Operations behind a SEQUENCE in slot 0, whose result is read already. */
    final Reply inSession(Op... operations) throws Exception {
        return withCapacity(new long[0], operations);
    }

    /** As {@link #inSession}, with room in chunks for results. */
    final Reply withCapacity(long[] capacities, Op... operations) throws Exception {
        List<Op> all = new ArrayList<>();
        slotSequence++;
        all.add(sequence(slotSequence, 0, false));
        all.addAll(List.of(operations));
        Reply reply = submit(capacities, all.toArray(new Op[0]));
        reply.expect(Opcode.SEQUENCE, Status.NFS4_OK);
        statusFlags = Sequence.decodeResult(reply.in).statusFlags();
        return reply;
    }

    /** A SEQUENCE as given. */
    Op sequence(int sequence, int slot, boolean cache) {
        return out -> Sequence.encodeArgs(out, new Sequence.Args(session, sequence, slot, 7, cache));
    }

    static Op root() {
        return PutRootFh::encodeArgs;
    }

    static Op fh(FileHandle handle) {
        return out -> PutFh.encodeArgs(out, new PutFh.Args(handle));
    }

    static Op look(String name) {
        return out -> Lookup.encodeArgs(out, new Lookup.Args(name));
    }

    static Op getFh() {
        return GetFh::encodeArgs;
    }

    static Op attributes(Attribute<?>... wanted) {
        return out -> GetAttr.encodeArgs(out, new GetAttr.Args(AttributeMask.of(wanted)));
    }

    Op open(String name, int access, int deny, OpenHow how) {
        return open(owner, name, access, deny, how);
    }

    Op open(String openOwner, String name, int access, int deny, OpenHow how) {
        return out -> Open.encodeArgs(
                out,
                new Open.Args(
                        0,
                        access,
                        deny,
                        new StateOwner(clientId, Opaque.of(openOwner)),
                        how,
                        new OpenClaim.Null(name)));
    }

    static OpenHow unchecked(int mode) {
        return new OpenHow.Unchecked(
                Attributes.builder().put(Attribute.MODE, mode).build());
    }

    /** The handle of a path below the root. */
    FileHandle handle(String... names) throws Exception {
        List<Op> all = new ArrayList<>();
        all.add(root());
        for (String name : names) {
            all.add(look(name));
        }
        all.add(getFh());
        Reply reply = inSession(all.toArray(new Op[0]));
        reply.ok(Opcode.PUTROOTFH);
        for (int i = 0; i < names.length; i++) {
            reply.ok(Opcode.LOOKUP);
        }
        reply.ok(Opcode.GETFH);
        return GetFh.decodeResult(reply.in).object();
    }

    /** An open file. */
    record Opened(StateId stateId, FileHandle handle) {}

    Opened opened(String name, int access, int deny, OpenHow how) throws Exception {
        Reply reply = inSession(root(), open(name, access, deny, how), getFh());
        reply.ok(Opcode.PUTROOTFH, Opcode.OPEN);
        Open.Result result = Open.decodeResult(reply.in);
        reply.ok(Opcode.GETFH);
        return new Opened(result.stateId(), GetFh.decodeResult(reply.in).object());
    }

    Status statusOfOpen(String name, int access, int deny, OpenHow how) throws Exception {
        return inSession(root(), open(name, access, deny, how)).status();
    }

    Write.Result write(Opened file, long offset, String text, StableHow stable) throws Exception {
        ByteBuffer data = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        Reply reply = inSession(
                fh(file.handle), out -> Write.encodeArgs(out, new Write.Args(file.stateId, offset, stable, data)));
        reply.ok(Opcode.PUTFH, Opcode.WRITE);
        return Write.decodeResult(reply.in);
    }

    String read(Opened file, long offset, int count) throws Exception {
        Reply reply =
                inSession(fh(file.handle), out -> Read.encodeArgs(out, new Read.Args(file.stateId, offset, count)));
        reply.ok(Opcode.PUTFH, Opcode.READ);
        return StandardCharsets.UTF_8.decode(Read.decodeResult(reply.in).data()).toString();
    }

    Status close(Opened file) throws Exception {
        return inSession(fh(file.handle), out -> Close.encodeArgs(out, new Close.Args(0, file.stateId)))
                .status();
    }

    Attributes attributesOf(FileHandle handle, Attribute<?>... wanted) throws Exception {
        Reply reply = inSession(fh(handle), attributes(wanted));
        reply.ok(Opcode.PUTFH, Opcode.GETATTR);
        return GetAttr.decodeResult(reply.in).attributes();
    }

    Status setAttributes(FileHandle handle, Attributes attributes) throws Exception {
        return inSession(fh(handle), out -> SetAttr.encodeArgs(out, new SetAttr.Args(StateId.ANONYMOUS, attributes)))
                .status();
    }
}
