package io.verbena.simulation.scheduler;

/** A sum of all events of a world in their order. Two runs of a seed have the same sum. */
public final class EventHash {
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private long value = 0x243F6A8885A308D3L;
    private long events;

    /** Adds an event. */
    public void add(long event) {
        long mixed = (value ^ event) * PRIME;
        value = mixed ^ (mixed >>> 29);
        events++;
    }

    /** Adds octets. */
    public void add(byte[] octets) {
        long sum = octets.length;
        for (byte each : octets) {
            sum = sum * 31 + each;
        }
        add(sum);
    }

    public long value() {
        return value;
    }

    public long events() {
        return events;
    }
}
