package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import java.io.IOException;

/**
 * What a message that answers a call comes to.
 *
 * @param value what the decoder made of the results
 * @param failure why there is no value, or null
 * @param isReply whether the message is an RPC reply, so that its header may be believed
 */
record ReplyDecoding<T>(T value, Throwable failure, boolean isReply) {
    static <T> ReplyDecoding<T> of(
            ReplyReader reader, CallSlot slot, ReceivedMessage received, ReplyDecoder<T> decoder) {
        XdrReader in;
        try {
            in = reader.open(slot, received);
        } catch (PeerProtocolException e) {
            return new ReplyDecoding<>(null, e, false);
        }
        try {
            RpcMessages.readReply(in);
        } catch (RpcRejectedException e) {
            return new ReplyDecoding<>(null, e, true);
        } catch (XdrException e) {
            String what = "the reply to XID " + ReplyReader.hex(slot.xid) + " has a header that cannot be read";
            return new ReplyDecoding<>(null, new PeerProtocolException(what + " (RFC 5531 9)", e), true);
        }
        try {
            return new ReplyDecoding<>(decoder.decode(in), null, true);
        } catch (IOException | RuntimeException | Error e) {
            return new ReplyDecoding<>(null, e, true); // the caller's own: it goes to the call's future
        }
    }
}
