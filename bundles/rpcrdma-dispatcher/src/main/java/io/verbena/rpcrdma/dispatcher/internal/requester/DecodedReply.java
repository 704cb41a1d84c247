package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpcrdma.dispatcher.internal.base.Hex;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReceivedMessage;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;

/**
 * The outcome of a message that answers a call.
 *
 * @param value the value that the decoder made of the results
 * @param failure why there is no value, or null
 * @param isReply whether the message is an RPC reply, so that the credits of its header are taken
 */
record DecodedReply<T>(T value, Throwable failure, boolean isReply) {
    static <T> DecodedReply<T> of(
            ReplyReader reader, CallSlot slot, ReceivedMessage received, ReplyDecoder<T> decoder) {
        XdrReader in;
        try {
            in = reader.open(slot, received);
        } catch (PeerProtocolException e) {
            return new DecodedReply<>(null, e, false);
        }
        try {
            in = RpcMessages.readReply(in, slot.call.message());
        } catch (RpcRejectedException | PeerProtocolException e) {
            return new DecodedReply<>(null, e, true);
        } catch (XdrException e) {
            String what = "the reply to XID " + Hex.of(slot.xid) + " has a header that cannot be read";
            return new DecodedReply<>(null, new PeerProtocolException(what + " (RFC 5531 9)", e), true);
        }
        try {
            return new DecodedReply<>(decoder.decode(in), null, true);
        } catch (Throwable e) {
            return new DecodedReply<>(null, e, true); // the decoder is the caller's: its throwable completes the future
        }
    }
}
