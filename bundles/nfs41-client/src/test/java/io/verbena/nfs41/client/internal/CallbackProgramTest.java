package io.verbena.nfs41.client.internal;

import static io.verbena.nfs41.client.internal.CallbackRequest.bare;
import static io.verbena.nfs41.client.internal.CallbackRequest.compound;
import static io.verbena.nfs41.client.internal.CallbackRequest.sequence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbGetAttr;
import io.verbena.nfs41.CbLayoutRecall;
import io.verbena.nfs41.CbNotifyLock;
import io.verbena.nfs41.CbRecall;
import io.verbena.nfs41.CbRecallAny;
import io.verbena.nfs41.CbRecallSlot;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.CallbackRequest.Outcome;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What callbacks are answered: operation by operation, slot by slot. */
class CallbackProgramTest {
    private static final SessionId SESSION = new SessionId(5, 6);
    private static final FileHandle FILE = FileHandle.of((byte) 1);
    private static final StateId STATE = new StateId(1, 2, 3);
    private static final Credential.Sys USER = new Credential.Sys(0, "here", 10, 20, List.of(30));

    private final List<String> called = new ArrayList<>();
    private final LockWaiters locks = new LockWaiters();
    private final Session session = session(new ChannelAttributes(0, 4000, 4000, 4000, 8, 4, Optional.empty()));
    private Status recallStatus = Status.NFS4_OK;
    private Optional<Attributes> known = Optional.empty();
    private final CallbackProgram program = program(session, USER);

    private final class Recorder implements DelegationCallbacks {
        @Override
        public Status recall(FileHandle file, StateId delegation, boolean truncate) {
            called.add("recall " + delegation.otherLow() + " " + truncate);
            if (recallStatus == null) {
                throw new IllegalStateException("a failure of the holder's");
            }
            return recallStatus;
        }

        @Override
        public Optional<Attributes> attributes(FileHandle file, AttributeMask asked) {
            called.add("attributes");
            return known;
        }

        @Override
        public void recallAny(int keep, boolean reading, boolean writing) {
            called.add("any " + keep + " " + reading + " " + writing);
        }
    }

    private static Session session(ChannelAttributes back) {
        ChannelAttributes fore = new ChannelAttributes(0, 66_000, 66_000, 4096, 16, 4, Optional.empty());
        return new Session(new CreateSession.Result(SESSION, 1, CreateSession.CONN_BACK_CHAN, fore, back), 4);
    }

    private CallbackProgram program(Session only, Credential mount) {
        CallbackOperations operations =
                new CallbackOperations(new Recorder(), locks, () -> called.add("slots recalled"));
        return new CallbackProgram(
                new CallbackCredentials(mount), operations, id -> id.equals(only.id()) ? only : null);
    }

    private static void recall(XdrWriter out) {
        CbRecall.encodeArgs(out, new CbRecall.Args(STATE, true, FILE));
    }

    private static List<Outcome> failing(int opcode, Status status) {
        return List.of(Outcome.ok(Opcode.CB_SEQUENCE), new Outcome(opcode, status));
    }

    private static List<Outcome> refused(Status status) {
        return List.of(new Outcome(Opcode.CB_SEQUENCE, status));
    }

    @Test
    void shouldAnswerANullCallOfAnybody() throws Exception {
        CallbackRequest request =
                new CallbackRequest(CbCompound.PROC_NULL, new Credential.Unknown(6), new byte[0]).by(program);
        assertThat(request.isReplied()).isTrue();
        assertThat(program.lowVersion()).isEqualTo(1);
        assertThat(program.highVersion()).isEqualTo(1);
    }

    @Test
    void shouldHaveNoThirdProcedure() throws Exception {
        assertThat(new CallbackRequest(2, Credential.none(), new byte[0])
                        .by(program)
                        .failed())
                .isEqualTo(AcceptStatus.PROC_UNAVAIL);
    }

