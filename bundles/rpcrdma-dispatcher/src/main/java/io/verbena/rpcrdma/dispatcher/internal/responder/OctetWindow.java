package io.verbena.rpcrdma.dispatcher.internal.responder;

/**
 * The octets that one connection may hold for its peer at once: few at first, and more with each octet that the peer
 * has dealt with, as in the slow start of TCP. So little is held for a peer that deals with nothing. A single holder is
 * admitted whatever it takes. Not thread safe.
 */
final class OctetWindow {
    private final long most;
    private long allowed;
    private long held;

    OctetWindow(long first, long most) {
        this.most = most;
        allowed = Math.min(first, most);
    }

    /** Takes octets; false where they have to wait until others were given back. */
    boolean take(long octets) {
        if (held != 0 && held + octets > allowed) {
            return false;
        }
        held += octets;
        return true;
    }

    /** Replaces octets that were taken by another number, whatever is allowed. */
    void change(long before, long now) {
        held += now - before;
    }

    /** Gives octets back. */
    void give(long octets) {
        held -= octets;
    }

    /** The peer has dealt with octets: as many more are allowed. */
    void acknowledged(long octets) {
        allowed = Math.min(most, allowed + octets);
    }

    long held() {
        return held;
    }
}
