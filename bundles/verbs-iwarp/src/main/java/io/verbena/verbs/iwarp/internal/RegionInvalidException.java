package io.verbena.verbs.iwarp.internal;

import java.io.IOException;

/** Memory was invalidated while the peer was reading it: the response cannot be completed, so the stream is over. */
final class RegionInvalidException extends IOException {
    private static final long serialVersionUID = 1L;

    RegionInvalidException() {
        super("memory was invalidated while the peer was reading it");
    }
}
