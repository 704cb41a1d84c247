package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.getFh;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.DestroyClientId;
import io.verbena.nfs41.DestroySession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SessionTest extends ServerFixture {
    private static Op mkdir(String name) {
        return out -> Create.encodeArgs(
                out,
                Create.directory(
                        name, Attributes.builder().put(Attribute.MODE, 0755).build()));
    }

    private TestClient fresh() throws Exception {
        TestClient fresh = new TestClient(server, "fresh");
        fresh.connect(1);
        return fresh;
    }

    @Test
    void shouldAnswerNull() throws Exception {
        FakeRequest request = new FakeRequest(Credential.none(), Compound.PROC_NULL, new XdrWriter());
        server.handle(request);
        assertThat(request.outcome()).isEqualTo("SUCCESS");
        assertThat(request.results().position()).isZero();
    }

    @Test
    void shouldRefuseOtherMinorVersions() throws Exception {
        XdrWriter out = new XdrWriter();
        Compound.encodeArgs(out, new Compound.Args("tag", 2, 1));
        root().write(out);
        FakeRequest request = FakeRequest.compound(TestClient.ROOT, out);
        server.handle(request);
        XdrReader answer = request.answer().get(5, TimeUnit.SECONDS);
        assertThat(Compound.decodeResult(answer))
                .isEqualTo(new Compound.Result(Status.NFS4ERR_MINOR_VERS_MISMATCH, "tag", 0));
    }

    @Test
    void shouldAnswerUnknownOperationsAsIllegalAndObsoleteOnesAsNotSupported() throws Exception {
        client.inSession(out -> out.putInt(59)).expect(Opcode.ILLEGAL, Status.NFS4ERR_OP_ILLEGAL);
        client.inSession(out -> out.putInt(Opcode.RENEW)).expect(Opcode.RENEW, Status.NFS4ERR_NOTSUPP);
    }

    @Test
    void shouldWantSequenceFirstAndOnlyThere() throws Exception {
        assertThat(client.send(root()).status()).isEqualTo(Status.NFS4ERR_OP_NOT_IN_SESSION);
        assertThat(client.inSession(client.sequence(9, 1, false)).status()).isEqualTo(Status.NFS4ERR_SEQUENCE_POS);
        Op exchange = out -> ExchangeId.encodeArgs(out, client.exchangeArgs(1, 0));
        assertThat(client.send(exchange, exchange).status()).isEqualTo(Status.NFS4ERR_NOT_ONLY_OP);
    }

    @Test
    void shouldExecuteARequestOnceAndAnswerItsRetryFromTheCache() throws Exception {
        TestClient fresh = fresh();
        Reply first = fresh.send(fresh.sequence(1, 0, true), root(), mkdir("once"), getFh());
        assertThat(first.status()).isEqualTo(Status.NFS4_OK);
        Files.delete(directory.resolve("once"));
        Reply retry = fresh.send(fresh.sequence(1, 0, true), root(), mkdir("once"), getFh());
        assertThat(retry.status()).isEqualTo(Status.NFS4_OK);
        assertThat(retry.head.operations()).isEqualTo(4);
        assertThat(retry.in.remaining()).isEqualTo(first.in.remaining());
        assertThat(directory.resolve("once")).doesNotExist();
    }

    @Test
    void shouldRefuseRetriesOfRequestsThatWereNotCached() throws Exception {
        TestClient fresh = fresh();
        fresh.send(fresh.sequence(1, 0, false), root());
        Reply retry = fresh.send(fresh.sequence(1, 0, false), root());
        retry.ok(Opcode.SEQUENCE);
        Sequence.decodeResult(retry.in);
        retry.expect(Opcode.PUTROOTFH, Status.NFS4ERR_RETRY_UNCACHED_REP);
    }

    @Test
    void shouldCacheALoneSequenceWhateverIsAsked() throws Exception {
        TestClient fresh = fresh();
        fresh.send(fresh.sequence(1, 0, false));
        assertThat(fresh.send(fresh.sequence(1, 0, false)).status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldKnowARetryWhoseDataComesAnotherWay() throws Exception {
        TestClient fresh = fresh();
        Op write = out -> Write.encodeArgs(
                out, new Write.Args(StateId.ANONYMOUS, 0, StableHow.FILE_SYNC4, ByteBuffer.allocate(1634)));
        Status inline = fresh.send(fresh.sequence(1, 0, true), root(), write).status();
        Status byChunk =
                fresh.sendReduced(fresh.sequence(1, 0, true), root(), write).status();
        assertThat(inline).isEqualTo(Status.NFS4ERR_ISDIR);
        assertThat(byChunk).as("the kept reply").isEqualTo(inline);

        Status first =
                fresh.sendReduced(fresh.sequence(2, 0, true), root(), write).status();
        assertThat(fresh.send(fresh.sequence(2, 0, true), root(), write).status())
                .as("and the other way round")
                .isEqualTo(first);
    }

    @Test
    void shouldTellMisorderedRequestsFalseRetriesAndBadSlots() throws Exception {
        TestClient fresh = fresh();
        assertThat(fresh.send(fresh.sequence(0, 0, true)).status()).isEqualTo(Status.NFS4ERR_SEQ_MISORDERED);
        assertThat(fresh.send(fresh.sequence(2, 0, true)).status()).isEqualTo(Status.NFS4ERR_SEQ_MISORDERED);
        fresh.send(fresh.sequence(1, 0, true), root());
        assertThat(fresh.send(fresh.sequence(1, 0, true), root(), getFh()).status())
                .isEqualTo(Status.NFS4ERR_SEQ_FALSE_RETRY);
        assertThat(fresh.send(fresh.sequence(1, 8, true)).status()).isEqualTo(Status.NFS4ERR_BADSLOT);
        assertThat(fresh.send(highest(fresh, 8)).status()).isEqualTo(Status.NFS4ERR_BAD_HIGH_SLOT);
        assertThat(fresh.send(fresh.sequence(2, 0, true), root()).status()).isEqualTo(Status.NFS4_OK);
    }

    private static Op highest(TestClient of, int highest) {
        return out -> Sequence.encodeArgs(out, new Sequence.Args(of.session(), 1, 1, highest, true));
    }

    @Test
    void shouldRefuseUnknownSessionsAndLongCompounds() throws Exception {
        Reply unknown =
                client.send(out -> Sequence.encodeArgs(out, new Sequence.Args(new SessionId(1, 2), 1, 0, 0, false)));
        assertThat(unknown.status()).isEqualTo(Status.NFS4ERR_BADSESSION);
        Op[] many = new Op[33];
        Arrays.fill(many, root());
        many[0] = client.sequence(50, 0, false);
        assertThat(client.send(many).status()).isEqualTo(Status.NFS4ERR_TOO_MANY_OPS);
    }

    @Test
    void shouldReplayCreateSessionAndRefuseMisorderedOnes() throws Exception {
        TestClient fresh = new TestClient(server, "fresh");
        ExchangeId.Result known = fresh.exchangeId(1, 0);
        fresh.useClientId(known.clientId());
        CreateSession.Result made = fresh.createSession(known.sequenceId());
        assertThat(fresh.createSession(known.sequenceId())).isEqualTo(made);
        Reply misordered = fresh.send(out -> CreateSession.encodeArgs(out, fresh.createArgs(known.sequenceId() + 2)));
        assertThat(misordered.status()).isEqualTo(Status.NFS4ERR_SEQ_MISORDERED);
        fresh.useClientId(99);
        assertThat(fresh.send(out -> CreateSession.encodeArgs(out, fresh.createArgs(1)))
                        .status())
                .isEqualTo(Status.NFS4ERR_STALE_CLIENTID);
    }

    @Test
    void shouldKnowAConfirmedClientAgain() throws Exception {
        ExchangeId.Result again = client.exchangeId(1, 0);
        assertThat(again.clientId()).isEqualTo(client.clientId());
        assertThat(again.flags() & ExchangeId.CONFIRMED_R).isNotZero();
        assertThat(again.flags() & ExchangeId.USE_NON_PNFS).isNotZero();
        ExchangeId.Result updated = client.exchangeId(1, ExchangeId.UPD_CONFIRMED_REC_A);
        assertThat(updated.clientId()).isEqualTo(client.clientId());
    }

    @Test
    void shouldReplaceAnUnconfirmedClient() throws Exception {
        TestClient fresh = new TestClient(server, "fresh");
        ExchangeId.Result first = fresh.exchangeId(1, 0);
        ExchangeId.Result second = fresh.exchangeId(1, 0);
        assertThat(second.clientId()).isNotEqualTo(first.clientId());
        assertThat(second.flags() & ExchangeId.CONFIRMED_R).isZero();
        fresh.useClientId(first.clientId());
        assertThat(fresh.send(out -> CreateSession.encodeArgs(out, fresh.createArgs(1)))
                        .status())
                .isEqualTo(Status.NFS4ERR_STALE_CLIENTID);
    }

    @Test
    void shouldKeepAClientsStateUntilItsNewIncarnationIsConfirmed() throws Exception {
        SessionId old = client.session();
        TestClient rebooted = new TestClient(server, "first");
        ExchangeId.Result known = rebooted.exchangeId(2, 0);
        assertThat(known.clientId()).isNotEqualTo(client.clientId());
        assertThat(client.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        rebooted.useClientId(known.clientId());
        rebooted.createSession(known.sequenceId());
        assertThat(client.send(out -> Sequence.encodeArgs(out, new Sequence.Args(old, 9, 0, 0, false)))
                        .status())
                .isEqualTo(Status.NFS4ERR_BADSESSION);
    }

    @Test
    void shouldRefuseUpdatesOfWhatIsNotConfirmedOrNotTheSame() throws Exception {
        int update = ExchangeId.UPD_CONFIRMED_REC_A;
        TestClient fresh = new TestClient(server, "fresh");
        assertThat(fresh.send(out -> ExchangeId.encodeArgs(out, fresh.exchangeArgs(1, update)))
                        .status())
                .isEqualTo(Status.NFS4ERR_NOENT);
        assertThat(client.send(out -> ExchangeId.encodeArgs(out, client.exchangeArgs(2, update)))
                        .status())
                .isEqualTo(Status.NFS4ERR_NOT_SAME);
        client.as(1000, 1000);
        assertThat(client.send(out -> ExchangeId.encodeArgs(out, client.exchangeArgs(1, update)))
                        .status())
                .isEqualTo(Status.NFS4ERR_PERM);
    }

    @Test
    void shouldNotLetAnotherPrincipalTakeAClientWithState() throws Exception {
        client.opened("file", 3, 0, TestClient.unchecked(0644));
        TestClient thief = new TestClient(server, "first").as(1000, 1000);
        assertThat(thief.send(out -> ExchangeId.encodeArgs(out, thief.exchangeArgs(5, 0)))
                        .status())
                .isEqualTo(Status.NFS4ERR_CLID_INUSE);
    }

    @Test
    void shouldForgetClientsWhoseLeaseHasRunOut() throws Exception {
        TestClient.Opened file = client.opened("file", 3, 0, TestClient.unchecked(0644));
        clock.addAndGet(Duration.ofSeconds(89).toNanos());
        assertThat(client.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        clock.addAndGet(Duration.ofSeconds(89).toNanos());
        server.expireLeases();
        assertThat(client.read(file, 0, 1)).isEmpty();
        clock.addAndGet(Duration.ofSeconds(91).toNanos());
        server.expireLeases();
        assertThat(client.send(client.sequence(99, 0, false)).status()).isEqualTo(Status.NFS4ERR_BADSESSION);
        assertThat(server.counters()).containsEntry("clients", 0L).containsEntry("openStates", 0L);
    }

    @Test
    void shouldBindDestroyAndForget() throws Exception {
        Reply bound = client.send(out -> BindConnToSession.encodeArgs(
                out, new BindConnToSession.Args(client.session(), BindConnToSession.Wish.FORE_OR_BOTH, false)));
        bound.ok(Opcode.BIND_CONN_TO_SESSION);
        assertThat(BindConnToSession.decodeResult(bound.in).direction()).isEqualTo(BindConnToSession.Direction.FORE);
        Op destroyClient = out -> DestroyClientId.encodeArgs(out, new DestroyClientId.Args(client.clientId()));
        assertThat(client.send(destroyClient).status()).isEqualTo(Status.NFS4ERR_CLIENTID_BUSY);
        assertThat(client.send(out -> DestroySession.encodeArgs(out, new DestroySession.Args(client.session())))
                        .status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(client.send(destroyClient).status()).isEqualTo(Status.NFS4_OK);
        assertThat(client.send(destroyClient).status()).isEqualTo(Status.NFS4ERR_STALE_CLIENTID);
    }

    @Test
    void shouldTakeReclaimCompleteOnceAndWantItBeforeOpens() throws Exception {
        Op complete = out -> ReclaimComplete.encodeArgs(out, new ReclaimComplete.Args(false));
        assertThat(client.inSession(complete).status()).isEqualTo(Status.NFS4ERR_COMPLETE_ALREADY);
        TestClient fresh = fresh();
        assertThat(fresh.statusOfOpen("file", 1, 0, TestClient.unchecked(0644))).isEqualTo(Status.NFS4ERR_GRACE);
    }

    @Test
    void shouldRejectCredentialsOfUnknownFlavors() throws Exception {
        XdrWriter out = new XdrWriter();
        Compound.encodeArgs(out, new Compound.Args("", 1, 0));
        FakeRequest request = FakeRequest.compound(new Credential.Other(new OpaqueAuth(6, new byte[0])), out);
        server.handle(request);
        assertThat(request.outcome()).isEqualTo("AUTH_REJECTEDCRED");
    }

    @Test
    void shouldFreeTheSlotOfACompoundThatBreaksOff() throws Exception {
        TestClient fresh = fresh();
        XdrWriter out = new XdrWriter();
        Compound.encodeArgs(out, new Compound.Args("", 1, 2));
        fresh.sequence(1, 0, false).write(out);
        out.putInt(Opcode.LOOKUP);
        FakeRequest request = FakeRequest.compound(TestClient.ROOT, out);
        server.handle(request);
        assertThat(Compound.decodeResult(request.answer().get(5, TimeUnit.SECONDS))
                        .status())
                .isEqualTo(Status.NFS4ERR_BADXDR);
        assertThat(fresh.send(fresh.sequence(2, 0, false), root()).status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldRefuseRepliesThatAreTooBigForTheSessionOrItsCache() throws Exception {
        Files.write(directory.resolve("file"), new byte[8192]);
        TestClient.Opened file = client.opened("file", 1, 0, new OpenHow.NoCreate());
        Op read = out -> Read.encodeArgs(out, new Read.Args(file.stateId(), 0, 8192));
        assertThat(client.send(client.sequence(1, 5, true), TestClient.fh(file.handle()), read)
                        .status())
                .isEqualTo(Status.NFS4ERR_REP_TOO_BIG_TO_CACHE);
        assertThat(client.send(client.sequence(2, 5, false), TestClient.fh(file.handle()), read)
                        .status())
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldNotExecuteWhatItCouldNotAnswer() throws Exception {
        TestClient small = new TestClient(server, "small");
        ExchangeId.Result known = small.exchangeId(1, 0);
        small.useClientId(known.clientId());
        ChannelAttributes tiny = new ChannelAttributes(0, 4096, 512, 200, 8, 1, Optional.empty());
        CreateSession.Args args =
                new CreateSession.Args(known.clientId(), known.sequenceId(), 0, tiny, tiny, 0, List.of());
        Reply made = small.send(out -> CreateSession.encodeArgs(out, args));
        made.ok(Opcode.CREATE_SESSION);
        SessionId session = CreateSession.decodeResult(made.in).sessionId();
        Op sequence = out -> Sequence.encodeArgs(out, new Sequence.Args(session, 1, 0, 0, true));
        assertThat(small.send(sequence, root(), getFh(), mkdir("never")).status())
                .isEqualTo(Status.NFS4ERR_REP_TOO_BIG_TO_CACHE);
        assertThat(directory.resolve("never")).doesNotExist();
    }

    @Test
    @Proves("ULB-5.2.2-1")
    void shouldAnswerWithNoMoreThanTheSessionTakes() throws Exception {
        TestClient small = new TestClient(server, "small");
        ExchangeId.Result known = small.exchangeId(1, 0);
        small.useClientId(known.clientId());
        ChannelAttributes tiny = new ChannelAttributes(0, 4096, 512, 200, 32, 1, Optional.empty());
        CreateSession.Args args =
                new CreateSession.Args(known.clientId(), known.sequenceId(), 0, tiny, tiny, 0, List.of());
        Reply made = small.send(out -> CreateSession.encodeArgs(out, args));
        made.ok(Opcode.CREATE_SESSION);
        SessionId session = CreateSession.decodeResult(made.in).sessionId();
        Op[] operations = new Op[20];
        Arrays.fill(operations, getFh());
        operations[0] = out -> Sequence.encodeArgs(out, new Sequence.Args(session, 1, 0, 0, false));
        operations[1] = root();
        Reply reply = small.send(operations);
        assertThat(reply.status()).isEqualTo(Status.NFS4ERR_REP_TOO_BIG);
        int rpcHeader = 24;
        assertThat(rpcHeader + reply.in.position() + reply.in.remaining()).isLessThanOrEqualTo(512);
    }

    @Test
    void shouldRefuseSessionsThatAreTooSmall() throws Exception {
        TestClient small = new TestClient(server, "small");
        ExchangeId.Result known = small.exchangeId(1, 0);
        ChannelAttributes tiny = new ChannelAttributes(0, 100, 100, 0, 8, 1, Optional.empty());
        CreateSession.Args args =
                new CreateSession.Args(known.clientId(), known.sequenceId(), 0, tiny, tiny, 0, List.of());
        assertThat(small.send(out -> CreateSession.encodeArgs(out, args)).status())
                .isEqualTo(Status.NFS4ERR_TOOSMALL);
    }
}
