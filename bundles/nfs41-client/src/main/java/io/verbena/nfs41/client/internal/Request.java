package io.verbena.nfs41.client.internal;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A COMPOUND without its SEQUENCE. It may be sent several times: in another session, with another stateid.
 *
 * @param <T> what its results amount to
 */
abstract class Request<T> {
    /** Enough for the results of lookups and attributes. */
    static final int SMALL_REPLY = 3072;

    abstract void encode(Operations operations);

    /** Called on the transport's receive thread. */
    abstract T decode(Results results) throws IOException;

    /** Whether the server shall keep the reply, since doing it twice is not the same as doing it once. */
    boolean isCached() {
        return false;
    }

    /** The longest reply, without what goes to {@link #sink}. */
    int maxReplySize() {
        return SMALL_REPLY;
    }

    /** Where READ's data goes, or null. */
    ByteBuffer sink() {
        return null;
    }
}
