package io.verbena.verbs.trace.capture;

/** The common state of the two directions of an MPA connection. */
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

    /** One end has sent its handshake flags. */
    void onHandshake(int flags) {
        handshakes++;
        crc |= (flags & IwarpNumbers.CRC) != 0;
        refused |= (flags & IwarpNumbers.MARKERS) != 0;
    }

    /**
     * Whether CRCs are known to be in use: both handshakes were seen, and either end asked for CRCs (RFC 5044 section
     * 7.1).
     */
    boolean checksCrc() {
        return handshakes >= 2 && crc;
    }

    /** Whether the connection has markers, which are not supported. */
    boolean isRefused() {
        return refused;
    }
}