    @Test
    @Proves("BI-8-1")
    @DisplayName("A callback is taken under a credential that was announced for callbacks, and no other")
    void shouldTakeTheCredentialsItAnnounced() throws Exception {
        CallbackCredentials credentials = new CallbackCredentials(USER);
        assertThat(credentials.announced())
                .extracting(CallbackSecurity::flavor)
                .containsExactly(SecurityFlavor.AUTH_NONE, SecurityFlavor.AUTH_SYS);
        assertThat(credentials.announced().get(1).sys().uid()).isEqualTo(10);
        Credential server = new Credential.Sys(9, "server", 10, 20, List.of());
        for (Credential good : List.of(Credential.none(), server)) {
            assertThat(compound(good, 1).by(program).status()).isEqualTo(Status.NFS4_OK);
        }
        Credential root = new Credential.Sys(0, "here", 0, 0, List.of());
        for (Credential bad : List.of(root, new Credential.Unknown(6))) {
            CallbackRequest request = compound(bad, 1, sequence(SESSION, 1, 0), CallbackProgramTest::recall)
                    .by(program);
            assertThat(request.rejected()).isEqualTo(AuthStatus.AUTH_BADCRED);
        }
        assertThat(called).isEmpty();
    }

    @Test
    @Proves("BI-8-1")
    @DisplayName("A mount without credentials of its own announces AUTH_NONE for callbacks and takes nothing else")
    void shouldTakeNoUserWhereNoneWasAnnounced() throws Exception {
        assertThat(new CallbackCredentials(Credential.none()).announced()).containsExactly(CallbackSecurity.NONE);
        CallbackProgram anonymous = program(session, Credential.none());
        assertThat(compound(Credential.none(), 1).by(anonymous).status()).isEqualTo(Status.NFS4_OK);
        assertThat(compound(USER, 1).by(anonymous).rejected()).isEqualTo(AuthStatus.AUTH_BADCRED);
    }

    @Test
    void shouldRefuseOtherMinorVersions() throws Exception {
        CallbackRequest request =
                compound(Credential.none(), 2, sequence(SESSION, 1, 0)).by(program);
        assertThat(request.status()).isEqualTo(Status.NFS4ERR_MINOR_VERS_MISMATCH);
        assertThat(request.outcomes()).isEmpty();
    }

