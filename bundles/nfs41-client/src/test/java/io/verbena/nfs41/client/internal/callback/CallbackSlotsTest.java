package io.verbena.nfs41.client.internal.callback;

import static io.verbena.nfs41.client.internal.callback.CallbackRequest.bare;
import static io.verbena.nfs41.client.internal.callback.CallbackRequest.compound;
import static io.verbena.nfs41.client.internal.callback.CallbackRequest.sequence;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbNotifyLock;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.session.Slot;
import io.verbena.nfs41.client.internal.session.SlotHolder;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What callbacks are answered slot by slot, within the limits that the session was made with. */
class CallbackSlotsTest extends CallbackFixture {
    @Test
    void shouldKnowNoOtherSession() throws Exception {
        assertThat(compound(sequence(new SessionId(5, 7), 1, 0), CallbackFixture::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(refused(Status.NFS4ERR_BADSESSION));
    }

    @Test
    @Proves("ULB-5.5.2-4")
    void shouldKeepToTheLimitsAgreedOn() throws Exception {
        Session small = session(new ChannelAttributes(0, 300, 4000, 200, 3, 1, Optional.empty()));
        CallbackProgram limited = program(small, USER);
        Consumer<XdrWriter> longOne = out ->
                CbNotifyLock.encodeArgs(out, new CbNotifyLock.Args(FILE, new StateOwner(0, Opaque.of(new byte[200]))));
        assertThat(compound(sequence(SESSION, 1, 0), longOne).by(limited).outcomes())
                .isEqualTo(refused(Status.NFS4ERR_REQ_TOO_BIG));
        assertThat(compound(sequence(SESSION, 1, 0), bare(6), bare(6), bare(6))
                        .by(limited)
                        .outcomes())
                .isEqualTo(refused(Status.NFS4ERR_TOO_MANY_OPS));
        assertThat(compound(sequence(SESSION, 1, 0, true), CallbackFixture::recall)
                        .by(limited)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_REP_TOO_BIG_TO_CACHE));
        assertThat(compound(sequence(SESSION, 2, 0), CallbackFixture::recall)
                        .by(limited)
                        .status())
                .isEqualTo(Status.NFS4_OK);
        CallbackProgram tight =
                program(session(new ChannelAttributes(0, 4000, 200, 4000, 3, 1, Optional.empty())), USER);
        assertThat(compound(sequence(SESSION, 1, 0), CallbackFixture::recall)
                        .by(tight)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_REP_TOO_BIG));
    }

    @Test
    @Proves("ULB-5.5.2-3")
    void shouldOfferNoMoreThanFitsInline() {
        int transportHeader = 28;
        assertThat(transportHeader + CallbackLimits.offer().maxRequestSize()).isLessThanOrEqualTo(4096);
        assertThat(transportHeader + CallbackLimits.offer().maxResponseSize()).isLessThanOrEqualTo(4096);
    }

    @Test
    void shouldGrantNoMoreThanItOffered() {
        CallbackLimits limits = CallbackLimits.of(new ChannelAttributes(0, -1, -1, -1, -1, -1, Optional.empty()));
        ChannelAttributes offer = CallbackLimits.offer();
        assertThat(limits)
                .isEqualTo(new CallbackLimits(
                        offer.maxRequestSize(),
                        offer.maxResponseSize(),
                        offer.maxResponseSizeCached(),
                        offer.maxOperations(),
                        offer.maxRequests()));
    }

