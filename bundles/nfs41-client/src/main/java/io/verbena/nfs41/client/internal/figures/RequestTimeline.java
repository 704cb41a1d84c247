package io.verbena.nfs41.client.internal.figures;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SessionId;
import io.verbena.rpc.RpcCall;
import io.verbena.runtime.Runtime;

/** The times and sizes of one request, from when it was made to its end. Used by one thread at a time. */
public final class RequestTimeline implements Runnable {
    private final String mount;
    private final Meters meters;
    private final Runtime runtime;
    private final long madeNanos;
    private int operation;
    private Meter meter;
    private int attempts;
    private long waitedNanos;
    private long sentNanos;
    private long roundTripNanos;
    private long sentOctets;
    private long receivedOctets;
    private RpcCall call;
    private int xid;

    public RequestTimeline(String mount, Meters meters, Runtime runtime) {
        this.mount = mount;
        this.meters = meters;
        this.runtime = runtime;
        this.madeNanos = runtime.nanoTime();
    }

    /** The request is encoded. */
    public void encoded(int characteristic, RpcCall encoded) {
        call = encoded;
        if (meter == null) {
            operation = characteristic;
            meter = meters.of(characteristic);
        }
    }

    /** The request is about to be handed to the transport. */
    @Override
    public void run() {
        sentNanos = runtime.nanoTime();
        sentOctets = call.message().fullSize();
        if (attempts++ == 0) {
            waitedNanos = sentNanos - madeNanos;
            meter.sent(sentOctets, waitedNanos);
        } else {
            meter.sentAgain(sentOctets);
        }
    }

    /** The server has answered, with so many octets. */
    public void answered(long octets) {
        roundTripNanos = runtime.nanoTime() - sentNanos;
        xid = call.xid();
        receivedOctets = octets;
        meter.answered(octets, roundTripNanos);
    }

    /** The last attempt brought no readable answer. */
    public void unanswered() {
        xid = call.xid(); // now: the memory belongs to the slot, which the next request may get
    }

    /**
     * The request has ended. Another request may hold its slot by now.
     *
     * @param session the last session that the request was sent in, or null
     * @param slot the slot's number
     */
    public void ended(SessionId session, int slot, Throwable failure) {
        if (meter != null) {
            call = null;
            meter.ended(failure != null);
            RequestEvents.ended(this, session, slot, failure);
        }
    }

    /** A session's id in hexadecimal, as people read it. */
    public static String name(SessionId session) {
        return String.format("%016x%016x", session.high(), session.low());
    }

    String mount() {
        return mount;
    }

    String operation() {
        return Opcode.name(operation);
    }

    int attempts() {
        return attempts;
    }

    /** The age of the request: its duration at its end. */
    long ageNanos() {
        return runtime.nanoTime() - madeNanos;
    }

    long waitedNanos() {
        return waitedNanos;
    }

    long roundTripNanos() {
        return roundTripNanos;
    }

    long sentOctets() {
        return sentOctets;
    }

    long receivedOctets() {
        return receivedOctets;
    }

    /** The XID of the last attempt. */
    int xid() {
        return xid;
    }
}
