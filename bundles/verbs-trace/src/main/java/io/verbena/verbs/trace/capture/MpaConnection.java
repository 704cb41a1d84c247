package io.verbena.verbs.trace.capture;

/** What the two directions of an MPA connection know of one another. */
final class MpaConnection {
    private final int number;
    private int handshakes;
    private boolean crc;
    private boolean refused;

    MpaConnection(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    /** One end has said what it wants. */
    void onHandshake(int flags) {
        handshakes++;
        crc |= (flags & Iwarp.CRC) != 0;
        refused |= (flags & Iwarp.MARKERS) != 0;
    }

    /** Whether CRCs are known to be good where they are right: if either end asks for them (RFC 5044 section 7.1). */
    boolean checksCrc() {
        return handshakes >= 2 && crc;
    }

    /** Whether it has markers, which are not read. */
    boolean isRefused() {
        return refused;
    }
}
