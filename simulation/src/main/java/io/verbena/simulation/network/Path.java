package io.verbena.simulation.network;

/**
 * One direction between two hosts. Times in virtual nanoseconds.
 */
final class Path {
    private long leastDelay;
    private long spread;
    private double octetsPerNano;
    private long holeUntil;
    private boolean refuses;
    private long largest = Long.MAX_VALUE;

    Path(long leastDelay, long spread, double octetsPerNano) {
        this.leastDelay = leastDelay;
        this.spread = spread;
        this.octetsPerNano = octetsPerNano;
    }

    long leastDelay() {
        return leastDelay;
    }

    long spread() {
        return spread;
    }

    long transferNanos(long octets) {
        return (long) (octets / octetsPerNano);
    }

    void slow(long newLeast, long newSpread) {
        leastDelay = newLeast;
        spread = newSpread;
    }

    /** Nothing arrives before that time; what was sent meanwhile arrives then. */
    void holeUntil(long time) {
        holeUntil = Math.max(holeUntil, time);
    }

    void heal() {
        holeUntil = 0;
        refuses = false;
    }

    long holeUntil() {
        return holeUntil;
    }

    void refuse(boolean now) {
        refuses = now;
    }

    boolean refuses() {
        return refuses;
    }

    /** A connection breaks when a longer message travels. */
    void largest(long octets) {
        largest = octets;
    }

    boolean carries(long octets) {
        return octets <= largest;
    }
}