    @Test
    void shouldWantSequenceFirstAndOnlyThere() throws Exception {
        assertThat(compound(CallbackProgramTest::recall).by(program).outcomes())
                .containsExactly(new Outcome(Opcode.CB_RECALL, Status.NFS4ERR_OP_NOT_IN_SESSION));
        assertThat(compound(bare(77)).by(program).outcomes())
                .containsExactly(new Outcome(Opcode.CB_ILLEGAL, Status.NFS4ERR_OP_ILLEGAL));
        assertThat(compound(sequence(SESSION, 1, 0), sequence(SESSION, 1, 1))
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_SEQUENCE, Status.NFS4ERR_SEQUENCE_POS));
        assertThat(called).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Opcode.CB_NOTIFY,
                Opcode.CB_PUSH_DELEG,
                Opcode.CB_RECALLABLE_OBJ_AVAIL,
                Opcode.CB_WANTS_CANCELLED,
                Opcode.CB_NOTIFY_DEVICEID
            })
    void shouldNotSupportWhatItNeverAskedFor(int opcode) throws Exception {
        assertThat(compound(sequence(SESSION, 1, 0), bare(opcode), CallbackProgramTest::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(opcode, Status.NFS4ERR_NOTSUPP));
        assertThat(called).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 15, -1, Opcode.CB_ILLEGAL})
    void shouldCallIllegalWhatNobodyDefines(int opcode) throws Exception {
        assertThat(compound(sequence(SESSION, 1, 0), bare(opcode)).by(program).outcomes())
                .isEqualTo(failing(Opcode.CB_ILLEGAL, Status.NFS4ERR_OP_ILLEGAL));
    }

    @Test
    void shouldTellWhatItCannotRead() throws Exception {
        assertThat(compound(bare(Opcode.CB_SEQUENCE)).by(program).outcomes()).isEqualTo(refused(Status.NFS4ERR_BADXDR));
        assertThat(compound(sequence(SESSION, 1, 0), bare(Opcode.CB_RECALL))
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_BADXDR));
        CallbackRequest headless = new CallbackRequest(CbCompound.PROC_COMPOUND, Credential.none(), new byte[8]);
        assertThatThrownBy(() -> headless.by(program)).isInstanceOf(XdrException.class);
    }

    @Test
    void shouldKnowNoOtherSession() throws Exception {
        assertThat(compound(sequence(new SessionId(5, 7), 1, 0), CallbackProgramTest::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(refused(Status.NFS4ERR_BADSESSION));
    }

    @Test
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
        assertThat(compound(sequence(SESSION, 1, 0, true), CallbackProgramTest::recall)
                        .by(limited)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_REP_TOO_BIG_TO_CACHE));
        assertThat(compound(sequence(SESSION, 2, 0), CallbackProgramTest::recall)
                        .by(limited)
                        .status())
                .isEqualTo(Status.NFS4_OK);
        CallbackProgram tight =
                program(session(new ChannelAttributes(0, 4000, 200, 4000, 3, 1, Optional.empty())), USER);
        assertThat(compound(sequence(SESSION, 1, 0), CallbackProgramTest::recall)
                        .by(tight)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_REP_TOO_BIG));
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
        CallbackRequest first = compound(sequence(SESSION, 1, 0, cacheThis), CallbackProgramTest::recall)
                .by(program);
        recallStatus = Status.NFS4ERR_BAD_STATEID;
        CallbackRequest again = compound(sequence(SESSION, 1, 0, cacheThis), CallbackProgramTest::recall)
                .by(program);
        assertThat(again.results().toByteArray()).isEqualTo(first.results().toByteArray());
        assertThat(called).containsExactly("recall 3 true");
        assertThat(compound(sequence(SESSION, 2, 0), CallbackProgramTest::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_BAD_STATEID));
    }

    @Test
    void shouldSayOfARepetitionThatItsReplyWasTooLongToKeep() throws Exception {
        Session small = session(new ChannelAttributes(0, 4000, 4000, 64, 8, 1, Optional.empty()));
        CallbackProgram forgetful = program(small, USER);
        compound(sequence(SESSION, 1, 0), CallbackProgramTest::recall).by(forgetful);
        assertThat(compound(sequence(SESSION, 1, 0), CallbackProgramTest::recall)
                        .by(forgetful)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_RETRY_UNCACHED_REP));
        assertThat(called).hasSize(1);
        assertThat(compound(sequence(SESSION, 2, 0), CallbackProgramTest::recall)
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
        assertThat(compound(sequence(SESSION, sequenceId, slotId), CallbackProgramTest::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(refused(expected));
        assertThat(called).isEmpty();
        assertThat(compound(sequence(SESSION, 2, 0), CallbackProgramTest::recall)
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
        List<Slot> granted = new ArrayList<>();
        session.slots().acquire(new SlotTable.Waiter() {
            @Override
            public void granted(Slot slot) {
                granted.add(slot);
            }

            @Override
            public void refused() {
                throw new AssertionError("the session lives");
            }

            @Override
            public long sinceNanos() {
                return 0;
            }

            @Override
            public IOException impatience() {
                return null;
            }

            @Override
            public void dismissed(Throwable why) {
                throw new AssertionError(why);
            }
        });
        Slot open = granted.get(0);
        CbSequence.ReferringCallList refers = new CbSequence.ReferringCallList(
                SESSION, List.of(new CbSequence.ReferringCall(open.sequenceId(), open.id())));
        CbSequence.ReferringCallList others =
                new CbSequence.ReferringCallList(new SessionId(8, 8), List.of(new CbSequence.ReferringCall(1, 0)));
        Consumer<XdrWriter> referring = out ->
                CbSequence.encodeArgs(out, new CbSequence.Args(SESSION, 1, 0, 0, false, List.of(others, refers)));
        assertThat(compound(referring, CallbackProgramTest::recall).by(program).outcomes())
                .isEqualTo(refused(Status.NFS4ERR_DELAY));
        assertThat(called).isEmpty();
        open.advance();
        session.slots().release(open);
        assertThat(compound(referring, CallbackProgramTest::recall).by(program).status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(called).containsExactly("recall 3 true");
    }

    @Test
    void shouldAnswerARecallAsTheHolderDoes() throws Exception {
        recallStatus = Status.NFS4ERR_BADHANDLE;
        assertThat(compound(sequence(SESSION, 1, 0), CallbackProgramTest::recall, CallbackProgramTest::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_BADHANDLE));
        assertThat(called).hasSize(1);
    }

    @Test
    void shouldFreeTheSlotWhereAnOperationFailsUnforeseen() throws Exception {
        recallStatus = null;
        assertThat(compound(sequence(SESSION, 1, 0), CallbackProgramTest::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_SERVERFAULT));
        recallStatus = Status.NFS4_OK;
        assertThat(compound(sequence(SESSION, 2, 0), CallbackProgramTest::recall)
                        .by(program)
                        .status())
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldTellTheAttributesOfADelegatedFileOnly() throws Exception {
        AttributeMask asked = AttributeMask.of(Attribute.SIZE, Attribute.CHANGE);
        Consumer<XdrWriter> ask = out -> CbGetAttr.encodeArgs(out, new CbGetAttr.Args(FILE, asked));
        assertThat(compound(sequence(SESSION, 1, 0), ask).by(program).outcomes())
                .isEqualTo(failing(Opcode.CB_GETATTR, Status.NFS4ERR_BADHANDLE));
        known = Optional.of(Attributes.builder()
                .put(Attribute.SIZE, 7L)
                .put(Attribute.CHANGE, 8L)
                .build());
        XdrReader in = compound(sequence(SESSION, 2, 0), ask).by(program).answer();
        assertThat(Compound.decodeResult(in).status()).isEqualTo(Status.NFS4_OK);
        CbCompound.decodeStatus(in, Opcode.CB_SEQUENCE);
        CbSequence.decodeResult(in);
        CbCompound.decodeStatus(in, Opcode.CB_GETATTR);
        assertThat(CbGetAttr.decodeResult(in).attributes()).isEqualTo(known.get());
    }

    @Test
    void shouldPassOnWhichDelegationsShallGo() throws Exception {
        int layouts = 1 << 3;
        List<CbRecallAny.Args> all = List.of(
                new CbRecallAny.Args(3, CbRecallAny.READ_DELEGATIONS),
                new CbRecallAny.Args(-1, CbRecallAny.READ_DELEGATIONS | CbRecallAny.WRITE_DELEGATIONS | layouts),
                new CbRecallAny.Args(0, layouts));
        for (int i = 0; i < all.size(); i++) {
            CbRecallAny.Args args = all.get(i);
            assertThat(compound(sequence(SESSION, i + 1, 0), out -> CbRecallAny.encodeArgs(out, args))
                            .by(program)
                            .status())
                    .isEqualTo(Status.NFS4_OK);
        }
        assertThat(called).containsExactly("any 3 true false", "any " + Integer.MAX_VALUE + " true true");
        CbRecallAny.Args nobodys = new CbRecallAny.Args(0, 1 << 5);
        assertThat(compound(sequence(SESSION, 9, 1), out -> CbRecallAny.encodeArgs(out, nobodys))
                        .by(program)
                        .outcomes())
                .isEqualTo(refused(Status.NFS4ERR_SEQ_MISORDERED));
        assertThat(compound(sequence(SESSION, 4, 0), out -> CbRecallAny.encodeArgs(out, nobodys))
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL_ANY, Status.NFS4ERR_INVAL));
    }

    @Test
    void shouldHoldNoLayouts() throws Exception {
        CbLayoutRecall.Args args = new CbLayoutRecall.Args(1, 3, true, new CbLayoutRecall.All());
        assertThat(compound(sequence(SESSION, 1, 0), out -> CbLayoutRecall.encodeArgs(out, args))
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_LAYOUTRECALL, Status.NFS4ERR_NOMATCHING_LAYOUT));
    }

    @Test
    void shouldUseFewerSlotsOnceTheyAreRecalled() throws Exception {
        CbRecallSlot.Args args = new CbRecallSlot.Args(1);
        compound(sequence(SESSION, 1, 0), out -> CbRecallSlot.encodeArgs(out, args))
                .by(program);
        assertThat(session.slots().limit()).isEqualTo(2);
        assertThat(called).containsExactly("slots recalled");
    }

    @Test
    void shouldHintAtALockToWhoWaitsForIt() throws Exception {
        Opaque owner = Opaque.of("owner");
        CbNotifyLock.Args other = new CbNotifyLock.Args(FILE, new StateOwner(1, Opaque.of("other")));
        CbNotifyLock.Args mine = new CbNotifyLock.Args(FILE, new StateOwner(1, owner));
        try (LockWaiters.Waiter waiter = locks.register(FILE, owner)) {
            assertThat(compound(
                                    sequence(SESSION, 1, 0),
                                    out -> CbNotifyLock.encodeArgs(out, other),
                                    out -> CbNotifyLock.encodeArgs(out, mine))
                            .by(program)
                            .outcomes())
                    .containsExactly(
                            Outcome.ok(Opcode.CB_SEQUENCE),
                            Outcome.ok(Opcode.CB_NOTIFY_LOCK),
                            Outcome.ok(Opcode.CB_NOTIFY_LOCK));
            assertThat(waiter.await(TimeUnit.SECONDS.toNanos(30))).isTrue();
            assertThat(waiter.await(1)).isFalse();
        }
        assertThat(locks.isEmpty()).isTrue();
    }
}
