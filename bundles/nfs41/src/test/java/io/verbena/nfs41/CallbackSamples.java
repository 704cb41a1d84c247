package io.verbena.nfs41;

import io.verbena.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** As {@link Samples}, of the operations of callbacks. */
final class CallbackSamples {
    private static final FileHandle FILE = FileHandle.of(new byte[] {1, 2, 3, 4, 5});
    private static final StateId STATE = new StateId(7, 0x0102030405060708L, 0x090a0b0c);
    private static final StateOwner OWNER = new StateOwner(0x1122334455667788L, Opaque.of("owner"));
    private static final SessionId SESSION = new SessionId(1, 2);

    private final List<Samples.Sample<?>> all = new ArrayList<>();

    private CallbackSamples() {}

    private <T> void args(int opcode, T value, BiConsumer<XdrWriter, T> encoder, Samples.Decoder<T> decoder) {
        String name = Opcode.callbackName(opcode) + " args " + all.size();
        all.add(new Samples.Sample<>(name, value, List.of(opcode), encoder, decoder));
    }

    private <T> void result(int opcode, T value, BiConsumer<XdrWriter, T> encoder, Samples.Decoder<T> decoder) {
        String name = Opcode.callbackName(opcode) + " result " + all.size();
        all.add(new Samples.Sample<>(name, value, List.of(opcode, Status.NFS4_OK.code()), encoder, decoder));
    }

    private void emptyResult(int opcode, Consumer<XdrWriter> result) {
        result(opcode, "", (out, nothing) -> result.accept(out), in -> "");
    }

    static List<Samples.Sample<?>> all() {
        CallbackSamples samples = new CallbackSamples();
        samples.sequence();
        samples.delegations();
        samples.layouts();
        samples.others();
        return samples.all;
    }

    private void sequence() {
        List<CbSequence.ReferringCallList> referring = List.of(
                new CbSequence.ReferringCallList(
                        SESSION, List.of(new CbSequence.ReferringCall(8, 0), new CbSequence.ReferringCall(-1, 9))),
                new CbSequence.ReferringCallList(new SessionId(3, 4), List.of()));
        for (List<CbSequence.ReferringCallList> lists : List.of(List.<CbSequence.ReferringCallList>of(), referring)) {
            args(
                    Opcode.CB_SEQUENCE,
                    new CbSequence.Args(SESSION, 1, 2, 3, true, lists),
                    CbSequence::encodeArgs,
                    CbSequence::decodeArgs);
        }
        result(
                Opcode.CB_SEQUENCE,
                new CbSequence.Result(SESSION, 1, 2, 3, 4),
                CbSequence::encodeResult,
                CbSequence::decodeResult);
    }

    private void delegations() {
        AttributeMask asked = AttributeMask.of(Attribute.CHANGE, Attribute.SIZE);
        args(Opcode.CB_GETATTR, new CbGetAttr.Args(FILE, asked), CbGetAttr::encodeArgs, CbGetAttr::decodeArgs);
        Attributes attributes = Attributes.builder()
                .put(Attribute.CHANGE, 5L)
                .put(Attribute.SIZE, 1L << 40)
                .build();
        result(Opcode.CB_GETATTR, new CbGetAttr.Result(attributes), CbGetAttr::encodeResult, CbGetAttr::decodeResult);
        args(Opcode.CB_RECALL, new CbRecall.Args(STATE, true, FILE), CbRecall::encodeArgs, CbRecall::decodeArgs);
        emptyResult(Opcode.CB_RECALL, CbRecall::encodeResult);
        args(
                Opcode.CB_RECALL_ANY,
                new CbRecallAny.Args(-1, CbRecallAny.READ_DELEGATIONS | CbRecallAny.WRITE_DELEGATIONS),
                CbRecallAny::encodeArgs,
                CbRecallAny::decodeArgs);
        emptyResult(Opcode.CB_RECALL_ANY, CbRecallAny::encodeResult);
    }

    private void layouts() {
        for (CbLayoutRecall.Scope scope : List.of(
                new CbLayoutRecall.OfFile(FILE, 1L << 40, -1, STATE),
                new CbLayoutRecall.OfFileSystem(new FileSystemId(5, 6)),
                new CbLayoutRecall.All())) {
            args(
                    Opcode.CB_LAYOUTRECALL,
                    new CbLayoutRecall.Args(1, 3, true, scope),
                    CbLayoutRecall::encodeArgs,
                    CbLayoutRecall::decodeArgs);
        }
        emptyResult(Opcode.CB_LAYOUTRECALL, CbLayoutRecall::encodeResult);
    }

    private void others() {
        args(Opcode.CB_RECALL_SLOT, new CbRecallSlot.Args(3), CbRecallSlot::encodeArgs, CbRecallSlot::decodeArgs);
        emptyResult(Opcode.CB_RECALL_SLOT, CbRecallSlot::encodeResult);
        args(
                Opcode.CB_NOTIFY_LOCK,
                new CbNotifyLock.Args(FILE, OWNER),
                CbNotifyLock::encodeArgs,
                CbNotifyLock::decodeArgs);
        emptyResult(Opcode.CB_NOTIFY_LOCK, CbNotifyLock::encodeResult);
    }
}
