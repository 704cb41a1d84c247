package io.verbena.rpc;

import io.verbena.xdr.XdrReader;
import java.io.IOException;

/**
 * Turns a call's results into a value. Called on the connection's receive thread while the reply's memory is valid: it
 * must neither block nor keep the reader or a view of it.
 *
 * @param <T> the value's type
 */
@FunctionalInterface
public interface ReplyDecoder<T> {
    /**
     * @param results stands behind the reply header of a call that was accepted with {@link AcceptStatus#SUCCESS}
     * @throws IOException which completes the call's future
     */
    T decode(XdrReader results) throws IOException;
}