    @Test
    void shouldTellItsSlots() throws Exception {
        XdrReader in = compound(sequence(SESSION, 1, 2)).by(program).answer();
        assertThat(Compound.decodeResult(in)).isEqualTo(new Compound.Result(Status.NFS4_OK, "tag", 1));
        assertThat(CbCompound.decodeStatus(in, Opcode.CB_SEQUENCE)).isEqualTo(Status.NFS4_OK);
        assertThat(CbSequence.decodeResult(in)).isEqualTo(new CbSequence.Result(SESSION, 1, 2, 3, 3));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldExecuteARepetitionOnce(boolean cacheThis) throws Exception {
        CallbackRequest first = compound(sequence(SESSION, 1, 0, cacheThis), CallbackFixture::recall)
                .by(program);
        recallStatus = Status.NFS4ERR_BAD_STATEID;
        CallbackRequest again = compound(sequence(SESSION, 1, 0, cacheThis), CallbackFixture::recall)
                .by(program);
        assertThat(again.results().toByteArray()).isEqualTo(first.results().toByteArray());
        assertThat(called).containsExactly("recall 3 true");
        assertThat(compound(sequence(SESSION, 2, 0), CallbackFixture::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_BAD_STATEID));
    }

    @Test
    void shouldSayOfARepetitionThatItsReplyWasTooLongToKeep() throws Exception {
        Session small = session(new ChannelAttributes(0, 4000, 4000, 64, 8, 1, Optional.empty()));
        CallbackProgram forgetful = program(small, USER);
        compound(sequence(SESSION, 1, 0), CallbackFixture::recall).by(forgetful);
        assertThat(compound(sequence(SESSION, 1, 0), CallbackFixture::recall)
                        .by(forgetful)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_RETRY_UNCACHED_REP));
        assertThat(called).hasSize(1);
        assertThat(compound(sequence(SESSION, 2, 0), CallbackFixture::recall)
                        .by(forgetful)
                        .status())
                .isEqualTo(Status.NFS4_OK);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, NFS4ERR_SEQ_MISORDERED",
        "3, 0, NFS4ERR_SEQ_MISORDERED",
        "-1, 0, NFS4ERR_SEQ_MISORDERED",
        "1, 0, NFS4ERR_SEQ_FALSE_RETRY",
        "0, 1, NFS4ERR_SEQ_MISORDERED",
        "1, 4, NFS4ERR_BADSLOT",
        "1, -1, NFS4ERR_BADSLOT"
    })
    void shouldRefuseWhatIsOutOfPlaceAndLeaveTheSlotAsItWas(int sequenceId, int slotId, Status expected)
            throws Exception {
        compound(sequence(SESSION, 1, 0)).by(program);
        assertThat(compound(sequence(SESSION, sequenceId, slotId), CallbackFixture::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(refused(expected));
        assertThat(called).isEmpty();
        assertThat(compound(sequence(SESSION, 2, 0), CallbackFixture::recall)
                        .by(program)
                        .status())
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldRefuseAHighestSlotBeyondItsOwn() throws Exception {
        Consumer<XdrWriter> high =
                out -> CbSequence.encodeArgs(out, new CbSequence.Args(SESSION, 1, 0, 4, false, List.of()));
        assertThat(compound(high).by(program).outcomes()).isEqualTo(refused(Status.NFS4ERR_BAD_HIGH_SLOT));
    }

    @Test
    void shouldPutOffWhatRefersToARequestWithoutReply() throws Exception {
        Slot open = SlotHolder.of(session.slots()).slot();
        CbSequence.ReferringCallList refers = new CbSequence.ReferringCallList(
                SESSION, List.of(new CbSequence.ReferringCall(open.sequenceId(), open.id())));
        CbSequence.ReferringCallList others =
                new CbSequence.ReferringCallList(new SessionId(8, 8), List.of(new CbSequence.ReferringCall(1, 0)));
        Consumer<XdrWriter> referring = out ->
                CbSequence.encodeArgs(out, new CbSequence.Args(SESSION, 1, 0, 0, false, List.of(others, refers)));
        assertThat(compound(referring, CallbackFixture::recall).by(program).outcomes())
                .isEqualTo(refused(Status.NFS4ERR_DELAY));
        assertThat(called).isEmpty();
        open.advance();
        session.slots().release(open);
        assertThat(compound(referring, CallbackFixture::recall).by(program).status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(called).containsExactly("recall 3 true");
    }
}
