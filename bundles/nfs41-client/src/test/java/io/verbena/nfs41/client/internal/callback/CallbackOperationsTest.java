package io.verbena.nfs41.client.internal.callback;

import static io.verbena.nfs41.client.internal.callback.CallbackRequest.compound;
import static io.verbena.nfs41.client.internal.callback.CallbackRequest.sequence;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbGetAttr;
import io.verbena.nfs41.CbLayoutRecall;
import io.verbena.nfs41.CbNotifyLock;
import io.verbena.nfs41.CbRecallAny;
import io.verbena.nfs41.CbRecallSlot;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.callback.CallbackRequest.Outcome;
import io.verbena.nfs41.client.internal.state.LockWaiters;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What callbacks are answered operation by operation. */
class CallbackOperationsTest extends CallbackFixture {
    @Test
    void shouldAnswerARecallAsTheHolderDoes() throws Exception {
        recallStatus = Status.NFS4ERR_BADHANDLE;
        assertThat(compound(sequence(SESSION, 1, 0), CallbackFixture::recall, CallbackFixture::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_BADHANDLE));
        assertThat(called).hasSize(1);
    }

    @Test
    void shouldFreeTheSlotWhereAnOperationFailsUnforeseen() throws Exception {
        recallStatus = null;
        assertThat(compound(sequence(SESSION, 1, 0), CallbackFixture::recall)
                        .by(program)
                        .outcomes())
                .isEqualTo(failing(Opcode.CB_RECALL, Status.NFS4ERR_SERVERFAULT));
        recallStatus = Status.NFS4_OK;
        assertThat(compound(sequence(SESSION, 2, 0), CallbackFixture::recall)
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
