package io.verbena.simulation.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A sum of all events of a world in their order. Two runs of a seed have the same sum. */
public final class EventHash {
    private static final long PRIME = 0x9E3779B97F4A7C15L;
    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

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
        int at = 0;
        for (; at + Long.BYTES <= octets.length; at += Long.BYTES) {
            long mixed = (sum ^ (long) WORDS.get(octets, at)) * PRIME;
            sum = mixed ^ (mixed >>> 29);
        }
        for (; at < octets.length; at++) {
            sum = sum * 31 + octets[at];
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
