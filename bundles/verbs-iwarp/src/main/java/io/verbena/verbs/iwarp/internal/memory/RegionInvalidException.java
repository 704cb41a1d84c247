package io.verbena.verbs.iwarp.internal.memory;

import java.io.IOException;

/** Memory was invalidated while the peer was reading it. The response cannot be completed, so the stream ends. */
public final class RegionInvalidException extends IOException {
    private static final long serialVersionUID = 1L;

    public RegionInvalidException() {
        super("memory was invalidated while the peer was reading it");
    }
}
