package io.verbena.rpc;

/**
 * The sizes of a call. They decide how the call is transferred.
 *
 * @param streamOctets the call's stream, RPC header included, data items not counted
 * @param itemOctets the call's DDP-eligible data item, 0 where it has none
 * @param maxReplyOctets the largest reply, RPC header included, the result not counted; see
 *     {@link RpcCall#maxReplySize}
 * @param resultOctets the DDP-eligible result that may come, 0 where none may
 */
public record CallShape(int streamOctets, int itemOctets, int maxReplyOctets, int resultOctets) {
    /** The shape of a call that was written. */
    public static CallShape of(RpcCall call) {
        long items = call.message().fullSize() - call.message().position();
        long results =
                call.resultSinks().stream().mapToLong(sink -> sink.remaining()).sum();
        return new CallShape(call.message().position(), (int) items, call.maxReplySize(), (int) results);
    }
}
