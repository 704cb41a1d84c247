package io.verbena.rpc;

import io.verbena.xdr.XdrReader;
import java.io.IOException;

/**
 * Decodes a call's results. The connection's receive thread calls the decoder while the reply's memory is valid. The
 * decoder must not block, and must not keep the reader or a view of its buffer.
 *
 * @param <T> the value's type
 */
@FunctionalInterface
public interface ReplyDecoder<T> {
    /**
     * @param results the reader of the results, behind a reply header with {@link AcceptStatus#SUCCESS}
     * @throws IOException where the results are invalid; the exception completes the call's future
     */
    T decode(XdrReader results) throws IOException;
}
