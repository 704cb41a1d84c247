package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.BackchannelCtl;
import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.BindConnToSession.Direction;
import io.verbena.nfs41.BindConnToSession.Wish;
import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.DestroySession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcRejectedException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections bound to sessions, and callbacks by them. */
class BackChannelTest extends DelegationFixture {
    private static final int DOWN = Sequence.CB_PATH_DOWN | Sequence.CB_PATH_DOWN_SESSION;

    static Reply bind(TestClient by, FakePeer peer, Wish wish) throws Exception {
        FakePeer before = by.peer();
        by.use(peer);
        Reply reply =
                by.send(out -> BindConnToSession.encodeArgs(out, new BindConnToSession.Args(by.session(), wish, true)));
        by.use(before);
        return reply;
    }

    private static String bound(TestClient by, FakePeer peer, Wish wish) throws Exception {
        Reply reply = bind(by, peer, wish);
        if (!reply.status().isOk()) {
            return reply.status().name();
        }
        reply.ok(Opcode.BIND_CONN_TO_SESSION);
        BindConnToSession.Result result = BindConnToSession.decodeResult(reply.in);
        assertThat(result.sessionId()).isEqualTo(by.session());
        assertThat(result.rdmaMode()).isFalse();
        return result.direction().name();
    }

    /** A file is delegated to the holder, and the other has asked for it. */
    private Granted recalled() throws Exception {
        Granted granted = open(holder, "file", READ);
        assertThat(other.statusOfOpen("file", WRITE, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        return granted;
    }

    private int flags(TestClient of) throws Exception {
        of.inSession(root());
        return of.statusFlags();
    }

    @ParameterizedTest
    @CsvSource({
        "FORE, FORE, FORE",
        "FORE, BACK, NFS4ERR_INVAL",
        "FORE, FORE_OR_BOTH, FORE",
        "FORE, BACK_OR_BOTH, NFS4ERR_INVAL",
        "BACK, FORE, NFS4ERR_INVAL",
        "BACK, BACK, BACK",
        "BACK, FORE_OR_BOTH, NFS4ERR_INVAL",
        "BACK, BACK_OR_BOTH, BACK",
        "FORE_OR_BOTH, FORE, NFS4ERR_INVAL",
        "FORE_OR_BOTH, BACK, NFS4ERR_INVAL",
        "FORE_OR_BOTH, FORE_OR_BOTH, BOTH",
        "BACK_OR_BOTH, BACK_OR_BOTH, BOTH",
    })
    void shouldBindAConnectionOnce(Wish first, Wish then, String expected) throws Exception {
        FakePeer peer = new FakePeer();
        assertThat(bound(holder, peer, first))
                .isEqualTo(first == Wish.FORE_OR_BOTH || first == Wish.BACK_OR_BOTH ? "BOTH" : first.name());
        assertThat(bound(holder, peer, then)).isEqualTo(expected);
    }

    @Test
    void shouldNotBindBackwardsWhereNoCredentialServes() throws Exception {
        FakePeer peer = new FakePeer();
        assertThat(bound(client, peer, Wish.BACK)).isEqualTo("NFS4ERR_INVAL");
        assertThat(bound(client, peer, Wish.BACK_OR_BOTH)).isEqualTo("NFS4ERR_INVAL");
        assertThat(bound(client, peer, Wish.FORE_OR_BOTH)).isEqualTo(Direction.FORE.name());
    }

    @Test
    @Proves("BI-3.2-1")
    @DisplayName("CREATE_SESSION tells whether its connection takes callbacks")
    void shouldTellWhetherItCallsBack() throws Exception {
        TestClient fresh = new TestClient(server, "fresh").callable();
        ExchangeId.Result known = fresh.exchangeId(1, 0);
        fresh.useClientId(known.clientId());
        assertThat(fresh.createSession(known.sequenceId()).flags()).isEqualTo(CreateSession.CONN_BACK_CHAN);
        TestClient mute = new TestClient(server, "mute");
        known = mute.exchangeId(1, 0);
        mute.useClientId(known.clientId());
        assertThat(mute.createSession(known.sequenceId()).flags()).isZero();
    }

    @Test
    @Proves({"V1-8.3.1-1", "BI-6-1"})
    @DisplayName("nobody is called by a connection that was not bound to the back channel")
    void shouldCallOnlyByConnectionsThatWereBoundForIt() throws Exception {
        FakePeer bound = holder.peer();
        FakePeer forward = new FakePeer();
        bind(holder, forward, Wish.FORE);
        holder.use(new FakePeer());
        recalled();
        bound.take().lose();
        assertThat(flags(holder)).isEqualTo(DOWN);
        assertThat(forward.wasCalled()).isFalse();
        assertThat(holder.peer().wasCalled()).isFalse();
    }

    @Test
    @Proves("BI-5.4-1")
    @DisplayName("a call that is lost with its connection is made again when the client has come back")
    void shouldSendAgainByTheNextConnectionWhatWasLostWithTheLast() throws Exception {
        FakePeer first = holder.peer();
        Granted granted = recalled();
        FakePeer.Received lost = first.take();
        lost.lose();
        server.disconnected(first);
        assertThat(flags(holder)).isEqualTo(DOWN);
        assertThat(flags(other)).isZero();
        FakePeer second = new FakePeer();
        assertThat(bound(holder, second, Wish.FORE_OR_BOTH)).isEqualTo("BOTH");
        FakePeer.Received again = second.take();
        assertThat(again.sequence).isEqualTo(lost.sequence);
        assertThat(again.recall).isEqualTo(lost.recall);
        again.answer(Status.NFS4_OK);
        assertThat(flags(holder)).isZero();
        assertThat(giveBack(holder, granted)).isEqualTo(Status.NFS4_OK);
        assertThat(other.statusOfOpen("file", WRITE, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
        assertThat(first.wasCalled()).isFalse();
    }

    @Test
    void shouldGoOnByTheOtherConnectionAtOnce() throws Exception {
        FakePeer first = holder.peer();
        FakePeer second = new FakePeer();
        bind(holder, second, Wish.BACK);
        recalled();
        FakePeer.Received lost = second.take();
        lost.lose();
        assertThat(first.take().sequence).isEqualTo(lost.sequence);
        assertThat(flags(holder)).isZero();
    }

    /** The server does not know that the connection before is lost, as no packet tells of that. */
    @Test
    void shouldCallByTheConnectionThatWasBoundLast() throws Exception {
        FakePeer first = holder.peer();
        FakePeer second = new FakePeer();
        bind(holder, second, Wish.FORE_OR_BOTH);
        recalled();
        second.take().answer(Status.NFS4_OK);
        assertThat(flags(holder)).isZero();
        assertThat(first.wasCalled()).isFalse();
        assertThat(first.isDisconnected()).isFalse();
    }

    @Test
    void shouldEndASilentConnectionAndSendAgainWhereTheClientHasBoundAnother() throws Exception {
        FakePeer first = holder.peer();
        recalled();
        FakePeer.Received silent = first.take();
        FakePeer second = new FakePeer();
        bind(holder, second, Wish.FORE_OR_BOTH);
        first.awaitDisconnected();
        assertThat(second.wasCalled())
                .as("a callback by two connections at once")
                .isFalse();
        silent.lose();
        FakePeer.Received again = second.take();
        assertThat(again.sequence).isEqualTo(silent.sequence);
        assertThat(again.recall).isEqualTo(silent.recall);
        again.answer(Status.NFS4_OK);
        assertThat(flags(holder)).isZero();
    }

    @Test
    void shouldCallAnotherSessionWhereOneHasEnded() throws Exception {
        FakePeer first = holder.peer();
        Granted granted = recalled();
        FakePeer.Received lost = first.take();
        holder.send(out -> DestroySession.encodeArgs(out, new DestroySession.Args(holder.session())));
        FakePeer second = new FakePeer();
        holder.use(second);
        holder.connect(1);
        FakePeer.Received again = second.take();
        assertThat(again.sequence.sessionId()).isEqualTo(holder.session());
        assertThat(again.sequence.sequenceId()).isEqualTo(1);
        assertThat(again.recall).isEqualTo(lost.recall);
        lost.lose();
        again.answer(Status.NFS4_OK);
        assertThat(giveBack(holder, granted)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldRecallWhenTheClientCanBeCalledAgain() throws Exception {
        Granted granted = open(holder, "file", READ);
        server.disconnected(holder.peer());
        assertThat(other.statusOfOpen("file", WRITE, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        FakePeer second = new FakePeer();
        bind(holder, second, Wish.BACK_OR_BOTH);
        assertThat(second.take().recall.stateId()).isEqualTo(granted.delegated());
    }

    @Test
    void shouldBindTheConnectionThatAsksForTheReplyAgain() throws Exception {
        TestClient fresh = new TestClient(server, "fresh").callable();
        ExchangeId.Result known = fresh.exchangeId(1, 0);
        fresh.useClientId(known.clientId());
        fresh.createSession(known.sequenceId());
        server.disconnected(fresh.peer());
        FakePeer second = new FakePeer();
        fresh.use(second);
        fresh.begun(fresh.createSession(known.sequenceId()));
        open(fresh, "file", READ);
        assertThat(other.statusOfOpen("file", WRITE, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(second.take().sequence.sessionId()).isEqualTo(fresh.session());
    }

    @Test
    @Proves("BI-6-1")
    @DisplayName("the client is called only when it has been told what its connection was bound for")
    void shouldCallBehindTheAnswerThatBindsTheConnection() throws Exception {
        recalled();
        holder.peer().take().lose();
        FakePeer second = new FakePeer();
        bind(holder, second, Wish.BACK);
        FakePeer.Received again = second.take();
        assertThat(again.isBeforeAnAnswer).isFalse();
        again.lose();
        holder.send(out -> DestroySession.encodeArgs(out, new DestroySession.Args(holder.session())));
        FakePeer third = new FakePeer();
        holder.use(third);
        holder.connect(1);
        assertThat(third.take().isBeforeAnAnswer).isFalse();
    }

    @Test
    void shouldTakeNoConnectionThatRefusesCallbacks() throws Exception {
        FakePeer first = holder.peer();
        recalled();
        FakePeer.Received refused = first.take();
        refused.fail(new RpcRejectedException(RpcRejectedException.Reason.PROG_UNAVAIL, "no such program"));
        assertThat(flags(holder)).isEqualTo(DOWN);
        assertThat(bound(holder, first, Wish.FORE_OR_BOTH)).isEqualTo("BOTH");
        assertThat(first.take().sequence.sequenceId()).isEqualTo(refused.sequence.sequenceId());
    }

    @Test
    void shouldTellThatABackChannelIsOfNoUseAnyMore() throws Exception {
        recalled();
        holder.peer().take().fail(new CallTimedOutException("no answer", true));
        assertThat(flags(holder)).isEqualTo(Sequence.BACKCHANNEL_FAULT | Sequence.CB_PATH_DOWN);
        FakePeer second = new FakePeer();
        holder.use(second);
        holder.connect(1);
        assertThat(second.take().sequence.sequenceId()).isEqualTo(1);
        assertThat(flags(holder)).isZero();
    }

    @Test
    void shouldNotTrustAnswersOfOtherSlots() throws Exception {
        recalled();
        holder.peer().take().answer(Status.NFS4_OK, 3, 15);
        assertThat(flags(holder)).isEqualTo(Sequence.BACKCHANNEL_FAULT | Sequence.CB_PATH_DOWN);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldNotTrustSuccessWithoutAllResults(int operations) throws Exception {
        recalled();
        holder.peer().take().answerInPart(operations);
        assertThat(flags(holder)).isEqualTo(Sequence.BACKCHANNEL_FAULT | Sequence.CB_PATH_DOWN);
    }

    @Test
    void shouldGiveTheNumberAgainThatTheClientHasNotTakenNoteOf() throws Exception {
        recalled();
        FakePeer.Received busy = holder.peer().take();
        busy.refuse(Status.NFS4ERR_DELAY);
        pass(Duration.ofSeconds(1));
        assertThat(other.statusOfOpen("file", WRITE, 0, EXISTING)).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(holder.peer().take().sequence).isEqualTo(busy.sequence);
    }

    @Test
    @DisplayName("what a client that is busy may have executed is asked again in its slot")
    void shouldKeepTheSlotOfWhatTheClientMayBeDoing() throws Exception {
        FakePeer first = holder.peer();
        recalled();
        FakePeer.Received lost = first.take();
        lost.lose();
        FakePeer second = new FakePeer();
        bind(holder, second, Wish.FORE_OR_BOTH);
        second.take().refuse(Status.NFS4ERR_DELAY);
        FakePeer.Received again = second.take();
        assertThat(again.sequence).isEqualTo(lost.sequence);
        assertThat(again.recall).isEqualTo(lost.recall);
        again.answer(Status.NFS4_OK);
        assertThat(flags(holder)).isZero();
    }

    @Test
    void shouldUseNoMoreSlotsThanTheClientWishes() throws Exception {
        open(holder, "file", READ);
        open(holder, "another", READ);
        other.statusOfOpen("file", WRITE, 0, EXISTING);
        holder.peer().take().answer(Status.NFS4ERR_DELAY, 0, 0);
        pass(Duration.ofSeconds(1));
        other.statusOfOpen("file", WRITE, 0, EXISTING);
        other.statusOfOpen("another", WRITE, 0, EXISTING);
        FakePeer.Received first = holder.peer().take();
        first.answer(Status.NFS4_OK, 0, 0);
        FakePeer.Received second = holder.peer().take();
        assertThat(second.sequence.slotId()).isZero();
        assertThat(second.sequence.sequenceId()).isEqualTo(3);
    }

    @Test
    @Proves("BI-8-1")
    @DisplayName("callbacks have the credential that the client asked for")
    void shouldCallAsTheClientHasAskedLast() throws Exception {
        CallbackSecurity sys = new CallbackSecurity(
                SecurityFlavor.AUTH_SYS, new CallbackSecurity.SysParameters(7, "host", 1, 2, List.of(3)));
        assertThat(control(5, List.of())).isEqualTo(Status.NFS4ERR_INVAL);
        assertThat(control(5, List.of(sys, CallbackSecurity.NONE))).isEqualTo(Status.NFS4_OK);
        recalled();
        FakePeer.Received call = holder.peer().take();
        assertThat(call.header.program()).isEqualTo(5);
        assertThat(call.header.credential()).isEqualTo(new Credential.Sys(7, "host", 1, 2, List.of(3)));
    }

    private Status control(int program, List<CallbackSecurity> security) throws Exception {
        return holder.inSession(out -> BackchannelCtl.encodeArgs(out, new BackchannelCtl.Args(program, security)))
                .status();
    }
}
