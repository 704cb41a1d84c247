package io.verbena.rpcsec.gss.internal;

import java.nio.ByteBuffer;

/** A security context of a caller. Thread safe. */
final class AcceptorContext {
    private final ByteBuffer handle;
    private final String acceptor;
    private final Mechanism mechanism;
    private final String principal;
    private final int octets;
    private final long endNanos;
    private final SequenceWindow window;

    /**
     * @param acceptor the server's name, which the caller has named
     * @param principal the caller's name
     * @param octets of the caller's token, whose ticket the context keeps
     * @param endNanos when the context ends, on the runtime's clock
     */
    AcceptorContext(
            ByteBuffer handle,
            String acceptor,
            Mechanism mechanism,
            String principal,
            int octets,
            long endNanos,
            int windowSize) {
        this.handle = handle;
        this.acceptor = acceptor;
        this.mechanism = mechanism;
        this.principal = principal;
        this.octets = octets;
        this.endNanos = endNanos;
        this.window = new SequenceWindow(windowSize);
    }

    ByteBuffer handle() {
        return handle.duplicate();
    }

    String acceptor() {
        return acceptor;
    }

    Mechanism mechanism() {
        return mechanism;
    }

    String principal() {
        return principal;
    }

    int octets() {
        return octets;
    }

    SequenceWindow window() {
        return window;
    }

    boolean hasEnded(long nowNanos) {
        return nowNanos - endNanos >= 0;
    }
}
